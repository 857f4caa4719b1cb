# Einstein sums over slices of the weight matrices.
# from added_fill: LuongAttention.__init__


class LuongAttention(nn.Module):
    def score(self, decoder_states, encoder_states):
        if self.method == "dot":
            return torch.einsum("btd,bsd->bts", decoder_states, encoder_states)
        if self.method == "general":
            return torch.einsum("btd,de,bse->bts", decoder_states, self.W_a.weight, encoder_states)
        dec = decoder_states.shape[-1]
        W = self.W_a.weight
        left = torch.einsum("btd,ad->bta", decoder_states, W[:, :dec])
        right = torch.einsum("bse,ae->bsa", encoder_states, W[:, dec:])
        return torch.einsum("btsa,oa->bts", torch.tanh(left[:, :, None] + right[:, None]), self.v.weight)

    def forward(self, decoder_states, encoder_states):
        a = self.score(decoder_states, encoder_states).softmax(2)
        return torch.einsum("bts,bse->bte", a, encoder_states), a


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)
        self.enc_dim = enc_dim

    def forward(self, context, decoder_states):
        W = self.W_c.weight
        x = torch.einsum("bte,de->btd", context, W[:, : self.enc_dim])
        return torch.tanh(x + torch.einsum("bte,de->btd", decoder_states, W[:, self.enc_dim :]))


def local_weights(scores, center, half_width):
    j = torch.arange(scores.shape[1]).to(scores)
    d = j[None, :] - center[:, None]
    inside = (-half_width <= d) & (d <= half_width)
    top = scores.masked_fill(~inside, -float("inf")).max(dim=1, keepdim=True).values
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top).detach()
    e = torch.where(inside, scores - top, torch.zeros_like(scores)).exp() * inside
    total = e.sum(1, keepdim=True)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return e / total * torch.exp(-2 * d**2 / half_width**2)
