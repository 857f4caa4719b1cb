"""The public checks. Students run them on their machines; the points of all checks add up to 100."""

from autograder.author import function, gradients, part, shapes, signature, values

TITLE = "$title"

# What is called: its inputs with their axes, and its results. Sizes, numbers and dtypes are drawn from this.
COSINE = function("cosine_scores", query="B T_q d", key="B T_k d", returns={"scores": "B T_q T_k"})
CALLS = {COSINE.target: COSINE.described}  # names the axes in messages

CHECKS = part("cosine_scores", signature(COSINE, 5), values(COSINE, 30), shapes(COSINE, 5), gradients(COSINE, 10))
