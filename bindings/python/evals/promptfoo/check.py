"""What promptfoo asks."""

from sonometer.evals.promptfoo import get_assert_for

get_assert = get_assert_for("courtesy@1.0", at_least=0.4)
