"""An owner who began with rules in another language hears how the model reads those windows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from effects.distil.redistil import redistil
from effects.health.language_check import check_language, check_rules
from tests.effects.distil.test_redistil import SINCE
from tests.effects.engines.model_server import good, serving
from tests.effects.engines.world import distilled, run_on
from tests.effects.judging.test_unread_clauses import SPOKEN
from transforms.attribution.typed_language import TypedLanguage, measure_language

SPANISH, ENGLISH = TypedLanguage(20, 200, 10), TypedLanguage(20, 200, 190)


def test_windows_that_rules_read_in_another_language_are_named_until_the_model_read_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(good) as server:
        offline = run_on(tmp_path, "offline")
        distilled(offline)
        model = run_on(tmp_path, base_url=server.url)
        assert list(check_rules(offline, SPANISH)) == []
        assert list(check_rules(model, ENGLISH)) == []
        [check] = check_rules(model, SPANISH)
        assert check.level == "note"
        assert check.detail.startswith("1 window from before the model")
        assert check.next.startswith("recollect rebuild --redistil --since 2026-03-02")
        with model.lake.writing("test"):
            redistil(model, SINCE)
        assert list(check_rules(model, SPANISH)) == []


@pytest.mark.parametrize(("language", "is_foreign"), [("danish", True), ("dutch", False)])
def test_a_model_is_named_as_a_remedy_only_where_it_knows_the_language(
    language: str, tmp_path: Path, *, is_foreign: bool
) -> None:  # fmt: skip
    typed, month = measure_language(SPOKEN[language]), timedelta(days=28)
    [check] = check_language(run_on(tmp_path, "offline"), typed, month)
    assert ("does not know them either" in check.detail, "vectors anew" in check.detail) == (is_foreign, not is_foreign)
    assert check.next
    [check] = check_language(run_on(tmp_path, "instructor:openai/gpt-5-mini"), typed, month)
    assert (check.name, check.next == "") == ("model language", is_foreign)
