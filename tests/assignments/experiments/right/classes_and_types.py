# A trainer class, type hints, dataclasses, a schedule of the learning rate.
# from loops_and_lists: bleu_by_length

from dataclasses import dataclass, field


@dataclass
class Trainer:
    model: nn.Module
    clip: float = 1.0
    losses: list[float] = field(default_factory=list)

    def batch(self, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths):
        for parameter in self.model.parameters():
            parameter.grad = None
        logits = self.model(src, src_lengths, tgt_in)
        steps = torch.arange(tgt_out.size(1), device=tgt_out.device)
        targets = tgt_out.masked_fill(steps[None, :] >= tgt_lengths[:, None], -100)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=self.clip)
        optimizer.step()
        self.losses.append(loss.item())


def train_epoch(
    model: nn.Module, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size: int, clip: float = 1.0
) -> list[float]:
    trainer = Trainer(model, clip)
    for i in torch.split(order, batch_size):
        trainer.batch(optimizer, src[i], src_lengths[i], tgt_in[i], tgt_out[i], tgt_lengths[i])
    return trainer.losses


def _learn(model: nn.Module, lengths: list[int], vocab_size: int, draws: random.Random) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    rounds = [lengths[: i + 1] for i in range(len(lengths)) for _ in range(7)] + [lengths] * 3
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.3, len(rounds))
    for known in rounds:
        for length in draws.sample(known, len(known))[:3] * (2 if len(known) < 3 else 1):
            src, tgt_in, tgt_out = copy_task(length, 64, vocab_size, draws.getrandbits(30))
            n = torch.full((64,), length)
            train_epoch(model, optimizer, src, n, tgt_in, tgt_out, n + 1, torch.randperm(64), 32)
        schedule.step()


def copy_curves(seed: int, lengths, train_lengths, vocab_size: int = 13) -> torch.Tensor:
    rows: list[list[float]] = []
    for kind in (FixedContext, WithAttention):
        torch.manual_seed(seed)
        draws = random.Random(f"rows of {seed}")
        model = kind(vocab_size, vocab_size)
        _learn(model, sorted(train_lengths), vocab_size, draws)
        row = []
        for length in lengths:
            src, *_ = copy_task(length, 56, vocab_size, draws.getrandbits(30))
            row.append(copy_accuracy(greedy(model, src, torch.full((56,), length), length), src))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32)
