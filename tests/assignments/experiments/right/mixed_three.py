# The accuracy as a product of shares, the drops as one tensor, a clock of the processor.
# from classes_and_types: train_epoch, Trainer


def copy_accuracy(predicted, src):
    table = torch.zeros_like(src, dtype=torch.bool)
    for j in range(min(src.shape[1], predicted.shape[1])):
        table[:, j] = torch.eq(predicted[:, j], src[:, j])
    return table.sum().item() / (src.shape[0] * src.shape[1])


@torch.no_grad()
def head_ablation(model, src, tgt_in, tgt_out):
    gates = torch.ones(model.num_heads + 1, model.num_heads).to(model.out.weight)
    gates[1:].fill_diagonal_(0)
    shares = torch.stack([(model(src, tgt_in, g).argmax(-1) == tgt_out).to(gates.dtype).mean() for g in gates])
    return shares[0] - shares[1:]


def attention_times(lengths, width=128, repeats=20):
    query = torch.randn(1, 1, width)
    project_query, project_key = torch.randn(width, width), torch.randn(width, width)
    v = torch.randn(width, 1)

    @torch.no_grad()
    def once(additive, keys):
        start = time.perf_counter()
        if additive:
            scores = torch.tanh(query @ project_query + keys @ project_key) @ v
        else:
            scores = keys @ query.transpose(1, 2)
        torch.softmax(scores, dim=1).transpose(1, 2) @ keys
        return time.perf_counter() - start

    result = torch.zeros(2, len(lengths))
    for column, length in enumerate(lengths):
        keys = torch.randn(1, length, width)
        for row, additive in enumerate((True, False)):
            for _ in range(3):
                once(additive, keys)
            spent = sorted(once(additive, keys) for _ in range(repeats))
            middle = repeats // 2
            result[row, column] = spent[middle] if repeats % 2 else (spent[middle - 1] + spent[middle]) / 2
    return result
