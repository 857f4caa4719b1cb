"""Returns tensors that are stored in ways that few expect: sparse, nested, quantized, lazily negated, named, empty storage."""
import torch

ODD = [
    lambda: torch.eye(5).to_sparse(),
    lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    lambda: torch.quantize_per_tensor(torch.ones(5), 0.1, 0, torch.quint8),
    lambda: torch._neg_view(torch.ones(5, 5)),
    lambda: torch.ones(5, 5, names=("a", "b")),
    lambda: torch.complex(torch.ones(5, 5), torch.ones(5, 5)).conj(),
    lambda: torch.empty(5, 5, device="meta"),
    lambda: torch._C._from_dlpack(torch.ones(5).__dlpack__()),
    lambda: torch.sparse_csr_tensor([0, 1], [0], [1.0]),
]
count = []


def padding_mask(*args, **kwargs):
    count.append(1)
    return ODD[len(count) % len(ODD)]()


causal_mask = window_mask = strided_mask = combine_masks = padding_mask
