# Heads by slices of the weight matrices, and the output as a sum over heads.


class MultiHeadAttention(nn.Module):
    def split_heads(self, projected):
        d_h = projected.size(-1) // self.num_heads
        return torch.stack(projected.split(d_h, dim=-1), dim=1)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.expand(query.size(0), query.size(1), key.size(1))
            mask = mask.unsqueeze(1)  # (B, 1, T_q, T_k): the same for every head
        heads, weights = scaled_dot_product_attention(
            self.split_heads(self.W_Q(query)),
            self.split_heads(self.W_K(key)),
            self.split_heads(self.W_V(value)),
            mask,
        )
        d_h = heads.size(-1)
        output = 0
        for i in range(self.num_heads):
            output = output + heads[:, i] @ self.W_O.weight[:, i * d_h : (i + 1) * d_h].T
        return output, weights
