# Softmax row by row, one sentence at a time in the encoder, greedy sentence by sentence, spare candidates in the beam.
# from added_fill: is_real, Seq2Seq, FixedContextSeq2Seq.__init__
# from cells_and_groups: weigh, look
# from aligned_and_rows: BahdanauDecoder, LuongDecoder, FixedContextSeq2Seq.forward, train_step
# from aligned_and_rows: corpus_bleu


class Encoder(nn.Module):
    def forward(self, src, lengths):
        states, finals = [], []
        for words, n in zip(src, lengths.tolist()):
            out, h = self.rnn(self.embedding(words[:n]).unsqueeze(0))
            states.append(F.pad(out[0], (0, 0, 0, src.shape[1] - n)))
            finals.append(h.reshape(-1))
        return torch.stack(states), self.bridge(torch.stack(finals)).tanh()
