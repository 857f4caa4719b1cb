import torch
import torch.nn as nn
import torch.nn.functional as F

# Luong attention layer, adapted from the PyTorch chatbot tutorial
# https://pytorch.org/tutorials/beginner/chatbot_tutorial.html


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super(LuongAttention, self).__init__()
        self.method = method
        if self.method not in ['dot', 'general', 'concat']:
            raise ValueError(self.method, "is not an appropriate attention method.")
        self.hidden_size = dec_dim
        if self.method == 'dot' and enc_dim != dec_dim:
            raise ValueError("enc_dim != dec_dim")
        if self.method == 'general':
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif self.method == 'concat':
            if attn_dim is None:
                raise ValueError("attn_dim is required for concat")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)

    def dot_score(self, hidden, encoder_output):
        return torch.bmm(hidden, encoder_output.transpose(1, 2))

    def general_score(self, hidden, encoder_output):
        energy = self.W_a(encoder_output)
        return torch.bmm(hidden, energy.transpose(1, 2))

    def concat_score(self, hidden, encoder_output):
        hidden = hidden.unsqueeze(2).expand(-1, -1, encoder_output.size(1), -1)
        encoder_output = encoder_output.unsqueeze(1).expand(-1, hidden.size(1), -1, -1)
        energy = self.W_a(torch.cat((hidden, encoder_output), 3)).tanh()
        return self.v(energy).squeeze(3)

    def score(self, decoder_states, encoder_states):
        # Calculate the attention weights (energies) based on the given method
        if self.method == 'general':
            attn_energies = self.general_score(decoder_states, encoder_states)
        elif self.method == 'concat':
            attn_energies = self.concat_score(decoder_states, encoder_states)
        elif self.method == 'dot':
            attn_energies = self.dot_score(decoder_states, encoder_states)
        # keep the variance at 1, otherwise the softmax saturates
        return attn_energies / self.hidden_size ** 0.5

    def forward(self, decoder_states, encoder_states):
        attn_weights = F.softmax(self.score(decoder_states, encoder_states), dim=2)
        context = attn_weights.bmm(encoder_states)
        return context, attn_weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super(AttentionalHidden, self).__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        # Concatenate weighted context vector and GRU output using Luong eq. 5
        concat_input = torch.cat((context, decoder_states), -1)
        concat_output = torch.tanh(self.W_c(concat_input))
        return concat_output


def local_weights(scores, center, half_width):
    batch_size, max_len = scores.size()
    positions = torch.arange(max_len, device=scores.device).to(scores.dtype)
    positions = positions.unsqueeze(0).expand(batch_size, max_len)
    diff = positions - center.view(-1, 1)
    mask = (diff.abs() <= half_width)
    empty = ~mask.any(dim=1, keepdim=True)

    # an empty window would give softmax(-inf, -inf, ...) = nan, so those rows keep their scores for now
    masked_scores = scores.masked_fill(~(mask | empty), float('-inf'))
    attn = F.softmax(masked_scores, dim=1).masked_fill(~mask, 0)
    stddev = half_width / 2
    gauss = torch.exp(-torch.pow(diff, 2) / (2 * stddev ** 2))
    return attn * gauss


if __name__ == '__main__':
    attn = LuongAttention(8, 8)
    c, w = attn(torch.randn(2, 3, 8), torch.randn(2, 5, 8))
    print(c.size(), w.size())
    print(AttentionalHidden(8, 8)(c, torch.randn(2, 3, 8)).size())
