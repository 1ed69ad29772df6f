"""Claims of observations: a line keeps whole what it quotes."""

from __future__ import annotations

import pytest

from transforms.memory.normalise_claim import extract_claims


@pytest.mark.parametrize(
    "said",
    [
        "Always format dates as 'Month Day, Year' in the reports",
        "Never call `cut(a, b)` in the parser",
        "Always pass (host, port)",
    ],
)
def test_a_comma_in_quotation_marks_code_or_brackets_ends_no_clause(said: str) -> None:
    """Half of a quotation is another rule; what follows behind the next comma may still go."""
    (line,) = extract_claims(f'User set a rule: "{said}, just tell me when"')
    assert line.replace("**", "") == said
