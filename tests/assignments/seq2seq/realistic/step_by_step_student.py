# HOMEWORK 5
# I tried to keep everything as simple as possible and to write down all shapes.

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence
from torch.nn.utils.rnn import pad_packed_sequence

DEBUG = False


def make_mask(tokens, lengths):
    # tokens (B, T), lengths (B,)  ->  (B, T) True for real words
    B, T = tokens.shape
    mask = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    for b in range(B):
        mask[b, : int(lengths[b])] = True
    return mask


def attention(scores, mask, encoder_states):
    # scores (B, T_s), mask (B, T_s), encoder_states (B, T_s, enc_dim)
    scores = scores.masked_fill(mask == False, -1e9)  # noqa
    weights = torch.softmax(scores, dim=1)
    weights = weights.masked_fill(mask == False, 0)  # noqa
    # weighted sum over the source positions
    context = (weights.unsqueeze(2) * encoder_states).sum(dim=1)
    if DEBUG:
        print("scores", scores.shape, "context", context.shape)
    return context, weights


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        # step 1: words -> vectors
        embedded = self.embedding(src)  # (B, T_s, emb_dim)
        # step 2: pack, so that the GRU does not see the padding
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_out, _ = self.rnn(packed)
        states, _ = pad_packed_sequence(packed_out, batch_first=True, total_length=src.shape[1])
        # step 3: the state at the last real word of each sentence (NOT the last column, that is padding)
        last_states = []
        for b in range(src.shape[0]):
            last = int(lengths[b]) - 1
            last_states.append(states[b, last])  # (2 * hidden_dim,), forward and backward together
        last_states = torch.stack(last_states)  # (B, 2 * hidden_dim)
        # step 4: make it small enough for the decoder
        first = torch.tanh(self.bridge(last_states))
        return states, first


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
        # step 1: attention with the OLD state
        s = self.W_s(state).unsqueeze(1)  # (B, 1, attn_dim)
        h = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        scores = self.v(torch.tanh(s + h)).squeeze(2)  # (B, T_s)
        context, weights = attention(scores, mask, encoder_states)
        # step 2: GRU
        e = self.embedding(token)  # (B, emb_dim)
        gru_input = torch.cat([e, context], dim=1).unsqueeze(1)  # (B, 1, emb_dim + enc_dim)
        _, new_state = self.rnn(gru_input, state.unsqueeze(0).contiguous())
        new_state = new_state.squeeze(0)
        # step 3: predict
        logits = self.out(torch.cat([new_state, context], dim=1))
        return logits, new_state, weights


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        # step 1: GRU first (this is different from Bahdanau)
        e = self.embedding(token)
        gru_input = torch.cat([e, fed], dim=1).unsqueeze(1)
        _, new_state = self.rnn(gru_input, state.unsqueeze(0).contiguous())
        new_state = new_state.squeeze(0)
        # step 2: attention with the NEW state
        keys = self.W_a(encoder_states)  # (B, T_s, hidden_dim)
        scores = (keys * new_state.unsqueeze(1)).sum(dim=2)
        context, weights = attention(scores, mask, encoder_states)
        # step 3: combine and predict
        attentional = torch.tanh(self.W_c(torch.cat([context, new_state], dim=1)))
        logits = self.out(attentional)
        return logits, new_state, attentional, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id
        # Luong has a W_c, Bahdanau has not
        self.is_luong = hasattr(decoder, "W_c")

    def one_step(self, token, state, fed, encoder_states, mask):
        # the same for both decoders, fed is just passed through for Bahdanau
        if self.is_luong:
            logits, state, fed, weights = self.decoder.step(token, state, fed, encoder_states, mask)
        else:
            logits, state, weights = self.decoder.step(token, state, encoder_states, mask)
        return logits, state, fed, weights

    def forward(self, src, src_lengths, tgt_in):
        encoder_states, state = self.encoder(src, src_lengths)
        mask = make_mask(src, src_lengths)
        fed = torch.zeros_like(state)
        logits_list = []
        weights_list = []
        for t in range(tgt_in.shape[1]):
            logits, state, fed, weights = self.one_step(tgt_in[:, t], state, fed, encoder_states, mask)
            logits_list.append(logits)
            weights_list.append(weights)
        return torch.stack(logits_list, dim=1), torch.stack(weights_list, dim=1)

    def greedy_decode(self, src, src_lengths, max_len):
        with torch.no_grad():
            encoder_states, state = self.encoder(src, src_lengths)
            mask = make_mask(src, src_lengths)
            fed = torch.zeros_like(state)
            B = src.shape[0]
            token = torch.full((B,), self.bos_id, dtype=torch.long, device=src.device)
            finished = [False] * B
            result = [[] for _ in range(B)]
            for t in range(max_len):
                logits, state, fed, weights = self.one_step(token, state, fed, encoder_states, mask)
                token = torch.argmax(logits, dim=1)
                for b in range(B):
                    if finished[b]:
                        result[b].append(self.pad_id)
                    else:
                        word = int(token[b])
                        result[b].append(word)
                        if word == self.eos_id:
                            finished[b] = True
                if all(finished):
                    break
            return torch.tensor(result, dtype=torch.long, device=src.device)

    def beam_search(self, src, src_lengths, beam_size, max_len):
        with torch.no_grad():
            encoder_states, first = self.encoder(src, src_lengths)
            mask = make_mask(src, src_lengths)
            results = []
            for b in range(src.shape[0]):
                enc_b = encoder_states[b : b + 1]
                mask_b = mask[b : b + 1]
                # a hypothesis is (words, total log probability, state, fed)
                beam = [([], 0.0, first[b : b + 1], torch.zeros_like(first[b : b + 1]))]
                for t in range(max_len):
                    candidates = []
                    for words, total, state, fed in beam:
                        if len(words) > 0 and words[-1] == self.eos_id:
                            # already finished, keep it as it is
                            candidates.append((words, total, state, fed))
                            continue
                        last = words[-1] if len(words) > 0 else self.bos_id
                        token = torch.tensor([last], device=src.device)
                        logits, new_state, new_fed, _ = self.one_step(token, state, fed, enc_b, mask_b)
                        log_probs = torch.log_softmax(logits[0], dim=0).tolist()
                        for word in range(len(log_probs)):
                            candidates.append((words + [word], total + log_probs[word], new_state, new_fed))
                    candidates.sort(key=lambda c: c[1], reverse=True)
                    beam = candidates[:beam_size]
                    if all(c[0][-1] == self.eos_id for c in beam):
                        break
                results.append(beam[0][0])
            longest = max(len(words) for words in results)
            for words in results:
                while len(words) < longest:
                    words.append(self.pad_id)
            return torch.tensor(results, dtype=torch.long, device=src.device)


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def forward(self, src, src_lengths, tgt_in):
        _, first = self.encoder(src, src_lengths)
        state = first
        logits_list = []
        for t in range(tgt_in.shape[1]):
            e = self.embedding(tgt_in[:, t])
            gru_input = torch.cat([e, first], dim=1).unsqueeze(1)
            _, state = self.rnn(gru_input, state.unsqueeze(0))
            state = state.squeeze(0)
            logits_list.append(self.out(torch.cat([state, first], dim=1)))
        return torch.stack(logits_list, dim=1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    # 1 zero
    optimizer.zero_grad()
    model.zero_grad()
    # 2 forward
    result = model(src, src_lengths, tgt_in)
    if isinstance(result, tuple):
        logits = result[0]
    else:
        logits = result
    # 3 loss, only over the real words
    mask = make_mask(tgt_out, tgt_lengths)
    loss = F.cross_entropy(logits[mask], tgt_out[mask])
    # 4 backward
    loss.backward()
    # 5 clip
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    # 6 step
    optimizer.step()
    return loss.item()


def count_ngrams(tokens, n):
    counts = {}
    for i in range(len(tokens) - n + 1):
        gram = tuple(tokens[i : i + n])
        if gram in counts:
            counts[gram] += 1
        else:
            counts[gram] = 1
    return counts


def corpus_bleu(candidates, references):
    c = 0
    r = 0
    matches = [0, 0, 0, 0]
    totals = [0, 0, 0, 0]
    for k in range(len(candidates)):
        candidate = candidates[k]
        reference = references[k]
        c = c + len(candidate)
        r = r + len(reference)
        for n in [1, 2, 3, 4]:
            cand_counts = count_ngrams(candidate, n)
            ref_counts = count_ngrams(reference, n)
            for gram in cand_counts:
                totals[n - 1] += cand_counts[gram]
                if gram in ref_counts:
                    matches[n - 1] += min(cand_counts[gram], ref_counts[gram])
    for n in range(4):
        if totals[n] == 0 or matches[n] == 0:
            return 0.0
    log_sum = 0.0
    for n in range(4):
        log_sum += math.log(matches[n] / totals[n])
    if c < r:
        penalty = math.exp(1 - r / c)
    else:
        penalty = 1.0
    return 100 * penalty * math.exp(log_sum / 4)


if __name__ == "__main__":
    torch.manual_seed(0)
    enc = Encoder(11, 4, 5)
    dec = LuongDecoder(11, 4, 5, enc_dim=10)
    model = Seq2Seq(enc, dec, 0, 1, 2)
    src = torch.tensor([[3, 4, 5, 6], [7, 8, 9, 10]])
    lengths = torch.tensor([4, 2])
    logits, weights = model(src, lengths, torch.tensor([[1, 3, 4], [1, 7, 8]]))
    print(logits.shape, weights.shape)
    print(weights[1])
    print(model.greedy_decode(src, lengths, 6))
    print(model.beam_search(src, lengths, 3, 6))
    print(corpus_bleu(["a cat sat on the mat".split()], ["the cat sat on the mat today".split()]))
