# A large negative number added under the mask, padding moved to the front for the way back, greedy by `forward`, ended beams put aside in lists.
# from added_fill: weigh, look, Step, Look, BahdanauDecoder, LuongDecoder, Seq2Seq.__init__
# from added_fill: Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward, FixedContextSeq2Seq, corpus_bleu
# from aligned_and_rows: Encoder


def is_real(lengths, width):
    ones = lengths.new_ones(lengths.shape[0], width)
    return ones.cumsum(1) <= lengths.unsqueeze(1)


class Seq2Seq(nn.Module):
    def greedy_decode(self, src, src_lengths, max_len):
        """Runs all of forward again for each word."""
        words = torch.full((len(src), 1), self.bos_id, device=src.device)
        done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
        for _ in range(max_len):
            with torch.no_grad():
                best = self(src, src_lengths, words)[0][:, -1].argmax(-1)
            best = torch.where(done, torch.tensor(self.pad_id), best)
            words = torch.cat([words, best[:, None]], 1)
            done = done | best.eq(self.eos_id)
            if done.all():
                break
        return words[:, 1:]

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """One sentence after another; finished ones are put aside."""
        rows = []
        for b in range(len(src)):
            states, mask, carry = self._begin(src[b : b + 1], src_lengths[b : b + 1])
            live, done = [(0.0, [], carry)], []
            for _ in range(max_len):
                pool = []
                for total, said, carry in live:
                    z, new, _ = self._step(torch.tensor([said[-1] if said else self.bos_id], device=src.device), carry, states, mask)
                    for word, gain in enumerate(F.log_softmax(z[0], -1).tolist()):
                        pool.append((total + gain, said + [word], new))
                pool.sort(key=lambda h: -h[0])
                done += [h for h in pool[:beam_size] if h[1][-1] == self.eos_id]
                live = [h for h in pool[:beam_size] if h[1][-1] != self.eos_id]
                if not live or done and max(h[0] for h in done) >= live[0][0]:
                    break
            rows.append(torch.tensor(max(done + live, key=lambda h: h[0])[1], device=src.device))
        return pad_sequence(rows, batch_first=True, padding_value=self.pad_id)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    optimizer.zero_grad(set_to_none=False)
    result = model(src, src_lengths, tgt_in)
    logits = result[0] if isinstance(result, (tuple, list)) else result
    keep = is_real(tgt_lengths.to(tgt_out.device), tgt_out.size(1))
    loss = nn.CrossEntropyLoss()(logits[keep], tgt_out[keep])
    loss.backward()
    total = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]))
    factor = torch.clamp(clip / (total + 1e-6), max=1.0)
    for p in model.parameters():
        if p.grad is not None:
            p.grad.mul_(factor)
    optimizer.step()
    return loss.detach().cpu().item()
