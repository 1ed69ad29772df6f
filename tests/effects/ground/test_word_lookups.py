"""Words of many facts are looked up in a commit together, with the answers that each gets alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effects.ground import lookups, word_lookups
from effects.ground.lookups import look_up, read_head
from effects.ground.word_lookups import has_word, look_words_up
from transforms.ground.code_references import CodeReference

FILES = {
    "a.py": b"retry_limit = MAX.retry\nfoo.bar(--dry-run)\n",
    "b.bin": b"\0\1 hidden_word \2\n",
    "c.md": b"tourdeguet, foo-bar\n",
}
PIECES = (
    "retry",
    "retry_limit",
    "MAX",
    "MAX.retry",
    "foo",
    "foo.bar",
    "bar",
    "bar(--dry-run)",
    "--dry-run",
    "guet",
    "hidden_word",
    "no",
    "[a",
)


def make_repository(folder: Path, commits: int = 1) -> Path:
    folder.mkdir()
    git = ["git", "-C", str(folder), "-c", "user.name=Mara", "-c", "user.email=mara@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    subprocess.run([*git, "add", "-A"], check=True)
    for _ in range(commits):
        subprocess.run([*git, "commit", "-qm", "change", "--allow-empty"], check=True)
    return folder


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_repository(tmp_path_factory.mktemp("ground") / "shop"))


@settings(max_examples=30, deadline=None)
@given(st.sets(st.sampled_from(PIECES), min_size=2))
def test_words_that_are_asked_for_together_are_there_as_alone(repository: str, words: set[str]) -> None:
    """Also words that overlap in a line, words in a file of bytes, and marks of regular expressions."""
    head = read_head(repository) or ""
    word_lookups._known.clear()
    alone = {word: has_word(repository, head, word) for word in words}
    look_words_up(repository, head, words)
    assert {word: word_lookups._known[repository, head, word] for word in words} == alone


def test_git_is_started_once_for_the_words_of_a_repository_not_once_for_each(
    repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an earlier commit nothing was removed, so no history is searched either."""
    head, calls = read_head(repository) or "", list[str]()
    real = word_lookups.run_git

    def count(folder: Path, *arguments: str, **more: str) -> tuple[int | None, str]:
        """Note a question to git, and ask it."""
        calls.append(arguments[0])
        return real(folder, *arguments, **more)

    for module in (word_lookups, lookups):
        monkeypatch.setattr(module, "run_git", count)
    monkeypatch.setattr(word_lookups, "ask_git", lambda folder, *arguments: count(folder, *arguments)[1])
    word_lookups._known.clear()
    names = [f"name_{number}" for number in range(40)]
    look_words_up(repository, head, [*names, "retry_limit"])
    statuses = {look_up(repository, head, CodeReference("symbol", name)).status for name in names}
    assert statuses == {"unknown"}
    assert look_up(repository, head, CodeReference("symbol", "retry_limit")).status == "present"
    assert len(calls) <= 4


def test_in_a_repository_of_many_bytes_words_are_asked_for_alone(repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There git, which stops at the first place of a single word, would compare each line with all of them."""
    word_lookups._known.clear()
    monkeypatch.setattr(word_lookups, "MAX_COMPARED_BYTES", 10)
    look_words_up(repository, read_head(repository) or "", {"retry_limit", "no"})
    assert word_lookups._known == {}
