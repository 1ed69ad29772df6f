"""The cause that is kept of a search is the agent's last diagnosis that its owner let stand, with what had failed."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.candidates import Candidate
from transforms.offline.causes.settled_causes import _may_settle, drop_parts_of_causes, find_settled_causes
from transforms.offline.engine import OfflineEngine
from transforms.offline.find_candidates import find_candidates
from transforms.offline.replies.doubted_words import mark_doubted

REPORT = "the greenhouse fan stops each night, sensor 4 reads wrong. find it"
GUESS = "Root cause: the fuse of the fan board is too small, it trips when the heater starts."
CAUSE = "The relay `K4` shares its ground with the heater. Whenever the heater starts, the reading falls by half."


def find_causes(*parts: dict[str, Any] | list[dict[str, Any]]) -> list[Candidate]:
    """Return the causes of a conversation."""
    exchanges = mark_doubted(split_exchanges(conversation(*parts)))
    return [cause for cause, _ in find_settled_causes(exchanges, collect_values(exchanges))]


def test_the_reply_to_an_objection_takes_the_place_of_the_guess_in_any_words() -> None:
    """It calls nothing a cause; that it stood tells it. The row says what had failed, and cites where the search began."""
    (cause,) = find_causes(
        user(REPORT),
        agent(GUESS),
        user("if that was it the lamps would go out as well. measure it"),
        agent(f"That settles it. {CAUSE}"),
        user("yes, that's the one. give it its own ground"),
        edited("wiring.md", "K4: shared ground", "K4: own ground"),
    )
    assert cause.text.startswith('Cause found for "')
    assert "sensor 4 reads wrong" in cause.text
    assert CAUSE in cause.text
    assert not any(word in cause.text for word in ("fuse", "settles"))
    assert (cause.kind, cause.ordinals) == ("root_cause", (3, 0))


def test_who_shows_a_log_with_an_error_looks_for_its_reason_without_saying_so() -> None:
    def search(pasted: str) -> list[Candidate]:
        return find_causes(
            user(f"on the bench now:\n```\n{pasted}\n```"),
            agent("Perhaps the fuse `F2` of the fan board trips when the heater starts."),
            user("if that was it the lamps would go out as well. measure it"),
            agent(CAUSE),
            user("give it its own ground"),
            edited("wiring.md", "K4: shared ground", "K4: own ground"),
        )

    (cause,) = search("ERROR: sensor 4: reading 0, expected 12")
    assert CAUSE in cause.text
    assert not search("sensor 4: reading 12, expected 12")
    for passed in (
        "build ok: 0 errors, 0 failed, 14 passed", "no errors found", "Errors: 0", "errors=0, failures=0", "errors 0", "0 errors",
        "done without any failure", "done without failure", "done with zero errors", "Found 0 errors. Watching for changes.",
        "* no test failed", "0 tests failed", "✔ 0 failed", "There is `no error`", "done without any new failure",
        "plugins must not crash", "this is not an error", "the build didn't fail",
    ):  # fmt: skip
        assert not search(passed), passed
    for failed in (
        "20 passed, 0 failed\nerror 7 in pump 2", "10 errors, 0 skipped", "GET /fan 404 Not Found error", "channel 0 failed",
        "Test 0 failed", "Error: 0 bytes read from sensor 4", "dial tcp: no such host error", "No route to host error",
        "sensor 4 did not answer with error 7", "Without ACK the transfer failed", "fan.toml: file not found error",
        "sensor 0: read error", "FAILED (failures=0, errors=1)", "exit 0 != 3: failed", "errors: 0 of 3 read, 1",
    ):  # fmt: skip
        assert search(failed), failed


def test_the_last_of_several_diagnoses_is_the_cause() -> None:
    (cause,) = find_causes(
        user(REPORT),
        agent(GUESS),
        user("Did you count the trips or did you guess?"),
        agent("There were no trips at all in 731 nights; my explanation was wrong."),
        user("I thought as much."),
        agent("The cause is the `or` in `night.py`: a night that spans two dates is switched off twice."),
        user("That I believe. Take it out."),
        edited("night.py", "a or b", "b"),
    )
    assert "`night.py`" in cause.text
    assert "trips" not in cause.text


def test_a_guess_that_nobody_took_up_is_no_cause() -> None:
    assert not find_causes(user(REPORT), agent("It might be the fuse `F2` of the fan board."), user("and the lamps?"))
    assert not find_causes(user(REPORT), agent(GUESS), user("if that was it the lamps would go out as well"))


@each_case(
    "report, reply, other_report, other_reply",
    [
        (
            "login fails with 500, find it",
            "The issue is the missing `SECRET_KEY` in `.env.production`, so the session middleware raises.",
            "what about the images? they are broken as well",
            "The issue is `nginx.conf`: `location /img` points at the old folder `/srv/old`.",
        ),
        (
            "the build is slow, find out why",
            "The problem is `webpack.config.js`: source maps are made for the vendors as well, which takes 40 s.",
            "ok. and the tests fail since yesterday, look at them",
            "The reason is `jest.setup.ts`: it freezes the clock at 2025, and the token of `auth.test.ts` expired in 2026.",
        ),
        (
            "the invoice total is wrong by one cent, why?",
            "The cause is the rounding in `total.py`: each line is rounded before the sum.",
            "why does the PDF have no logo?",
            "The cause is the path in `pdf.py`: it looks for `logo.png` in the working folder and finds nothing there.",
        ),
    ],
)
def test_two_troubles_in_a_row_have_two_causes(report: str, reply: str, other_report: str, other_reply: str) -> None:
    """The second cause does not take the place of the first, and is not told as that of the first report."""
    causes = find_causes(
        user(report),
        agent(reply),
        user(other_report),
        agent(other_reply),
        user("fix both"),
        edited("a.conf", "a", "b"),
        agent("Both are fixed."),
    )
    assert [cause.ordinals for cause in causes] == [(1, 0), (3, 2)]
    assert [report in cause.text for cause in causes] == [True, False]
    assert [other_reply in cause.text for cause in causes] == [False, True]


def test_what_else_fails_behind_a_cause_is_not_told_as_that_report() -> None:
    causes = find_causes(
        user("crash on start, find it"),
        agent("The issue is `main.rs`: the config is read before the folder is made, so `unwrap` panics."),
        user("no that's right. but it also crashes on exit"),
        agent("The issue is `Drop` of `Session`: it sends on a channel that is closed."),
        user("good"),
        edited("main.rs", "a", "b"),
    )
    assert not any("start" in cause.text or 0 in cause.ordinals for cause in causes)


@each_case(
    "reply",
    [
        "The board `B7` takes its clock from the fan, and the fan is off at night. The board is the culprit.",
        "Cause: the board `B7` takes its clock from the fan, which is off at night.",
        "The cause is `B7`: its clock may stop with the fan, which is off at night.",
    ],
)
def test_who_calls_something_the_cause_states_one_behind_a_report(reply: str) -> None:
    (cause,) = find_causes(user(REPORT), agent(reply), user("good, thank you"))
    assert "`B7`" in cause.text


def test_the_owner_who_calls_it_the_cause_confirms_it() -> None:
    reply = "The list has `SEATS=(11 23)` and a default of 11, so the seats 47 and 61 silently became 11."
    confirmed = find_causes(
        user("what does the run say?"), agent(reply), user("so the root cause is a default of 11. take it out")
    )
    assert [cause.text for cause in confirmed] == [f'Cause found for "what does the run say?": {reply}'] or reply in confirmed[
        0
    ].text
    assert not find_causes(user("what does the run say?"), agent(reply), user("print the list"))


def test_options_behind_a_report_have_the_diagnosis_before_them() -> None:
    reply = f"{CAUSE} Options:\n\n1. give `K4` its own ground\n2. move the heater to board 2\n"
    (cause,) = find_causes(user(REPORT), agent(reply), user("2."), agent("Moved."))
    assert cause.text.endswith("the reading falls by half.")
    assert not find_causes(user("how shall we wire it?"), agent(reply), user("2."), agent("Moved.")), "nothing had failed"


def test_a_cause_that_was_denied_later_is_none() -> None:
    assert not find_causes(
        user(REPORT),
        agent("Found the root cause. The old fuse `F2` trips at 3 A."),
        user("put in a new one"),
        edited("parts.md", "F2: 3 A", "F2: 5 A", text="Replaced."),
        user("and now?"),
        agent("It still stops. So the old fuse was not it."),
    )


def test_the_cause_is_a_candidate_of_its_window() -> None:
    exchanges = split_exchanges(conversation(user(REPORT), agent(f"Root cause: {CAUSE}"), user("good, thank you")))
    (item,) = [item for item in find_candidates(exchanges, "User", collect_values(exchanges)) if item.source == "causes"]
    assert item.candidate.kind == "root_cause"


def test_a_cause_is_told_once_with_what_was_sought() -> None:
    reply = "Root cause: `load_rows` in `src/importer.py` reads column `Id`, and the file has `ID` since version 3."
    entries = conversation(
        user("the nightly import fails with a KeyError, find out why"),
        agent(reply),
        user("makes sense, fix it"),
        edited("src/importer.py", "Id", "ID"),
        agent("`load_rows` reads `ID` now; the import runs."),
    )
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    texts = [fact.text for segment in window.segments for fact in segment.facts]
    assert [text for text in texts if reply in text] == [
        f'Cause found for "the nightly import fails with a KeyError, find out why": {reply}'
    ]


@each_case(
    "text, ordinal, is_dropped",
    [
        ("The relay `K4` shares its ground with the heater.", 1, True),
        (f"{CAUSE} [wiring.md]", 1, True),
        (f"{CAUSE} The reading comes back at once.", 1, False),
        ("The relay `K4` shares its ground with the heater.", 3, False),
    ],
)
def test_only_what_the_cause_says_whole_goes(text: str, ordinal: int, is_dropped: bool) -> None:
    """A sentence of its own, and the same words said elsewhere, stay."""
    cause = Candidate(f'Cause found for "{REPORT}": {CAUSE}', "root_cause", "high", (1, 0), (), 1.1)
    row = Candidate(text, "root_cause", "high", (ordinal,), ("wiring.md",), 0.8)
    assert drop_parts_of_causes([row, cause]) == ([cause] if is_dropped else [row, cause])


def test_what_an_agent_recommends_is_the_cause_of_nothing() -> None:
    """Nothing failed and nobody asked why: only what is called a cause may be one, however the words were judged."""
    advice = "My instinct is `signal.md` only, since the lamp matters for night signals."
    asked, reported, why = (
        split_exchanges(conversation(user(words), agent(advice)))[0]
        for words in ("can we add a field for the lamp to the form?", REPORT, "why is the field not in both forms?")
    )
    assert not _may_settle(asked, advice, is_judged=True)
    assert _may_settle(asked, GUESS, is_judged=False)
    assert _may_settle(reported, CAUSE, is_judged=True)
    assert not _may_settle(reported, CAUSE, is_judged=False)
    assert _may_settle(why, CAUSE, is_judged=False)
