# Loops for the data, one head at a time, a padded table.
# from loops_and_lists: copy_task, copy_accuracy, mean_attention_map
# from heads_one_by_one: split_projection, CrossAttention, head_ablation
# from buffer_and_hand_clip: train_epoch
