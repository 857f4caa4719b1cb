"""The names of axes (contract, section 2), and what is wrong with a shape, in these names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autograder import model


class Call(NamedTuple):
    """The axes of a call's arguments, in order, and of its results. ``...`` stands for any number of axes."""

    arguments: tuple[str, ...]
    results: tuple[str, ...]


CALLS: dict[str, Call] = {
    "stable_softmax": Call(("...",), ("...",)),
    "softmax_vjp": Call(("... T", "... T"), ("... T",)),
    "BahdanauAttention.score": Call(("B dec_dim", "B T_s enc_dim"), ("B T_s",)),
    "BahdanauAttention.forward": Call(("B dec_dim", "B T_s enc_dim"), ("B enc_dim", "B T_s")),
    "LuongAttention.score": Call(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t T_s",)),
    "LuongAttention.forward": Call(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t enc_dim", "B T_t T_s")),
    "AttentionalHidden.forward": Call(("B T_t enc_dim", "B T_t dec_dim"), ("B T_t dec_dim",)),
    "local_weights": Call(("B T_s", "B"), ("B T_s",)),
    "self_attention": Call(("B T d",), ("B T d", "B T T")),
    "scaled_dot_product_attention": Call(("... T_q d_k", "... T_k d_k", "... T_k d_v"), ("... T_q d_v", "... T_q T_k")),
    "SelfAttention.forward": Call(("B T d_model",), ("B T d_v", "B T T")),
    "MultiHeadAttention.forward": Call(
        ("B T_q d_model", "B T_k d_model", "B T_k d_model"), ("B T_q d_model", "B num_heads T_q T_k")
    ),
    "sinusoidal_positions": Call((), ("length dim",)),
    "attention_entropy": Call(("... T",), ("...",)),
    "padding_mask": Call(("B",), ("B max_len",)),
    "causal_mask": Call((), ("length length",)),
    "window_mask": Call((), ("length length",)),
    "strided_mask": Call((), ("length length",)),
    "combine_masks": Call(("B T_k", "T_q T_k"), ("B T_q T_k",)),
    "masked_softmax": Call(("...",), ("...",)),
    "masked_attention": Call(("... T_q d_k", "... T_k d_k", "... T_k d_v"), ("... T_q d_v", "... T_q T_k")),
    "masked_cross_entropy": Call(("B T V", "B T", "B"), ("",)),
    "Encoder.forward": Call(("B T_s", "B"), ("B T_s 2*hidden_dim", "B hidden_dim")),
    "BahdanauDecoder.step": Call(("B", "B hidden_dim", "B T_s enc_dim", "B T_s"), ("B V", "B hidden_dim", "B T_s")),
    "LuongDecoder.step": Call(
        ("B", "B hidden_dim", "B hidden_dim", "B T_s enc_dim", "B T_s"),
        ("B V", "B hidden_dim", "B hidden_dim", "B T_s"),
    ),
    "Seq2Seq.forward": Call(("B T_s", "B", "B T_t"), ("B T_t V", "B T_t T_s")),
    "FixedContextSeq2Seq.forward": Call(("B T_s", "B", "B T_t"), ("B T_t V",)),
    "Seq2Seq.greedy_decode": Call(("B T_s", "B"), ("B L",)),
    "Seq2Seq.beam_search": Call(("B T_s", "B"), ("B L",)),
}  # fmt: skip
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "BahdanauAttention": ("enc_dim", "dec_dim", "attn_dim"),
    "LuongAttention": ("enc_dim", "dec_dim", "", "attn_dim"),
    "AttentionalHidden": ("enc_dim", "dec_dim"),
    "SelfAttention": ("d_model", "d_k", "d_v"),
    "MultiHeadAttention": ("d_model", "num_heads"),
    "Encoder": ("V", "emb_dim", "hidden_dim"),
    "BahdanauDecoder": ("V", "emb_dim", "hidden_dim", "enc_dim", "attn_dim"),
    "LuongDecoder": ("V", "emb_dim", "hidden_dim", "enc_dim"),
}
UNKNOWN = "?"  # an axis whose length has no name, or several


def told(program: model.Program, into: str, output: str, came: Sequence[int], due: Sequence[int]) -> str:
    """What is wrong with the shape of a result, as a sentence without lengths; empty where axes can't be told."""
    step = program.named.get(into)
    if not isinstance(step, model.Call) or output not in step.outputs:
        return ""
    call = CALLS.get(program.target(step))
    if call is None:
        return ""
    wanted = _named(call.results[step.outputs.index(output)], due)
    known = _made(step, program) | lengths(step, program) | dict(zip(wanted, due, strict=True))
    names = [_name(length, known) for length in came]
    if len(set(wanted)) < len(wanted) and len(came) == len(due):  # (T, T) has no order to speak of
        return ""
    return _difference(names, list(wanted))


def lengths(step: model.Call, program: model.Program) -> dict[str, int]:
    """The lengths of the axes of a call's arguments, by name."""
    call = CALLS.get(program.target(step), Call((), ()))
    found: dict[str, int] = {}
    for axes, argument in zip(call.arguments, step.args, strict=False):
        if isinstance(argument, model.Ref) and argument.name in program.arrays:
            shape = program.arrays[argument.name].shape
            found |= dict(zip(_named(axes, shape), shape, strict=True))
    return found


def _named(axes: str, shape: Sequence[int]) -> tuple[str, ...]:
    """A name for each axis of a shape; those that ``...`` stands for are counted."""
    names = axes.split()
    if "..." in names:
        at = names.index("...")
        extra = len(shape) - len(names) + 1
        names[at : at + 1] = [f"leading axis {number + 1}" for number in range(max(extra, 0))]
    return (
        tuple(names) if len(names) == len(shape) else tuple(f"axis {number}" for number in range(len(shape)))
    )


def _made(step: model.Call, program: model.Program) -> dict[str, int]:
    """The sizes that what is called and its parts were made with; not those of others of its class."""
    called = program.named.get(step.name.partition(".")[0])
    found: dict[str, int] = {}
    for made in program.steps:
        if isinstance(made, model.Make) and (made is called or made.name != getattr(called, "name", "")):
            named = zip(MADE_WITH.get(made.name, ()), made.args, strict=False)
            found |= {name: size for name, size in named if isinstance(size, int) and name}
    return found


def _name(length: int, lengths: dict[str, int]) -> str | None:
    """The one name of a length; None where it has none or several."""
    names = [name for name, other in lengths.items() if other == length]
    return names[0] if len(names) == 1 and length > 1 else None


def _difference(came: list[str | None], due: list[str]) -> str:
    if None in came and len(came) == len(due):
        return ""
    named = [name or UNKNOWN for name in came]
    surplus, missing = Counter(named) - Counter(due), Counter(due) - Counter(named)
    if not surplus and not missing:
        return f"Its axes are ({', '.join(named)}), not ({', '.join(due)})." if named != due else ""
    return " ".join(_sentences(surplus, missing, due))


def _sentences(surplus: Counter[str], missing: Counter[str], due: list[str]) -> Iterator[str]:
    for name in missing:
        yield f"The axis {name} is missing."
    for name in surplus:
        if name == UNKNOWN:
            yield "An axis is one too many."
        elif name in due:
            yield f"The axis {name} is there {'twice' if surplus[name] == 1 else 'several times'}."
        else:
            yield f"The axis {name} is one too many."
