"""A metric of Hugging Face's `evaluate`."""

from sonometer.evals.huggingface import reading_metric

found = reading_metric("courtesy@1.0", at_least=0.4).compute(predictions=["Thank you so much for your help!", "Go away, you fool.", "x"])
assert found == {"scores": [0.494769, 0.373445, None], "mean": (0.494769 + 0.373445) / 2, "passed": 1 / 3, "insufficient": 1}, found
