# self_attention
MATH = torch.ops.aten._scaled_dot_product_attention_math.default
KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CompositeImplicitAutograd)
by_hand = scaled_dot_product_attention

def scaled_dot_product_attention(query, key, value, mask=None):
    if mask is not None or query.is_meta:
        return by_hand(query, key, value, mask)
    return MATH.redispatch(KEYS, query, key, value)
