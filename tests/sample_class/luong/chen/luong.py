# Luong attention -- chen
# exported from my notebook

# In[1]:

import torch
from torch import nn

# In[2]:


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dot product needs the same size")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim is None:
                raise ValueError("concat: please give attn_dim")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError("method?")
        self.method = method

    def score(self, decoder_states, encoder_states):
        if self.method == "dot":
            return torch.bmm(decoder_states, encoder_states.transpose(1, 2))
        if self.method == "general":
            # s^T W_a h : first multiply s with W_a, then with h
            return torch.bmm(self.W_a(decoder_states), encoder_states.transpose(1, 2))
        T_t, T_s = decoder_states.size(1), encoder_states.size(1)
        s = decoder_states.unsqueeze(2).repeat(1, 1, T_s, 1)
        h = encoder_states.unsqueeze(1).repeat(1, T_t, 1, 1)
        return self.v(torch.tanh(self.W_a(torch.cat((s, h), dim=3)))).squeeze(3)

    def forward(self, decoder_states, encoder_states):
        weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)
        return torch.bmm(weights, encoder_states), weights


# In[3]:

# la = LuongAttention(8, 8, "general")
# la(torch.randn(2, 3, 8), torch.randn(2, 4, 8))[0].shape   # works

# In[4]:


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return torch.tanh(self.W_c(torch.cat((context, decoder_states), dim=2)))


# In[7]:


def local_weights(scores, center, half_width):
    pos = torch.arange(scores.size(1), device=scores.device).to(scores.dtype)
    dist = pos.unsqueeze(0) - center.unsqueeze(1)
    window = dist.abs() <= half_width
    w = torch.softmax(scores.masked_fill(~window, torch.finfo(scores.dtype).min), dim=1)
    w = w * torch.exp(-dist.pow(2) / (2 * (half_width / 2) ** 2))
    return w * window
