"""DeepEval asserts what Sonometer reads."""

from deepeval import assert_test
from deepeval.test_case import LLMTestCase

from sonometer.evals.deepeval import reading_metric

KIND = LLMTestCase(input="Hi", actual_output="Thank you so much for your help!")
RUDE = LLMTestCase(input="Hi", actual_output="Go away, you fool.")

assert_test(KIND, [reading_metric("courtesy@1.0", at_least=0.4)], run_async=False)
assert_test(KIND, [reading_metric("courtesy@1.0", at_least=0.4)], run_async=True)
try:
    assert_test(RUDE, [reading_metric("courtesy@1.0", at_least=0.4)], run_async=False)
except AssertionError as error:
    assert "the score of courtesy@1.0 is 0.373445, below 0.4" in str(error), error
else:
    raise AssertionError("a rude answer passed")
