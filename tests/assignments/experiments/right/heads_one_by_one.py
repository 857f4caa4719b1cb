# One head at a time, `-inf` repaired before the softmax, slices of the fused projection.


def split_projection(in_proj_weight):
    d = in_proj_weight.size(1)
    W_Q = in_proj_weight[0:d].clone()
    W_K = in_proj_weight[d : 2 * d].clone()
    W_V = in_proj_weight[2 * d : 3 * d].clone()
    return [W_Q, W_K, W_V]


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.heads, self.d_h = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, memory, mask=None, head_mask=None):
        q, k, v = self.W_Q(query), self.W_K(memory), self.W_V(memory)
        outs, alphas = [], []
        for i in range(self.heads):
            part = slice(i * self.d_h, (i + 1) * self.d_h)
            e = torch.einsum("bqd,bkd->bqk", q[..., part], k[..., part]) * self.d_h**-0.5
            if mask is not None:
                dead = ~mask.any(1)
                keep = (mask | dead[:, None])[:, None, :]
                a = F.softmax(e.masked_fill(~keep, float("-inf")), -1) * (~dead).to(e.dtype)[:, None, None]
            else:
                a = F.softmax(e, -1)
            head = torch.einsum("bqk,bkd->bqd", a, v[..., part])
            outs.append(head if head_mask is None else head * head_mask[i])
            alphas.append(a)
        return self.W_O(torch.cat(outs, -1)), torch.stack(alphas, 1)


def head_ablation(model, src, tgt_in, tgt_out):
    with torch.no_grad():
        full = None
        drops = []
        for i in [None, *range(model.num_heads)]:
            mask = torch.ones(model.num_heads).to(model.out.weight)
            if i is not None:
                mask[i] = 0
            logits = model(src, tgt_in, head_mask=mask)
            hits = (logits.argmax(2) == tgt_out).sum() / torch.tensor(float(tgt_out.numel())).to(logits)
            if i is None:
                full = hits
            else:
                drops.append(full - hits)
        return torch.stack(drops)
