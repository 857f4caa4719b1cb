# Softmax by `exp`, padding moved to the front for the way back, greedy sentence by sentence, ended beams kept.
# from added_fill: is_real, Seq2Seq.__init__, Seq2Seq._begin, Seq2Seq._step, Seq2Seq.forward
# from added_fill: Seq2Seq.greedy_decode, FixedContextSeq2Seq.__init__


def weigh(scores, mask):
    """exp by hand, shifted by the largest score that counts."""
    top = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top))
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = shifted.exp() * mask
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)


def look(weights, values):
    return torch.einsum("bs,bsd->bd", weights, values)


class Encoder(nn.Module):
    def forward(self, src, lengths):
        # forward half: words to the left; backward half: words to the right, so that it starts with the last one
        B, T = src.shape
        H = self.rnn.hidden_size
        steps = torch.arange(T, device=src.device)
        shift = T - lengths.to(src.device)[:, None]
        right = src.gather(1, (steps - shift) % T)
        left_out, _ = self.rnn(self.embedding(src))
        right_out, _ = self.rnn(self.embedding(right))
        places = ((steps + shift) % T).unsqueeze(-1).expand(B, T, H)
        backward = right_out[..., H:].gather(1, places)
        states = torch.cat([left_out[..., :H], backward], -1)
        states = states * is_real(lengths.to(src.device), T).unsqueeze(-1)
        last = states[torch.arange(B, device=src.device), lengths - 1, :H]
        return states, torch.tanh(self.bridge(torch.cat([last, states[:, 0, H:]], -1)))


class BahdanauDecoder(nn.Module):
    def step(self, token, state, encoder_states, mask):
        e = self.v(torch.tanh(self.W_s(state)[:, None] + self.W_h(encoder_states)))[..., 0]
        alpha = weigh(e, mask)
        c = look(alpha, encoder_states)
        x = torch.cat((self.embedding(token), c), 1)[:, None]
        new, _ = self.rnn(x, state[None].contiguous())
        new = new[:, 0]
        return self.out(torch.cat((new, c), 1)), new, alpha


class LuongDecoder(nn.Module):
    def step(self, token, state, fed, encoder_states, mask):
        x = torch.cat((self.embedding(token), fed), 1)[:, None]
        _, new = self.rnn(x, state[None].contiguous())
        new = new.squeeze(0)
        alpha = weigh(torch.einsum("bd,bsd->bs", new, self.W_a(encoder_states)), mask)
        a = torch.tanh(self.W_c(torch.cat((look(alpha, encoder_states), new), 1)))
        return self.out(a), new, a, alpha


class Seq2Seq(nn.Module):
    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """All sentences at once; finished hypotheses stay and are followed by pad."""
        B, K = len(src), beam_size
        states, mask, carry = self._begin(src, src_lengths)
        states, mask, *carry = [torch.stack([x] * K, 1).flatten(0, 1) for x in (states, mask, *carry)]
        V = self.decoder.out.out_features
        seqs = torch.full((B, K, max_len + 1), self.pad_id, device=src.device)
        seqs[..., 0] = self.bos_id
        score = torch.full((B, K), -1e30, dtype=states.dtype, device=src.device)
        score[:, 0] = 0
        done = torch.zeros(B, K, dtype=torch.bool, device=src.device)
        for t in range(max_len):
            z, carry, _ = self._step(seqs[..., t].flatten(), carry, states, mask)
            lp = F.log_softmax(z, -1).reshape(B, K, V).clone()
            lp[done] = -1e30
            lp[..., self.pad_id] = torch.where(done, torch.zeros_like(score), lp[..., self.pad_id])
            order = (score[..., None] + lp).flatten(1).argsort(1, descending=True)[:, :K]
            score = (score[..., None] + lp).flatten(1).gather(1, order)
            parent = order // V
            seqs = seqs.gather(1, parent[..., None].expand(-1, -1, max_len + 1)).clone()
            seqs[..., t + 1] = order % V
            done = done.gather(1, parent) | (order % V == self.eos_id)
            flat = (parent + torch.arange(B, device=src.device)[:, None] * K).flatten()
            carry = [c.index_select(0, flat) for c in carry]
            if done.all():
                break
        best = score.argmax(1)
        return seqs[torch.arange(B, device=src.device), best, 1:]


class FixedContextSeq2Seq(nn.Module):
    def forward(self, src, src_lengths, tgt_in):
        _, c = self.encoder(src, src_lengths)
        h, logits = c[None], []
        for token in tgt_in.T:
            _, h = self.rnn(torch.cat([self.embedding(token), c], -1)[:, None], h)
            logits.append(self.out(torch.cat([h[0], c], -1)))
        return torch.stack(logits, 1)


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    model.zero_grad(set_to_none=True)
    result = model(src, src_lengths, tgt_in)
    logits = result[0] if hasattr(model, "decoder") else result
    loss, count = 0.0, 0
    for z, y, n in zip(logits, tgt_out, tgt_lengths.tolist()):
        loss = loss + F.nll_loss(z[:n].log_softmax(-1), y[:n], reduction="sum")
        count += n
    loss = loss / count
    loss.backward()
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    nn.utils.clip_grads_with_norm_(list(model.parameters()), clip, norm)
    optimizer.step()
    return loss.item()


def corpus_bleu(candidates, references):
    logs = []
    for n in range(1, 5):
        hit = all_ = 0
        for cand, ref in zip(candidates, references):
            left = defaultdict(int)
            for i in range(len(ref) - n + 1):
                left[tuple(ref[i : i + n])] += 1
            for i in range(len(cand) - n + 1):
                all_ += 1
                gram = tuple(cand[i : i + n])
                if left[gram] > 0:
                    left[gram] -= 1
                    hit += 1
        if hit == 0:
            return 0
        logs.append(math.log(hit) - math.log(all_))
    c, r = sum(len(x) for x in candidates), sum(len(x) for x in references)
    penalty = min(0, 1 - r / c)
    return 100 * math.exp(penalty + sum(logs) / 4)
