"""The worker on the meta device: whether code keeps to its inputs' device, where there is no other one."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import judge, model, protocol
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.protocol import wire
from autograder.worker import backward
from tests.small_suite_helpers import X, call, converse, numbers, program

MASK = np.array([[True, False, True], [True, True, False]])


def on_meta(text: str, *steps: protocol.Step, **arrays: Any) -> dict[str, protocol.StepResult]:
    """What a script shows on the meta device; ``x`` and ``mask`` are there, and ``lengths`` on the CPU."""
    given = {"x": X, "mask": MASK, "lengths": np.array([3, 2])} | arrays
    asked = program(*(steps or (call("f", "x"),)), device="meta", **given)
    there = {
        name: array if name == "lengths" else msgspec.structs.replace(array, device="meta")
        for name, array in asked.arrays.items()
    }
    return converse(text, msgspec.structs.replace(asked, arrays=there))


def found(text: str, outputs: tuple[str, ...] = ("result",), device: str = "meta") -> model.Finding | None:
    """What the hold says of a script's function."""
    step = call("f", "x", "mask", "lengths", outputs=outputs)
    one = protocol.Tensor(protocol.Array("float64", (2, 3), b"", device))
    expected = protocol.StepResult(
        "out", one if len(outputs) == 1 else protocol.Sequence("tuple", (one,) * len(outputs))
    )
    asked = program(step, device=device, x=X, mask=MASK, lengths=np.array([3, 2]))
    actual = tuple(on_meta(text, step).values()) if device == "meta" else tuple(converse(text, asked).values())
    prepared = model.Prepared("case", asked, (expected,))
    return judge.first_failure((model.Assertion("device", "out"),), prepared, protocol.Answer("n", actual))


def f(*lines: str) -> str:
    """A function with this body."""
    return "import numpy\ndef f(x, mask, lengths):\n" + "".join(f"    {line}\n" for line in lines)


# ---------------------------------------------------------------- the hold


@pytest.mark.parametrize(
    "body",
    [
        "return x * mask",
        "return torch.where(mask, x, torch.zeros_like(x))",
        "return x + torch.arange(3, device=x.device)",
        "return x + torch.tensor(2.0)",  # a number goes with every device
        "return x.masked_fill(mask, torch.tensor(2.0))",
        "return x.masked_fill(mask[:1], -torch.inf)",
        "return x * (torch.arange(3)[None] < lengths[:, None]).to(x.device)",
        "return torch.cat([x[:1], x.new_zeros(1, 3)])",
        "return x if x.any() else x * 2",
        "return x * float(x.max())",
        "return x[: int(x.abs().max())]",
        "return torch.stack([row * len(row.tolist()) for row in x])",
    ],
)
def test_who_keeps_to_the_inputs_device_is_not_blamed(body: str) -> None:
    assert found(f(body)) is None


@pytest.mark.parametrize(
    ("body", "symptom"),
    [
        ("return x + torch.arange(3)", "mixed-devices"),
        ("return x @ torch.zeros(3, 3)", "mixed-devices"),
        ("return x.masked_fill(torch.ones(2, 3, dtype=torch.bool), 0.0)", "mixed-devices"),
        ("return torch.where(torch.ones(2, 3, dtype=torch.bool), x, 0.0)", "mixed-devices"),
        ("return torch.zeros(2, 2) @ x", "mixed-devices"),
        ("return torch.stack([x, torch.zeros(2, 3)])[0]", "mixed-devices"),
        ("return torch.cat(tensors=(x[:1], torch.zeros(1, 3)))", "mixed-devices"),
        ("return torch.einsum('ij,jk->ik', x, torch.eye(3))", "mixed-devices"),
        ("return torch.nn.Linear(3, 3)(x)", "mixed-devices"),
        ("return x.clone().add_(torch.zeros(2, 3))", "mixed-devices"),
        ("return torch.zeros(2, 3).masked_fill_(mask, 1.0)", "mixed-devices"),
        ("return x.gather(1, torch.zeros(2, 3, dtype=torch.long))", "mixed-devices"),
        ("return x.masked_fill(~torch.ones(2, 3, dtype=torch.bool), 0.0) + torch.zeros(2, 3)", "mixed-devices"),
        ("return x.cuda()", "mixed-devices"),
        ("return x + torch.zeros(3, device='cuda')", "mixed-devices"),
        ("return torch.zeros(2, 3)", "wrong-device"),
        ("return x.cpu() * 2", "wrong-device"),
        ("return x.to('cpu')", "wrong-device"),
        ("return torch.from_numpy(x.detach().numpy()) * 2", "wrong-device"),
        ("return torch.tensor(x.tolist())", "wrong-device"),
    ],
)
def test_whoever_leaves_the_inputs_device_is_told(body: str, symptom: str) -> None:
    finding = found(f(body))
    assert finding is not None
    assert (finding.symptom, finding.step) == (symptom, "out")


@pytest.mark.parametrize(
    "asks",
    ["x.cuda()", "x.to('cuda')", "x.to(device=torch.device('cuda:0'))", "x.to(0)", "torch.zeros(2, 3, device='cuda')"],
)
def test_a_fixed_device_is_seen_on_a_machine_that_has_it_too(asks: str) -> None:
    """The machines of these tests may have none, and refuse the call in other words."""
    raised = on_meta(f(f"return {asks}"), call("f", "x", "mask", "lengths"))["out"].raised
    assert raised is not None
    assert raised.message.endswith("but this asks for CUDA")


def test_a_layer_on_a_fixed_device_is_seen_where_it_is_made() -> None:
    text = """
class Thing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3, device="cuda")
"""
    raised = on_meta(text, protocol.Make("thing", "Thing"))["thing"].raised
    assert raised is not None
    assert raised.message.endswith("but this asks for CUDA")


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('nothing to attend to') if float(x.min()) > -1 else KeyError",
        "assert (x < 0).any()",
        "return x[x > 0]",
        "return x[torch.nonzero(mask.any(-1)).squeeze(-1)]",
    ],
)
def test_code_that_depends_on_numbers_is_not_blamed(body: str) -> None:
    """There are none, so it may raise."""
    assert found(f(body)) is None


def test_one_of_two_results_may_be_elsewhere() -> None:
    assert found(f("return x, x"), ("first", "second")) is None
    finding = found(f("return x, torch.zeros(2, 3)"), ("first", "second"))
    assert finding is not None
    assert (finding.symptom, finding.facts["output"]) == ("wrong-device", "second")


def test_elsewhere_values_are_held_too() -> None:
    wrong = found(f("return x + 1"), device="cpu")
    assert wrong is not None
    assert wrong.symptom not in ("mixed-devices", "wrong-device")


def test_a_module_that_makes_its_own_constants_is_told_by_the_step_that_mixes_them() -> None:
    text = """
class Thing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
        self.places = torch.arange(3)
    def forward(self, x):
        return x * self.w + self.places
"""
    steps = (protocol.Make("thing", "Thing", state={"w": "w"}), call("thing", "x"))
    shown = on_meta(text, *steps, w=np.ones(3))
    assert shown["thing"].raised is None
    assert shown["out"].raised is not None
    fine = on_meta(text.replace("self.places = torch.arange(3)", "self.places = 1"), *steps, w=np.ones(3))
    assert fine["out"].raised is None


# ---------------------------------------------------------------- numbers that are read


def test_what_is_read_of_a_meta_tensor_can_be_gone_on_with() -> None:
    text = f("assert x.tolist() and x.cpu().shape == x.shape and x.detach().numpy().shape == (2, 3)", "return x")
    step = call("f", "x", "mask", "lengths", wrt=("x",))
    shown = on_meta(text, step)["out"]
    assert shown.raised is None
    assert isinstance(shown.value, protocol.Tensor)
    assert (shown.value.array.device, shown.value.array.shape, shown.value.array.data) == ("meta", (2, 3), b"")


def test_what_is_read_are_ones_which_are_legal_lengths_words_and_masks() -> None:
    text = f("return x.tolist(), mask.tolist(), float(x.sum()), x.numpy().shape[0]")
    outputs = ("a", "b", "c", "d")
    value = on_meta(text, call("f", "x", "mask", "lengths", outputs=outputs, wrt=("x",)))["out"].value
    assert isinstance(value, protocol.Sequence)
    rows = value.items[0]
    assert isinstance(rows, protocol.Sequence)
    assert rows.items[0] == protocol.Sequence("list", (protocol.Scalar(1.0),) * 3)
    assert value.items[2:] == (protocol.Scalar(1.0), protocol.Scalar(2))


def test_copies_keep_dtype_and_grad() -> None:
    text = f("y = x.cpu()", "return y * 1 if y.requires_grad and y.dtype == torch.float64 else None")
    shown = on_meta(text, call("f", "x", "mask", "lengths", wrt=("x",)))["out"]
    assert isinstance(shown.value, protocol.Tensor)
    assert shown.value.array.device == "cpu"


def test_tensors_that_are_elsewhere_are_read_as_they_are() -> None:
    text = f("return lengths * 1")
    shown = on_meta(text, call("f", "x", "mask", "lengths"))["out"]
    assert numbers(shown.value).tolist() == [3, 2]


def test_such_an_answer_holds_no_numbers_that_could_be_wrong() -> None:
    actual = on_meta(f("return x.cpu()"), call("f", "x", "mask", "lengths"))
    asked = program(call("f", "x"), device="meta", x=X)
    expected = protocol.StepResult("out", protocol.Tensor(wire.to_array(5 * X)))
    record = CaseRecord(model.Prepared("case", asked, (expected,)), protocol.Answer("n", tuple(actual.values())))
    assert record.wrong == ()


# ---------------------------------------------------------------- shapes

SCORES = np.linspace(-3, 3, 24).reshape(2, 3, 4)
ALLOWED = SCORES[:1, :1] > 0


@pytest.mark.parametrize(
    "body",
    [
        "return torch.where(mask, x, 0.0)",
        "return torch.where(mask, 1, x[0, 0, 0].long())",
        "return torch.where(mask, x.float(), x)",
        "return torch.where(mask, mask, ~mask)",
        "return torch.where(x > 0, x[:, :1], torch.tensor(-1.0).to(x))",
        "return x.isnan()",
        "return x.isinf() | ~x.isfinite()",
        "return x.abs().relu()",
        "return x.long().abs()",
        "return x[0, 0].dot(x[1, 2])",
        "return x.max() - x.min()",
        "return x.max(-1).values, x.max(-1).indices",
        "return torch.logical_not(x), torch.logical_and(x, mask)",
        "return torch.logical_or(mask, x), torch.logical_xor(x[0], mask)",
        "return x.nan_to_num(0.0), torch.nan_to_num(x, nan=1.0, posinf=2.0)",
        "return x.logsumexp(-1), x.logsumexp((0, 1), keepdim=True)",
        "return x.masked_fill(mask, 0.0), x.clone().masked_fill_(mask, 1.0)",
        "return torch.ones_like(x).tril().mean(-1), torch.zeros(3, device=x.device).expand(2, 3)",
        "return x.mean(), x.var(-1), x.sort(-1).indices, x.topk(2).values, x.cumsum(0), x.long().float()",
        "return torch.nn.functional.one_hot(torch.arange(3, device=x.device), 5), x.repeat(2, 1, 1), x.flip(0)",
        "return torch.nn.functional.cross_entropy(x[0], torch.arange(3, device=x.device))",
        "return torch.nn.functional.cross_entropy(x, torch.ones(2, 4, device=x.device).long(), reduction='none')",
        "return torch.nn.functional.cross_entropy(x, torch.ones(2, 4, device=x.device).long(), ignore_index=1)",
        "return x.count_nonzero(1), x.count_nonzero(), x.prod(), x.long().prod(), x.roll(1, 0), x.flip(0, 1)",
        "return x.var(), x.std(-1), x.std((0, 1), keepdim=True), x.var(1, correction=0)",
        "return x.index_select(1, torch.tensor([0, 2, 1, 1], device=x.device))",
        "return x.long() // 2, x // x, 2 // x.abs(), 1 - x, torch.rsub(x, x.float())",
        "return torch.nn.functional.conv2d(x[:, :, None], torch.ones(5, 3, 1, 1).to(x))",
        "return torch.nn.functional.conv1d(x, torch.ones(6, 1, 2).to(x), x[0, :1, :1].repeat(1, 6)[0], 2, 3, 2, 3)",
        "return torch.nn.functional.conv_transpose1d(x, torch.ones(3, 5, 2).to(x), None, 3, 1, 1)",
        "return torch.stack([x, x]), torch.cat([x, x], -1), torch.einsum('bij,bkj->bik', x, x)",
        "return torch.nn.functional.scaled_dot_product_attention(x, x, x, x @ x.mT > 0)",
    ],
)
def test_shapes_and_dtypes_are_those_of_the_cpu(body: str) -> None:
    text = "def f(x, mask):\n    " + body
    asked = call("f", "x", "mask")
    there = program(asked, device="meta", x=SCORES, mask=ALLOWED)
    arrays = {name: msgspec.structs.replace(one, device="meta") for name, one in there.arrays.items()}
    actual = converse(text, msgspec.structs.replace(there, arrays=arrays))["out"]
    here = converse(text, program(asked, x=SCORES, mask=ALLOWED))["out"]
    assert actual.raised is here.raised is None
    assert _kinds(actual.value) == _kinds(here.value)


def _kinds(value: Any) -> list[tuple[str, tuple[int, ...]]]:
    items = value.items if isinstance(value, protocol.Sequence) else (value,)
    return [(item.array.dtype, item.array.shape) for item in items]


# ---------------------------------------------------------------- no compiler


def isolated(*lines: str) -> None:
    """Runs lines in a Python of their own, where nothing has imported the compiler."""
    first = ("import sys, torch", "from autograder.worker import fast_torch, meta", "fast_torch.defer_compiler()")
    alone(*first, *lines)


def alone(*lines: str) -> None:
    """Runs lines in a Python of their own."""
    text = "\n".join(lines)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


NONE_NEW = (
    "parts = ('torch._dynamo.', 'torch._inductor.', 'sympy')\n"
    "new = [name for name in sys.modules if name.startswith(parts)]\n"
    "assert not new, new"
)


@pytest.mark.thorough
def test_operations_on_meta_import_no_compiler() -> None:
    """It would cost every worker about a second, and every server, too."""
    isolated(
        "fast_torch.prefer_compiled_shapes()",
        "with meta.Copies():",
        "    x = torch.ones(2, 3, device='meta', requires_grad=True)",
        "    y = torch.softmax(x @ x.mT, -1).masked_fill(torch.ones(2, 2, device='meta', dtype=torch.bool), 0.0)",
        "    torch.autograd.grad(y.sum(), x)",
        "    torch.nn.functional.cross_entropy(x, torch.zeros(2, device='meta', dtype=torch.long))",
        "    x.abs().isnan().logical_not() & torch.where(x > 0, x, 0.0).isinf()",
        "    torch.logsumexp(x, -1), x.nan_to_num(0.0), x.max(), x.relu()",
        "    torch.nn.functional.scaled_dot_product_attention(x, x, x, x @ x.mT > 0)",
        "    (x[0] + x[:, 0].sum() + x[1:, 1:].sum() + x.diagonal().sum() + x.unbind(1)[0].sum()).sum().backward()",
        NONE_NEW,
    )


@pytest.mark.thorough
def test_optimizers_import_no_compiler() -> None:
    isolated(
        "layer = torch.nn.Linear(3, 2)",
        "for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):",
        "    optimizer = kind(layer.parameters(), lr=0.1)",
        "    before = layer.weight.detach().clone()",
        "    optimizer.zero_grad()",
        "    layer(torch.ones(1, 3)).sum().backward()",
        "    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)",
        "    optimizer.step()",
        "    optimizer.load_state_dict(optimizer.state_dict())",
        "    assert not torch.equal(before, layer.weight)",
        NONE_NEW,
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line",
    [
        "import torch._dynamo.utils",
        "torch._dynamo.config.recompile_limit",
        "from torch._dynamo import is_dynamo_supported as _",
        "torch.compile(lambda x: x + 1, backend='eager')(torch.ones(1))",
    ],
)
def test_whoever_asks_the_compiler_for_more_gets_the_real_one(line: str) -> None:
    isolated(line, "import torch._dynamo", "assert torch._dynamo.__file__", "assert torch._dynamo.disable(len)")


WORKS = (
    "x = torch.ones(2, 3, device='meta', requires_grad=True)",
    "assert torch.autograd.grad((x @ x.mT).logsumexp(-1).sum(), x)[0].shape == (2, 3)",
    "assert torch.where(x > 0, x, 0.0).std(1).shape == (2,)",
    "layer = torch.nn.Linear(3, 2)",
    "layer(torch.ones(1, 3)).sum().backward()",
    "torch.optim.Adam(layer.parameters(), lr=0.1).step()",
)


LIBRARY = "torch._meta_registrations._meta_lib_dont_use_me_use_register_meta"


@pytest.mark.thorough
@pytest.mark.parametrize("change", ["fast_torch.TRIED = ('1.0',)", f"kept = {LIBRARY}; del {LIBRARY}", "pass"])
def test_without_the_speed_ups_everything_works(change: str) -> None:
    """In a torch of another release, and in one where a private name is gone."""
    isolated(
        change, "works = fast_torch.prefer_compiled_shapes() is None", *WORKS, f"assert works == ({change!r} != 'pass')"
    )


@pytest.mark.thorough
def test_another_release_of_torch_gets_no_speed_up() -> None:
    lines = ("import sys, torch", "from autograder.worker import fast_torch", "fast_torch.TRIED = ('1.0',)")
    checks = (
        "fast_torch.defer_compiler()",
        "assert 'torch._dynamo' not in sys.modules",
        "assert fast_torch.backward_engine() is None",
    )
    alone(*lines, *checks, *WORKS)


def test_gradients_without_the_engine_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    return x.exp().sum(-1)"
    step = call("f", "x", wrt=("x",), cotangents=("c",))
    asked = program(step, x=X, c=np.ones(len(X)))
    with_engine = converse(text, asked)["out"].gradients["x"]
    monkeypatch.setattr(backward, "ENGINE", None)
    assert converse(text, asked)["out"].gradients["x"] == with_engine


@pytest.mark.thorough
def test_a_look_through_all_modules_imports_no_compiler() -> None:
    isolated("import inspect", "inspect.getmodule(compile('1', 'x', 'eval'))", NONE_NEW)


def test_on_the_cpu_nothing_stands_between_code_and_torch() -> None:
    text = "from torch.overrides import _get_current_function_mode as mode\ndef f(x):\n    return mode() is None"
    assert converse(text, program(call("f", "x"), x=X))["out"].value == protocol.Scalar(True)
    assert on_meta(text)["out"].value == protocol.Scalar(False)
