# seq2seq, bo
# no packing!! i run the encoder sentence by sentence, slow but i trust it
import math
import torch
from torch import nn
import torch.nn.functional as F

# import pdb


def attend(e, mask, H):
    e = e.masked_fill(mask == 0, torch.finfo(e.dtype).min)
    a = F.softmax(e, dim=1) * mask
    c = (a.unsqueeze(2) * H).sum(1)
    return c, a


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        B, T = src.shape
        all_states = []
        firsts = []
        for b in range(B):
            n = int(lengths[b])
            out, h = self.rnn(self.embedding(src[b:b + 1, :n]))
            # h[0] forward, h[1] backward
            firsts.append(torch.cat([h[0], h[1]], dim=1))
            # print(out.shape)
            all_states.append(F.pad(out, (0, 0, 0, T - n)))
        s0 = torch.tanh(self.bridge(torch.cat(firsts, 0)))
        return torch.cat(all_states, 0), s0


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask):
        e = []
        for j in range(encoder_states.size(1)):
            e.append(self.v(torch.tanh(self.W_s(state) + self.W_h(encoder_states[:, j]))))
        e = torch.cat(e, dim=1)
        c, a = attend(e, mask, encoder_states)
        x = torch.cat([self.embedding(token), c], dim=1)
        y, _ = self.rnn(x.unsqueeze(1), state.unsqueeze(0).contiguous())
        y = y.squeeze(1)
        return self.out(torch.cat([y, c], dim=1)), y, a


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat([self.embedding(token), fed], dim=1)
        y, _ = self.rnn(x.unsqueeze(1), state.unsqueeze(0).contiguous())
        y = y.squeeze(1)
        e = (self.W_a(encoder_states) * y.unsqueeze(1)).sum(2)
        c, a = attend(e, mask, encoder_states)
        att = torch.tanh(self.W_c(torch.cat([c, y], dim=1)))
        return self.out(att), y, att, a


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        self.luong = isinstance(decoder, LuongDecoder)

    def one(self, tok, s, fed, H, mask):
        if self.luong:
            return self.decoder.step(tok, s, fed, H, mask)
        lo, s, a = self.decoder.step(tok, s, H, mask)
        return lo, s, fed, a

    def mask(self, src, src_lengths):
        m = torch.zeros(src.shape, dtype=torch.bool, device=src.device)
        for b, n in enumerate(src_lengths.tolist()):
            m[b, :n] = True
        return m

    def forward(self, src, src_lengths, tgt_in):
        H, s = self.encoder(src, src_lengths)
        fed = torch.zeros_like(s)
        m = self.mask(src, src_lengths)
        L, A = [], []
        for t in range(tgt_in.size(1)):
            lo, s, fed, a = self.one(tgt_in[:, t], s, fed, H, m)
            L.append(lo)
            A.append(a)
        return torch.stack(L, 1), torch.stack(A, 1)

    def greedy_decode(self, src, src_lengths, max_len):
        with torch.no_grad():
            H, s = self.encoder(src, src_lengths)
            fed = torch.zeros_like(s)
            m = self.mask(src, src_lengths)
            B = src.size(0)
            tok = torch.tensor([self.bos_id] * B, device=src.device)
            finished = [False] * B
            columns = []
            while len(columns) < max_len and not all(finished):
                lo, s, fed, _ = self.one(tok, s, fed, H, m)
                tok = lo.argmax(1)
                for b in range(B):
                    if finished[b]:
                        tok[b] = self.pad_id
                    elif tok[b].item() == self.eos_id:
                        finished[b] = True
                columns.append(tok.clone())
            return torch.stack(columns, 1)

    def beam_search(self, src, src_lengths, beam_size, max_len):
        answers = []
        with torch.no_grad():
            for b in range(src.size(0)):
                H, s = self.encoder(src[b:b + 1], src_lengths[b:b + 1])
                m = self.mask(src[b:b + 1], src_lengths[b:b + 1])
                alive = [([self.bos_id], 0.0, s, torch.zeros_like(s))]
                finished = []
                for _ in range(max_len):
                    new = []
                    for words, lp, s, fed in alive:
                        tok = torch.tensor([words[-1]], device=src.device)
                        lo, s2, fed2, _ = self.one(tok, s, fed, H, m)
                        logp = F.log_softmax(lo.double(), dim=1)[0].tolist()
                        for w in range(len(logp)):
                            new.append((words + [w], lp + logp[w], s2, fed2))
                    # finished ones stay in the beam and compete
                    new = new + [f + (None, None) for f in finished]
                    new.sort(key=lambda h: -h[1])
                    new = new[:beam_size]
                    finished = [h[:2] for h in new if h[0][-1] == self.eos_id and len(h[0]) > 1]
                    alive = [h for h in new if h[2] is not None and h[0][-1] != self.eos_id]
                    if not alive:
                        break
                best = max(finished + [h[:2] for h in alive], key=lambda h: h[1])
                answers.append(best[0][1:])
        longest = max(len(a) for a in answers)
        out = torch.full((len(answers), longest), self.pad_id, device=src.device)
        for b, a in enumerate(answers):
            out[b, :len(a)] = torch.tensor(a, device=src.device)
        return out


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        _, s0 = self.encoder(src, src_lengths)
        s = s0
        logits = []
        for t in range(tgt_in.size(1)):
            x = torch.cat([self.embedding(tgt_in[:, t]), s0], dim=1)
            _, s = self.rnn(x.unsqueeze(1), s.unsqueeze(0).contiguous())
            s = s.squeeze(0)
            logits.append(self.out(torch.cat([s, s0], dim=1)))
        return torch.stack(logits, 1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.train()
    optimizer.zero_grad()
    out = model(src, src_lengths, tgt_in)
    if isinstance(out, tuple):
        out = out[0]
    total = 0
    n = 0
    for b in range(src.size(0)):
        k = int(tgt_lengths[b])
        total = total + F.cross_entropy(out[b, :k], tgt_out[b, :k], reduction="sum")
        n = n + k
    loss = total / n
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    # print("loss", loss.item())
    return loss.item()


def ngrams(words, n):
    d = {}
    for i in range(len(words) - n + 1):
        g = tuple(words[i:i + n])
        d[g] = d.get(g, 0) + 1
    return d


def corpus_bleu(candidates, references):
    score = 1.0
    for n in (1, 2, 3, 4):
        hit, tot = 0, 0
        for cand, ref in zip(candidates, references):
            have = ngrams(ref, n)
            for g, k in ngrams(cand, n).items():
                hit += min(k, have.get(g, 0))
                tot += k
        if tot == 0 or hit == 0:
            return 0.0
        score *= (hit / tot) ** 0.25
    c = sum(len(x) for x in candidates)
    r = sum(len(x) for x in references)
    if c < r:
        score *= math.exp(1 - r / c)
    return 100 * score
