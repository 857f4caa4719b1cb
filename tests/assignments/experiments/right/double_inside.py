# Computes in double precision inside, and rounds at the end.


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("the heads must divide the width")
        self.num_heads = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, memory, mask=None, head_mask=None):
        dtype = query.dtype
        project = lambda x, layer: x.double() @ layer.weight.double().T  # noqa: E731
        q, k, v = project(query, self.W_Q), project(memory, self.W_K), project(memory, self.W_V)
        q, k, v = (x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3) for x in (q, k, v))
        e = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[-1])
        if mask is not None:
            keep = mask.view(mask.shape[0], 1, 1, -1)
            e = torch.where(keep, e, torch.full_like(e, -1e30))
        a = torch.exp(e - e.amax(-1, keepdim=True))
        if mask is not None:
            a = a * keep
        a = a / a.sum(-1, keepdim=True).clamp_min(1e-30)
        heads = a @ v
        if head_mask is not None:
            heads = heads * head_mask.double().view(1, -1, 1, 1)
        joined = heads.permute(0, 2, 1, 3).reshape(*query.shape[:2], -1)
        return (joined @ self.W_O.weight.double().T).to(dtype), a.to(dtype)


def mean_attention_map(attention, src_lengths, tgt_lengths):
    mean = attention.double().mean(2).mean(0)
    for b, (s, t) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        mean[b, t:] = 0
        mean[b, :, s:] = 0
    return mean.to(attention.dtype)
