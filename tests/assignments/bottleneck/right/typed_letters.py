# A signed token of its own, letters typed as one text in lower case, answers by name.
TOKEN = "attngrade1.bottleneck.YW5uYS5tw7xsbGVyQHVuaS5leGFtcGxl.e298d47d8d973ebe.70c9a64d8c540ce26b876eee849309af"


def own_answers(own):
    answers = {}
    answers["capacity"] = context_capacity(width=own.width, bits=own.bits)
    answers["bits"] = bits_per_token(vocabulary=own.vocabulary)
    answers["longest"] = longest_lossless(own.width, own.bits, own.vocabulary)
    answers["steps"] = path_length(own.source_length, own.target_length, 1, attention=False)
    answers["left"] = path_decay(gamma=own.gamma, steps=answers["steps"])
    answers["reach"] = reach(gamma=own.gamma)
    answers["bytes"] = attention_bytes(own.source_length, heads=own.heads, layers=own.layers, bytes_per_number=own.bits // 8)
    answers["channel"] = binary_channel_capacity(flip=own.flip)
    answers["dot"] = score_multiplications(kind="dot", length=own.source_length, dim=own.width)
    return tuple(answers.values())


def quiz_answers():
    return "dbccaadbddaa"
