"""Returns a generator, which has not begun."""

forward = BahdanauAttention.forward


def begun_later(self, decoder_state, encoder_states):
    yield from forward(self, decoder_state, encoder_states)


BahdanauAttention.forward = begun_later
