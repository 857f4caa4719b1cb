import math
from collections import Counter as C
import torch
from torch import nn, einsum
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence as pack, pad_packed_sequence as unpack

# B batch, S source, T target, H hidden, E enc_dim, V vocab, K beam


def attend(e, m, h):
    # where a row has no True at all, let it see everything and erase it afterwards
    a = e.masked_fill(~m & m.any(-1, keepdim=True), -math.inf).softmax(-1) * m
    return einsum('bs,bse->be', a, h), a


def real(x, n):
    return torch.arange(x.shape[1], device=x.device) < n.to(x.device)[:, None]


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(hidden_dim * 2, hidden_dim)

    def forward(self, src, lengths):
        p = pack(self.embedding(src), lengths.cpu(), True, False)
        o, h = self.rnn(p)
        return unpack(o, True, 0.0, src.shape[1])[0], self.bridge(torch.cat([*h], -1)).tanh()


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def start(self, s):
        return s,

    def step(self, token, state, encoder_states, mask):
        e = self.v((self.W_s(state)[:, None] + self.W_h(encoder_states)).tanh()).squeeze(2)
        c, a = attend(e, mask, encoder_states)
        s = self.rnn(torch.cat([self.embedding(token), c], -1)[:, None], state[None].contiguous())[1][0]
        return self.out(torch.cat([s, c], -1)), s, a


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def start(self, s):
        return s, torch.zeros_like(s)

    def step(self, token, state, fed, encoder_states, mask):
        s = self.rnn(torch.cat([self.embedding(token), fed], -1)[:, None], state[None].contiguous())[1][0]
        e = einsum('bh,he,bse->bs', s, self.W_a.weight, encoder_states)
        c, a = attend(e, mask, encoder_states)
        t = self.W_c(torch.cat([c, s], -1)).tanh()
        return self.out(t), s, t, a


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad, self.bos, self.eos = pad_id, bos_id, eos_id

    def forward(self, src, src_lengths, tgt_in):
        h, s = self.encoder(src, src_lengths)
        m, z = real(src, src_lengths), self.decoder.start(s)
        L, A = [], []
        for y in tgt_in.T:
            l, *z, a = self.decoder.step(y, *z, h, m)
            L += [l]
            A += [a]
        return torch.stack(L, 1), torch.stack(A, 1)

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        h, s = self.encoder(src, src_lengths)
        m, z = real(src, src_lengths), self.decoder.start(s)
        y = src.new_full((len(src),), self.bos)
        Y, dead = [], y != y
        while len(Y) < max_len and not dead.all():
            l, *z, _ = self.decoder.step(y, *z, h, m)
            y = l.argmax(-1).masked_fill(dead, self.pad)
            Y += [y]
            dead = dead | (y == self.eos)
        return torch.stack(Y, 1)

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        h, s = self.encoder(src, src_lengths)
        m, z = real(src, src_lengths), self.decoder.start(s)
        B, K = len(src), 1                      # the beam starts with one member and grows up to beam_size
        b = torch.arange(B, device=src.device)[:, None]
        y = src.new_full((B, 1), self.bos)
        Y, dead, P = src.new_empty(B, 1, 0), y != y, h.new_zeros(B, 1)
        z = [x[:, None] for x in z]             # (B, K, H)
        for _ in range(max_len):
            l, *z, _ = self.decoder.step(y.reshape(-1), *(x.flatten(0, 1) for x in z),
                                         h.repeat_interleave(K, 0), m.repeat_interleave(K, 0))
            z = [x.unflatten(0, (B, K)) for x in z]
            l = l.log_softmax(-1).unflatten(0, (B, K))
            V = l.shape[-1]
            stay = torch.full_like(l[0, 0], -math.inf)
            stay[self.pad] = 0
            P, i = (P[..., None] + torch.where(dead[..., None], stay, l)).flatten(1).topk(min(beam_size, K * V))
            j, y = i // V, i % V
            K = y.shape[1]
            z = [x[b, j] for x in z]
            Y = torch.cat([Y[b, j], y[..., None]], -1)
            dead = dead[b, j] | (y == self.eos)
            if dead.all():
                break
        return Y[b[:, 0], P.argmax(1)]


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad, self.bos, self.eos = pad_id, bos_id, eos_id

    def forward(self, src, src_lengths, tgt_in):
        s = self.encoder(src, src_lengths)[1]
        r = s[:, None].expand(-1, tgt_in.shape[1], -1)
        o = self.rnn(torch.cat([self.embedding(tgt_in), r], -1), s[None])[0]
        return self.out(torch.cat([o, r], -1))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.zero_grad(set_to_none=True)
    l = model(src, src_lengths, tgt_in)
    l = l[0] if type(l) is tuple else l
    m = real(tgt_out, tgt_lengths)
    lp = l.log_softmax(-1).gather(-1, tgt_out[..., None])[..., 0]
    loss = -lp[m].mean()
    loss.backward()
    g = [p.grad for p in model.parameters() if p.grad is not None]
    n = sum((x.double() ** 2).sum() for x in g).sqrt().item()
    if n > clip:
        for x in g:
            x.mul_(clip / n)
    optimizer.step()
    return loss.item()


def corpus_bleu(candidates, references):
    G = lambda s, n: C(tuple(s[i:i + n]) for i in range(len(s) - n + 1))
    c, r, q = sum(map(len, candidates)), sum(map(len, references)), 0.0
    for n in 1, 2, 3, 4:
        hit = sum(sum((G(x, n) & G(y, n)).values()) for x, y in zip(candidates, references))
        tot = sum(max(0, len(x) - n + 1) for x in candidates)
        if not hit:
            return 0.0
        q += math.log(hit / tot) / 4
    return 100 * math.exp(min(0, 1 - r / c) + q)
