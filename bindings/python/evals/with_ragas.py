"""A metric of ragas."""

from sonometer.evals.ragas import reading_metric

result = reading_metric("courtesy@1.0", at_least=0.4).score(response="Go away, you fool.")
assert (result.value, result.reason) == (0.373445, "the score of courtesy@1.0 is 0.373445, below 0.4"), result
