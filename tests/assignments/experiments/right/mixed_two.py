# NumPy's rows, a buffer for decoding, counts in dictionaries.
# from numpy_and_padding: copy_task, copy_accuracy
# from buffer_and_hand_clip: greedy
# from loops_and_lists: bleu_by_length
# from double_inside: CrossAttention, mean_attention_map
