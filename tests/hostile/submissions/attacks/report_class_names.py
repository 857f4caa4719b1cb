"""Gives its classes and layers names with markup."""
Linear = type("<script>alert(1)</script>\x1b[2J", (nn.Linear,), {})


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = Linear(dec_dim, attn_dim, bias=False)
        self.W_h = Linear(enc_dim, attn_dim, bias=False)
        self.v = Linear(attn_dim, 1, bias=False)

    def forward(self, decoder_state, encoder_states):
        raise Linear.__class__.__call__(type("=A1" + "<script>", (Exception,), {}))
