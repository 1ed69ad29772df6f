"""Before the first night the newest session files tell in which language their owner types."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from effects.setup import session_language
from effects.setup.session_language import HEAD_BYTES, describe_multilingual, read_session_language
from tests.agent_lines import CLAUDE_ID, CODEX_ID, claude_answer, claude_prompt, codex_meta, codex_prompt, text_part
from tests.effects.judging.test_unread_clauses import SPOKEN
from transforms.attribution.typed_language import measure_language

GERMAN = "Bitte schreib die Tests zuerst und frag mich danach, ob der Export der Rechnungen so bleiben soll"
ENGLISH = "please write the tests first and ask me after that whether the export of the invoices should stay as it is"


def write_session(folder: Path, name: str, words: str, prompts: int = 4, **members: object) -> Path:
    """Write a session of Claude Code in which the owner says the words again and again, and the agent answers in English."""
    lines = []
    for number in range(prompts):
        own, said = f"{name}-{number}", f"{words}, Nummer {chr(97 + number)}"
        lines += [
            claude_prompt(own, None, 2 * number, said, **members),
            claude_answer(f"{own}-a", own, 2 * number + 1, f"m{number}", text_part("I wrote the tests.")),
        ]
    path = folder / "-work" / f"{name}-{CLAUDE_ID}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_the_words_of_the_owner_tell_the_language_and_those_of_the_agent_do_not(tmp_path: Path) -> None:
    write_session(tmp_path, "a", GERMAN)
    assert read_session_language([tmp_path]).is_clearly_other
    write_session(tmp_path / "other", "b", ENGLISH)
    assert not read_session_language([tmp_path / "other", tmp_path / "nowhere"]).is_other


def test_a_model_that_does_not_know_the_language_is_not_offered() -> None:
    assert describe_multilingual(measure_language(SPOKEN["danish"])) == ("", "")
    assert "not English" in describe_multilingual(measure_language(SPOKEN["dutch"]))[0]


def test_no_word_of_a_sub_agent_a_damaged_file_or_an_old_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_session(tmp_path, "a", ENGLISH)
    write_session(tmp_path, "b", GERMAN, 9, isSidechain=True, agentId="a1")
    old = write_session(tmp_path, "c", GERMAN, 9)
    os.utime(old, (1, 1))
    (tmp_path / "damaged.jsonl").write_bytes(b'{"type":"user",\n\xff\n')
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "gone")
    monkeypatch.setattr(session_language, "MOST_FILES", 2)
    language = read_session_language([tmp_path])
    assert language.words > 0
    assert language.other_share == 0


@pytest.mark.parametrize("place", [0, 1, 4])
def test_a_line_longer_than_the_head_that_is_read_is_passed_over(tmp_path: Path, place: int) -> None:
    """A pasted log, or the picture of a prompt: the words around it count, and the session is known."""
    path = write_session(tmp_path, "a", GERMAN)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines.insert(place, claude_prompt("log", None, 0, "the log says " * 12_000))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    language = read_session_language([tmp_path])
    assert language.is_clearly_other
    assert language.words < 200


def test_a_long_first_line_tells_whose_session_it_is(tmp_path: Path) -> None:
    """Codex writes its instructions into it."""
    meta = codex_meta(base_instructions={"text": "x" * HEAD_BYTES})
    lines = [meta, *(line for number in range(6) for line in codex_prompt(number, f"{GERMAN}, Nummer {chr(97 + number)}"))]
    path = tmp_path / f"rollout-2026-03-01T09-00-00-{CODEX_ID}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert read_session_language([tmp_path]).is_clearly_other


def test_what_stands_behind_very_long_lines_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_session(tmp_path, "a", GERMAN)
    path.write_bytes(b'{"type":"x","text":"' + b"x" * HEAD_BYTES + b'"}\n' + path.read_bytes())
    monkeypatch.setattr(session_language, "MOST_BYTES", HEAD_BYTES)
    assert read_session_language([tmp_path]).words == 0
