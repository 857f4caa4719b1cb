"""What a submission draws does not depend on luck, on any device."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from autograder.worker import serve


@pytest.mark.parametrize("device", ["cpu", "meta", "cuda", ""])
@pytest.mark.parametrize("number", [0, 3])
def test_draws_are_those_of_the_seed_on_every_device(device: str, number: int) -> None:
    torch.manual_seed(number)
    wanted = torch.randn(3), torch.nn.Linear(2, 2).weight
    torch.manual_seed(99)
    serve.fix_chance(number, device)
    assert torch.equal(torch.randn(3), wanted[0])
    assert torch.equal(torch.nn.Linear(2, 2).weight, wanted[1])
    assert random.random() == random.Random(number).random()
    assert np.random.random() == np.random.RandomState(number).random()
