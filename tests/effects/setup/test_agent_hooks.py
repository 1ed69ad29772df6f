"""The hooks in the settings of an agent: entered and taken out, while all else in the file stays as its owner wrote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effects.setup.agent_hooks import add_hooks, drop_hooks
from effects.setup.agents import InstalledAgent
from effects.setup.changes import SetupRecord

FORMS = {
    "tabs and letters": '{\n\t"env": {\n\t\t"GREETING": "Gr\u00fc\u00dfe \u2014 \u4f60\u597d"\n\t},\n\t"model": "opus"\n}\n',
    "four blanks": '{\n    "env": {\n        "A": "1"\n    }\n}\n',
    "half a pair of surrogates": '{\n  "env": {\n    "A": "\\ud83d"\n  }\n}\n',
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_the_rest_of_the_settings_keeps_its_letters_and_its_indentation(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_CONFIG", str(tmp_path / "recollect.toml"))
    path = tmp_path / "settings.json"
    path.write_text(text, encoding="utf-8")
    record: SetupRecord = {"files": [], "stop_commands": [], "crontab_before": None, "crontab_after": None}
    agent = InstalledAgent("Claude Code", tmp_path, tmp_path, 0)
    assert add_hooks(record, agent) == (path, True)
    after = path.read_text(encoding="utf-8")
    assert after.startswith(text.removesuffix("\n}\n") + ",\n")
    assert json.loads(after)["hooks"]["SessionStart"]
    assert drop_hooks(record, agent)
    assert path.read_text(encoding="utf-8") == text
