# Computes in float64 and returns the dtype of the input.


def stable_softmax(scores, dim=-1):
    s = scores.double()
    exponentials = torch.exp(s - s.amax(dim=dim, keepdim=True))
    return (exponentials / exponentials.sum(dim=dim, keepdim=True)).to(scores.dtype)
