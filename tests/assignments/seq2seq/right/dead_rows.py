# Rows without a key opened, packed sequences, greedy into a buffer, ended beams kept.
# from cells_in_encoder: weigh, look
# from added_fill: Step, Look, BahdanauDecoder, LuongDecoder, Seq2Seq.__init__, Seq2Seq._begin
# from added_fill: Seq2Seq._step, Seq2Seq.forward, FixedContextSeq2Seq.__init__, corpus_bleu
# from aligned_and_rows: Seq2Seq.beam_search, FixedContextSeq2Seq.forward
# from aligned_twice: train_step


def is_real(lengths, width):
    return torch.arange(width, device=lengths.device)[None] < lengths[:, None]


class Encoder(nn.Module):
    def forward(self, src, lengths, verbose=False):
        lengths = lengths.to("cpu", torch.int64)
        packed = pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        states, n = pad_packed_sequence(out, batch_first=True, padding_value=0.0)
        if states.size(1) < src.size(1):
            extra = states.new_zeros(states.size(0), src.size(1) - states.size(1), states.size(2))
            states = torch.cat((states, extra), dim=1)
        h = h.permute(1, 0, 2).flatten(1)
        return [states, torch.tanh(self.bridge(h))]


class Seq2Seq(nn.Module):
    def greedy_decode(self, src, src_lengths, max_len):
        was = self.training
        self.eval()
        with torch.inference_mode():
            states, mask, carry = self._begin(src, src_lengths)
            out = torch.full((src.size(0), max_len), self.pad_id, dtype=torch.long, device=src.device)
            going = torch.ones(src.size(0), dtype=torch.bool, device=src.device)
            token = torch.full((src.size(0),), self.bos_id, device=src.device)
            for t in range(max_len):
                z, carry, _ = self._step(token, carry, states, mask)
                token = F.log_softmax(z, -1).max(-1).indices
                out[going, t] = token[going]
                going &= token != self.eos_id
                if not going.any():
                    break
        self.train(was)
        return out[:, : t + 1].clone()
