#!/usr/bin/env python3
# seq2seq with attention. usage: python seq2seq.py --epochs 5 --cell bahdanau

import argparse
import logging
import math
import operator
from collections import Counter
from queue import PriorityQueue

import torch
import torch.nn as nn
import torch.nn.functional as F

logger = logging.getLogger("seq2seq")


def sequence_mask(lengths, maxlen, device=None):
    row = torch.arange(maxlen, device=device)
    return row[None, :] < lengths.to(device)[:, None]


class Attention(nn.Module):
    """Turns scores into (context, weights). No parameters."""

    def forward(self, scores, mask, memory):
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        alignment = F.softmax(scores, dim=-1)
        alignment = alignment.masked_fill(~mask, 0.0)
        context = torch.bmm(alignment[:, None, :], memory)[:, 0, :]
        return context, alignment


_attention = Attention()


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.vocab_size = vocab_size
        self.emb_dim = emb_dim
        self.hidden_dim = hidden_dim
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(
            input_size=emb_dim, hidden_size=hidden_dim, num_layers=1, batch_first=True, bidirectional=True
        )
        self.bridge = nn.Linear(hidden_dim * 2, hidden_dim)

    def forward(self, src, lengths):
        emb = self.embedding(src)
        packed = nn.utils.rnn.pack_padded_sequence(emb, lengths.cpu(), batch_first=True, enforce_sorted=False)
        memory, h_n = self.rnn(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(memory, batch_first=True, total_length=src.shape[1])
        h_fwd, h_bwd = h_n[-2], h_n[-1]
        return memory, torch.tanh(self.bridge(torch.cat([h_fwd, h_bwd], dim=-1)))


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
        energy = torch.tanh(self.W_s(state)[:, None] + self.W_h(encoder_states))
        context, alignment = _attention(self.v(energy).squeeze(-1), mask, encoder_states)
        x = torch.cat([self.embedding(token), context], dim=-1)
        output, _ = self.rnn(x[:, None], state[None].contiguous())
        state = output[:, 0]
        return self.out(torch.cat([state, context], dim=-1)), state, alignment


class LuongDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat([self.embedding(token), fed], dim=-1)
        output, _ = self.rnn(x[:, None], state[None].contiguous())
        state = output[:, 0]
        scores = torch.bmm(self.W_a(encoder_states), state[:, :, None])[:, :, 0]
        context, alignment = _attention(scores, mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat([state, context], dim=-1)))
        return self.out(attentional), state, attentional, alignment


class BeamSearchNode(object):
    def __init__(self, carry, previous, word, log_prob, length):
        self.carry = carry
        self.previous = previous
        self.word = word
        self.log_prob = log_prob
        self.length = length

    def words(self):
        node, result = self, []
        while node.previous is not None:
            result.append(node.word)
            node = node.previous
        return result[::-1]

    def __lt__(self, other):
        return self.log_prob > other.log_prob


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def init_carry(self, first):
        if isinstance(self.decoder, BahdanauDecoder):
            return (first,)
        return (first, torch.zeros_like(first))

    def decode_step(self, token, carry, memory, mask):
        logits, *carry, alignment = self.decoder.step(token, *carry, memory, mask)
        return logits, tuple(carry), alignment

    def forward(self, src, src_lengths, tgt_in):
        memory, first = self.encoder(src, src_lengths)
        mask = sequence_mask(src_lengths, src.shape[1], src.device)
        carry = self.init_carry(first)
        outputs, alignments = [], []
        for token in tgt_in.split(1, dim=1):
            logits, carry, alignment = self.decode_step(token.squeeze(1), carry, memory, mask)
            outputs.append(logits)
            alignments.append(alignment)
        return torch.stack(outputs, dim=1), torch.stack(alignments, dim=1)

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        memory, first = self.encoder(src, src_lengths)
        mask = sequence_mask(src_lengths, src.shape[1], src.device)
        carry = self.init_carry(first)
        token = torch.full((src.shape[0],), self.bos_id, dtype=torch.long, device=src.device)
        done = torch.zeros(src.shape[0], dtype=torch.bool, device=src.device)
        out = torch.full((src.shape[0], max_len), self.pad_id, dtype=torch.long, device=src.device)
        for i in range(max_len):
            logits, carry, _ = self.decode_step(token, carry, memory, mask)
            token = logits.argmax(dim=-1)
            out[~done, i] = token[~done]
            done |= token == self.eos_id
            if done.all():
                return out[:, : i + 1]
        return out

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        memory, first = self.encoder(src, src_lengths)
        mask = sequence_mask(src_lengths, src.shape[1], src.device)
        translations = []
        for b in range(src.shape[0]):
            carry = self.init_carry(first[b : b + 1])
            nodes = [BeamSearchNode(carry, None, self.bos_id, 0.0, 0)]
            endnodes = []
            for _ in range(max_len):
                queue = PriorityQueue()
                for node in nodes:
                    token = torch.tensor([node.word], device=src.device)
                    logits, carry, _ = self.decode_step(token, node.carry, memory[b : b + 1], mask[b : b + 1])
                    log_prob, index = F.log_softmax(logits, dim=-1).topk(min(beam_size, logits.shape[-1]))
                    for lp, word in zip(log_prob[0].tolist(), index[0].tolist()):
                        queue.put(BeamSearchNode(carry, node, word, node.log_prob + lp, node.length + 1))
                nodes = []
                for _ in range(min(beam_size, queue.qsize())):
                    node = queue.get()
                    if node.word == self.eos_id:
                        endnodes.append(node)
                    else:
                        nodes.append(node)
                if not nodes:
                    break
                # nothing that is still open can beat the best finished one
                if endnodes and min(endnodes).log_prob >= nodes[0].log_prob:
                    break
            # nothing finished: take the best open one
            if len(endnodes) == 0:
                endnodes = nodes
            best = sorted(endnodes, key=operator.attrgetter("log_prob"))[-1]
            translations.append(best.words())
        width = max(len(t) for t in translations)
        translations = [t + [self.pad_id] * (width - len(t)) for t in translations]
        return torch.tensor(translations, dtype=torch.long, device=src.device)


class FixedContextSeq2Seq(nn.Module):
    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim * 2, vocab_size)
        self.pad_id = pad_id
        self.bos_id = bos_id
        self.eos_id = eos_id

    def forward(self, src, src_lengths, tgt_in):
        _, thought = self.encoder(src, src_lengths)
        thoughts = thought[:, None].repeat(1, tgt_in.shape[1], 1)
        output, _ = self.rnn(torch.cat([self.embedding(tgt_in), thoughts], dim=-1), thought[None])
        return self.out(torch.cat([output, thoughts], dim=-1))


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    optimizer.zero_grad()
    model.zero_grad()
    output = model(src, src_lengths, tgt_in)
    logits = output[0] if isinstance(output, (tuple, list)) else output
    nll = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), tgt_out.reshape(-1), reduction="none"
    ).reshape(tgt_out.shape)
    mask = sequence_mask(tgt_lengths, tgt_out.shape[1], tgt_out.device)
    loss = nll[mask].mean()
    loss.backward()
    grad_norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
    logger.debug("grad norm %.3f", grad_norm)
    optimizer.step()
    return loss.item()


def corpus_bleu(candidates, references):
    numerator, denominator = Counter(), Counter()
    hyp_len = ref_len = 0
    for hyp, ref in zip(candidates, references):
        hyp_len += len(hyp)
        ref_len += len(ref)
        for n in range(1, 5):
            hyp_ngrams = Counter(tuple(hyp[i : i + n]) for i in range(len(hyp) + 1 - n))
            ref_ngrams = Counter(tuple(ref[i : i + n]) for i in range(len(ref) + 1 - n))
            numerator[n] += sum((hyp_ngrams & ref_ngrams).values())
            denominator[n] += sum(hyp_ngrams.values())
    if any(numerator[n] == 0 for n in (1, 2, 3, 4)):
        return 0.0
    log_precision = sum(math.log(numerator[n]) - math.log(denominator[n]) for n in (1, 2, 3, 4)) / 4
    log_bp = min(0.0, 1 - ref_len / hyp_len)
    return 100 * math.exp(log_bp + log_precision)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--cell", choices=["bahdanau", "luong"], default="bahdanau")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)

    h = args.hidden
    decoder = BahdanauDecoder(20, 32, h, 2 * h, h) if args.cell == "bahdanau" else LuongDecoder(20, 32, h, 2 * h)
    model = Seq2Seq(Encoder(20, 32, h), decoder, 0, 1, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for _ in range(50):
            lengths = torch.randint(2, 8, (32,))
            src = torch.randint(3, 20, (32, 7))
            bos = torch.ones(32, 1, dtype=torch.long)
            tgt_in = torch.cat([bos, src], 1)
            tgt_out = torch.cat([src, bos], 1)
            tgt_out[torch.arange(32), lengths] = 2
            loss = train_step(model, optimizer, src, lengths, tgt_in, tgt_out, lengths + 1)
        logger.info("epoch %d loss %.4f", epoch, loss)


if __name__ == "__main__":
    main()
