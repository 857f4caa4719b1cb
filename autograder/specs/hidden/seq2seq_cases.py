"""What the hidden cases of ``seq2seq`` call: one model each, with inputs of several forms in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.cases import Script
from autograder.model import Optimizer, Ref, Scalar, Seen
from autograder.specs.seq2seq_calls import (
    ends_apart,
    forward_results,
    found,
    make_talkative,
    step_inputs,
    step_results,
    watch,
)
from autograder.specs.seq2seq_cases import (
    SIZE,
    Ids,
    Size,
    Weights,
    baseline,
    decoder,
    decoder_weights,
    encoder,
    sentences,
    sources,
    target,
    translator,
)

BIG = Size((3, 10, 8, 1, 5), source=11, target=3, src_words=19, words=17, src_emb=2, emb=13, hidden=7, attn=6,
           ids=Ids(pad=5, bos=8, eos=0))  # fmt: skip
EQUAL = Size((5, 2, 5, 1, 3), 5, 5, 5, 5, 5, 5, 5, 5, Ids(pad=0, bos=4, eos=3))


class Narrow(Size):
    """Encoder states as wide as the decoder's and its attention, where a transposed or a needless projection fits."""

    @property
    def enc(self) -> int:
        """The width of the encoder's states."""
        return self.hidden


NARROW = Narrow(attn=5)
FULL = {"lengths": (6, 4), "source": 6, "target": 2}  # no column of padding; the longest first
ONE_SENTENCE = {"lengths": (5,), "source": 5, "target": 2}
ONE_WORD = {"lengths": (1, 1, 1), "source": 1, "target": 2}
ONE_STEP = {"lengths": (2, 4), "source": 5, "target": 1}
ALONE = {"lengths": (1,), "source": 1, "target": 1}


def sized(size: Size, change: dict[str, Any]) -> Size:
    """A size with other lengths, for the same weights."""
    return size._replace(**change)


def encode_many(script: Script) -> None:
    """Gradients through each result; the same sentences, other padding; other forms; a first call again."""
    encoder(script, BIG)

    def call(into: str, size: Size, *inputs: Ref, **options: Any) -> None:
        results = {"states": (size.batch, size.source, size.enc), "first": (size.batch, size.hidden)}
        script.call(into, "encoder", *inputs, outputs=results, **options)

    inputs = sources(script, BIG)
    call("out", BIG, *inputs, modules=("encoder",), back_from=("states",))
    call("through-first", BIG, *inputs, modules=("encoder",), back_from=("first",))
    wider = BIG._replace(source=13)
    other = sentences(script.draw, BIG.lengths, wider.source, BIG.src_words)
    words = script.arrays["src"]
    other[:, : BIG.source] = np.where(BIG.mask, words, other[:, : BIG.source])
    call("padded", wider, script.array("padded_src", other), inputs[1])
    full = sized(BIG, FULL)
    call("full", full, *sources(script, full, "full_"))
    call("gapped", BIG, *inputs, layout="gapped", echo=True)


def encode_ones(script: Script) -> None:
    """One word, one sentence, both."""
    encoder(script, BIG)
    for name, change in (("word", ONE_WORD), ("sentence", ONE_SENTENCE), ("alone", ALONE)):
        size = sized(BIG, change)
        results = {"states": (size.batch, size.source, size.enc), "first": (size.batch, size.hidden)}
        script.call(name, "encoder", *sources(script, size, f"{name}_"), outputs=results)


def step_many(script: Script, *, kind: str) -> None:
    """Gradients through each result; the next step; an empty mask; the first call in other forms."""
    decoder(script, kind, BIG)
    results = step_results(kind, BIG)
    inputs = step_inputs(script, kind, BIG)
    floating = tuple(one.name for one in inputs[1:-1])
    for name in results:
        script.call(f"through-{name}", "decoder.step", *inputs, outputs=results, wrt=floating,
                    modules=("decoder",), back_from=(name,))  # fmt: skip
    script.call("out", "decoder.step", *inputs, outputs=results)
    token = script.array("next_token", script.draw.integers(BIG.batch, high=BIG.words))
    carried = [Ref("out", item) for item in range(1, len(results) - 1)]
    script.call("next", "decoder.step", token, *carried, *inputs[-2:], outputs=results, modules=("decoder",))
    script.call("reversed", "decoder.step", *inputs, outputs=results, layout="reversed", echo=True)
    script.call("gapped", "decoder.step", *inputs, outputs=results, layout="gapped", echo=True)
    mask = BIG.mask
    mask[1] = False
    script.call("dark", "decoder.step", *inputs[:-1], script.array("dark_mask", mask), outputs=results,
                wrt=floating, modules=("decoder",))  # fmt: skip


def step_ones(script: Script, *, kind: str) -> None:
    """One word, one sentence, both."""
    decoder(script, kind, BIG)
    for name, change in (("word", ONE_WORD), ("sentence", ONE_SENTENCE), ("alone", ALONE)):
        size = sized(BIG, change)
        script.call(name, "decoder.step", *step_inputs(script, kind, size, f"{name}_"),
                    outputs=step_results(kind, size))  # fmt: skip


def steep(script: Script, *, kind: str) -> None:
    """Scores of about 10,000 and -10,000 under the mask and beside it, with ordinary differences on each.

    The first entry of a state says on which level its score is. Sentences 0 and 1 are alike but for that,
    so that real words are above the masked ones in one and below them in the other, whatever the sign.
    """
    size = BIG
    weights: Weights = decoder_weights(script.draw, kind, size)
    if kind == "bahdanau":
        weights["W_s.weight"][0] = 0
        weights["W_h.weight"][0] = 40 * (np.arange(size.enc) == 0)  # saturated: tanh is exactly 1 or -1
        weights["W_h.weight"][1:, 0] = 0
        weights["v.weight"][0, 0] = 1e4
    else:
        weights["W_a.weight"][:, 0] = 2e4
    decoder(script, kind, size, weights)
    inputs = step_inputs(script, kind, size)
    for one in inputs[:-2]:
        script.arrays[one.name][1] = script.arrays[one.name][0]
    level = np.where(size.mask, 0.5, -0.5)
    level[[1, 3]] *= -1
    level[4] = np.where(size.mask[4], 0, 0.5)  # of no great size themselves, and masked ones above
    script.arrays["encoder_states"][:, :, 0] = level
    floating = tuple(one.name for one in inputs[1:-1])
    results = step_results(kind, size)
    script.call("out", "decoder.step", *inputs, outputs=results, wrt=floating, modules=("decoder",))


def forward_many(script: Script, *, kind: str) -> None:
    """Gradients through each result; other forms; the first call again; in train mode."""
    translator(script, kind, BIG, train=True)
    results = forward_results(BIG)
    inputs = (*sources(script, BIG), target(script, "tgt_in", BIG))
    for name in results:
        script.call(f"through-{name}", "model", *inputs, outputs=results, modules=("encoder", "decoder"),
                    back_from=(name,))  # fmt: skip
    full = sized(BIG, FULL)
    others = (*sources(script, full, "full_"), target(script, "full_tgt_in", full))
    script.call("full", "model", *others, outputs=forward_results(full))
    script.call("reversed", "model", *inputs, outputs=results, layout="reversed", echo=True)
    watch(script, "model", "encoder", "decoder")


def forward_ones(script: Script, *, kind: str) -> None:
    """One word, one sentence, one step."""
    translator(script, kind, BIG, train=True)
    for name, change in (("word", ONE_WORD), ("sentence", ONE_SENTENCE), ("step", ONE_STEP)):
        size = sized(BIG, change)
        inputs = (*sources(script, size, f"{name}_"), target(script, f"{name}_tgt_in", size))
        script.call(name, "model", *inputs, outputs=forward_results(size))


def fixed_many(script: Script) -> None:
    """Other forms, and the first call again; in train mode."""
    baseline(script, BIG, train=True)
    results = {"logits": (BIG.batch, BIG.target, BIG.words)}
    inputs = (*sources(script, BIG), target(script, "tgt_in", BIG))
    script.call("out", "model", *inputs, outputs=results, modules=("model",))
    for name, change in (("full", FULL), ("sentence", ONE_SENTENCE), ("step", ONE_STEP), ("alone", ALONE)):
        size = sized(BIG, change)
        others = (*sources(script, size, f"{name}_"), target(script, f"{name}_tgt_in", size))
        script.call(name, "model", *others, outputs={"logits": (size.batch, size.target, size.words)})
    script.call("gapped", "model", *inputs, outputs=results, layout="gapped", echo=True)
    watch(script, "model", "encoder")


def greedy_many(script: Script, *, kind: str, max_len: int = 7, boost: float = -3.0) -> None:
    """Several sentences, then forward; others of the same form; one word; the first call again. Aside: what would
    be said with another eos."""
    translator(script, kind, BIG, train=True, eos=BIG.ids.eos, boost=boost, scale=2.0)
    make_talkative(script, BIG.ids)
    src = sources(script, BIG)
    script.call("out", "model.greedy_decode", *src, max_len)
    tgt_in = target(script, "tgt_in", BIG)
    script.call("forward", "model", *src, tgt_in, outputs=forward_results(BIG))
    script.call("other", "model.greedy_decode", *sources(script, BIG, "other_"), max_len)
    script.call("short", "model.greedy_decode", *src, 1)
    script.call("gapped", "model.greedy_decode", *src, max_len, layout="gapped", echo=True)
    watch(script, "model", "encoder", "decoder")
    with script.aside():
        others = BIG.ids._replace(eos=BIG.ids.eos + 1)
        script.make("other_model", "Seq2Seq", Ref("encoder"), Ref("decoder"), *others, train=True)
        script.call("endless", "other_model.greedy_decode", *src, max_len)


def anywhere(script: Script, *, kind: str) -> None:
    """A decoder, alone and in a model. Lengths are on the CPU, whatever the device."""
    size = SIZE
    translator(script, kind, size)
    src, src_lengths = sources(script, size)
    script.on_cpu.add(src_lengths.name)
    inputs = step_inputs(script, kind, size, "step_")
    script.call("step", "decoder.step", *inputs, outputs=step_results(kind, size))
    tgt_in = target(script, "tgt_in", size)
    script.call("out", "model", src, src_lengths, tgt_in, outputs=forward_results(size))


def baseline_anywhere(script: Script) -> None:
    """The encoder, the model without attention, and a step of its training. Lengths are on the CPU."""
    size = SIZE
    encoder(script, size)
    baseline(script, size, into="baseline", part=Ref("encoder"))
    src, src_lengths = sources(script, size)
    tgt_in, tgt_out = target(script, "tgt_in", size), target(script, "tgt_out", size)
    tgt_lengths = script.array("tgt_lengths", np.array((2, 4, 1)))
    script.on_cpu |= {src_lengths.name, tgt_lengths.name}
    found = {"states": (size.batch, size.source, size.enc), "first": (size.batch, size.hidden)}
    script.call("encoded", "encoder", src, src_lengths, outputs=found)
    script.call("out", "baseline", src, src_lengths, tgt_in,
                outputs={"logits": (size.batch, size.target, size.words)})  # fmt: skip
    script.add(Optimizer("optimizer", "SGD", "baseline", {"lr": 0.5}))
    script.call("trained", "train_step", Ref("baseline"), Ref("optimizer"), src, src_lengths, tgt_in, tgt_out,
                tgt_lengths, outputs={"loss": None})  # fmt: skip


def search_anywhere(script: Script, *, kind: str, method: str, options: tuple[int, ...]) -> None:
    """One of the searches; lengths are on the CPU."""
    translator(script, kind, SIZE, eos=SIZE.ids.eos, boost=-3.0, scale=2.0)
    inputs = sources(script, SIZE)
    script.on_cpu.add(inputs[1].name)
    script.call("out", f"model.{method}", *inputs, *options)


def ends_on_the_way(shown: dict[str, Seen]) -> bool:
    """Sentences end apart, and where another word were eos, they would say more after it."""
    words, eos = found(shown["endless"]), BIG.ids.eos
    going = [row[1 + row.tolist().index(eos) :] for row in words if eos in row]
    return ends_apart(shown, ids=BIG.ids) and any(
        len(rest) and rest[0] not in (eos, BIG.ids.pad) for rest in going
    )


def greedy_one(script: Script, *, kind: str) -> None:
    """One sentence, and two of one word."""
    translator(script, kind, BIG, train=True, eos=BIG.ids.eos, boost=-3.0, scale=2.0)
    script.call("short", "model.greedy_decode", *sources(script, sized(BIG, ONE_SENTENCE)), 7)
    words = script.array("words", script.draw.integers(2, 1, high=BIG.src_words))
    script.call("word", "model.greedy_decode", words, script.array("word_lengths", np.array((1, 1))), 7)


# ---------------------------------------------------------------- BLEU


def bleu_random(script: Script, *, words: int = 5) -> None:
    """Sentences over few words, so that n-grams repeat; candidates are references with a part replaced,
    dropped or said twice. ``out`` and ``again`` score all together, ``first`` and ``second`` some of them."""
    draw = script.draw
    candidates, references = [], []
    for length, change in ((11, "twice"), (9, "drop"), (13, "replace"), (7, "twice"), (10, "drop")):
        reference = draw.integers(length, high=words).tolist()
        start = int(draw.integers(high=length - 3))
        if change == "twice":
            candidate = [*reference, *reference[start:]]
        elif change == "drop":
            candidate = reference[:start] + reference[start + 2 :]
        else:
            candidate = [*reference[:start], words, words, *reference[start + 2 :]]
        candidates.append(candidate)
        references.append(reference)
    for name in ("out", "again"):
        script.call(name, "corpus_bleu", candidates, references, outputs={"bleu": None})
    for name, one in (("first", slice(0, 1)), ("second", slice(1, 3))):
        script.call(name, "corpus_bleu", candidates[one], references[one], outputs={"bleu": None})


def bleu_calls(script: Script, *, pairs: dict[str, tuple[list[Any], list[Any]]]) -> None:
    """One call for each pair of candidates and references."""
    for name, (candidates, references) in pairs.items():
        script.call(name, "corpus_bleu", candidates, references, outputs={"bleu": None})


def matches(shown: dict[str, Seen], *names: str) -> bool:
    """No score is 0 or 100."""
    values = [shown[name].value for name in names]
    return all(isinstance(one, Scalar) and 0 < float(one.value or 0) < 100 for one in values)
