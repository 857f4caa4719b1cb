# Autograd functions with backward passes by hand.
import torch


def through_softmax(weights, grad):
    return weights * (grad - (weights * grad).sum(-1, keepdim=True))


class Monotonic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        border = torch.zeros_like(scores[:, 0, :1], dtype=torch.long)
        j = torch.arange(scores.shape[2], device=scores.device)
        rows = []
        for row in scores.unbind(1):
            rows.append(row.masked_fill(j < border, -torch.inf).softmax(-1))
            border = rows[-1].argmax(-1, keepdim=True)
        weights = torch.stack(rows, 1)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        return through_softmax(ctx.saved_tensors[0], grad)


def monotonic_attention(scores):
    return Monotonic.apply(scores)


class Covered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, penalty):
        seen = torch.zeros_like(scores)
        weights = torch.zeros_like(scores)
        for t in range(scores.shape[1]):
            if t:
                seen[:, t] = seen[:, t - 1] + weights[:, t - 1]
            weights[:, t] = (scores[:, t] - penalty * seen[:, t]).softmax(-1)
        ctx.save_for_backward(weights)
        ctx.penalty = penalty
        return weights, seen

    @staticmethod
    def backward(ctx, grad_weights, grad_seen):
        (weights,) = ctx.saved_tensors
        of_scores = torch.zeros_like(weights)
        later = torch.zeros_like(weights[:, 0])  # what all later rows ask of the weights of this one
        for t in reversed(range(weights.shape[1])):
            of_scores[:, t] = through_softmax(weights[:, t], grad_weights[:, t] + later)
            later = later + grad_seen[:, t] - ctx.penalty * of_scores[:, t]
        return of_scores, None


def coverage_attention(scores, penalty):
    return Covered.apply(scores, penalty)


class Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx, memory, weights, erase, add):
        ctx.save_for_backward(memory, weights, erase, add)
        w = weights.unsqueeze(-1)
        return memory - memory * w * erase.unsqueeze(1) + w * add.unsqueeze(1)

    @staticmethod
    def backward(ctx, grad):
        memory, weights, erase, add = ctx.saved_tensors
        w, e, a = weights.unsqueeze(-1), erase.unsqueeze(1), add.unsqueeze(1)
        of_weights = (grad * (a - memory * e)).sum(-1)
        return grad * (1 - w * e), of_weights, -(grad * memory * w).sum(1), (grad * w).sum(1)


def memory_write(memory, weights, erase, add):
    return Written.apply(memory, weights, erase, add)


class Overlap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights, seen, real):
        ctx.save_for_backward(weights, seen, real)
        return (torch.minimum(weights, seen) * real).sum() / real.sum()

    @staticmethod
    def backward(ctx, grad):
        weights, seen, real = ctx.saved_tensors
        share = grad * real / real.sum()
        tie = 0.5 * (weights == seen)
        return share * ((weights < seen) + tie), share * ((seen < weights) + tie), None


def coverage_loss(weights, seen, tgt_lengths):
    t = torch.arange(weights.shape[1], device=weights.device).view(1, -1, 1)
    return Overlap.apply(weights, seen, (t < tgt_lengths.to(t.device).view(-1, 1, 1)).to(weights.dtype))
