"""Lines of memory: which observations offer one, its wording, and its section."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.each_case import each_case
from transforms.memory.eligibility import LineCandidate, Source, find_candidates, find_refusal
from transforms.memory.normalise_claim import extract_claims, extract_fragments
from transforms.memory.rank_proposals import LineChanges, rank_proposals
from transforms.memory.same_claim import is_retired_by, is_same_claim
from transforms.pages.memory_md import parse_memory


def _of(
    text: str, kind: str, category: str = "rules", source: Source = "owner", wordings: int = 1, **columns: Any
) -> list[LineCandidate]:
    return find_candidates(_row(text, kind, category, **columns), "Joel", "Reflected (2026-05-17)", UTC, source, wordings)


def _row(text: str, kind: str, category: str = "rules", **columns: Any) -> Any:
    row = {
        "observation_id": "o-1", "session_id": "s", "entry_ids": ["e1"], "project": "/code/app", "kind": kind,
        "category": category, "text": text,
        "priority": "high", "verdict": "allow", "superseded_by": None, "said_at": datetime(2026, 5, 17, tzinfo=UTC),
        "confidence": 0.9, "merged_count": 1, "also": [],
    }  # fmt: skip
    return row | columns


def _lines(text: str, kind: str, category: str = "rules", **columns: Any) -> list[LineCandidate]:
    return [item for item in _of(text, kind, category, **columns) if not (item.is_support or item.is_change)]


@each_case(
    ("text", "line"),
    [
        ('Joel wants: "omg, use fucking rgb values, no indices!" [dark.json]', None),
        (
            'Joel wants: "use fucking rgb values in themes, no indices!" (about: "256 colors")',
            "Use rgb values in themes, no indices",
        ),
        ('Joel wants: "i would only want e2e tests for the api, the rest is shit"', "Only wants e2e tests for the api"),
        ('Joel set a rule: "you must never push on fridays"', "Never push on fridays"),
        ('Joel set a rule: "Ground rules first, remember them: always use uv, never pip"', "Always use uv, never pip"),
        ('Joel set a rule: "For this project use pnpm, never npm"', "In app use pnpm, never npm"),
        ('Joel set a rule: "no console logs for theme errors, ever"', "No console logs for theme errors, ever"),
        ('Joel wants: "i prefer that you never touch the store, just tell me how"', "Prefers that agents never touch the store"),
        ('Joel set a rule: "`uv add httpx`, and never pip install on this machine"', "Never pip install on this machine"),
        ('Joel decided: "We change the cache TTL from 24 h to 6 h."', "The cache TTL is 6 h, no longer 24 h"),
        ("The user said that Redis is always started by systemd", "Redis is always started by systemd"),
        ("The root cause is that the worker caches DNS for ever", "The worker caches DNS for ever"),
        ("Redis: runs in Docker on port 6379", "**Redis** — runs in Docker on port 6379"),
    ],
)
def test_a_line_is_the_claim_without_its_occasion(text: str, line: str | None) -> None:
    claims = extract_claims(text, "app")
    assert claims == [line] if line else "indices" in " ".join(claims) or not claims


@each_case(
    "text",
    [
        'Joel set a rule: "that should never happen"',
        'Joel wants: "can we never do it like this?"',
        'Joel objected: "no, put it back"',
        'Joel set a rule: "never deploy, unless i ask you"',
        "It must always be restarted afterwards",
        "The key is always [REDACTED:token] here",
    ],
)
def test_references_to_the_talk_and_unsafe_cuts_are_not_lines(text: str) -> None:
    assert extract_claims(text) == []


@each_case(
    ("kind", "text"),
    [
        ("file_change", "Edited src/main.ts to always use the lock"),
        ("completion", "All tests always pass now"),
        ("task", "The user asked for a plan that must never change"),
        ("question", "Must the worker always run?"),
        ("decision", "Add the rule to MEMORY.md under Hard Rules"),
        ("decision", "Update the docs instead of the code"),
        ("decision", "Currently uses SQLite because it is simple"),
        ("rule", 'Joel set a rule: "add a test for the parser"'),
        ("root_cause", "`userText` is defined in the theme but never used"),
        ("root_cause", "Missing chalk import in markdown.test.ts"),
        ("state_change", "In dark.json: gray is #808080 instead of #6c6c6c"),
        ("state_change", "Created the git branch `refactor`"),
        ("preference", 'Joel wants: "let me try the light theme real quick"'),
    ],
)
def test_short_lived_claims_and_instructions_are_not_proposed(kind: str, text: str) -> None:
    assert _lines(text, kind) == []


@each_case(
    ("kind", "category", "text", "section"),
    [
        ("preference", "preferences", 'Joel wants: "i prefer uv, never pip, always"', "Joel"),
        ("rule", "rules", 'Joel set a rule: "i prefer tabs, always and everywhere"', "Joel"),
        ("rule", "rules", 'Joel set a rule: "never force-push to main"', "Hard Rules"),
        ("convention", "rules", 'Joel set a convention: "we never deploy after 18:00"', "Hard Rules"),
        ("rule", "rules", 'Joel set a rule: "no new dependency without asking me"', "Hard Rules"),
        ("decision", "architecture", 'Joel decided: "no secrets in files in the repo"', "Hard Rules"),
        ("decision", "architecture", "The queue is a table in Postgres because Redis loses jobs", "System Architecture"),
        ("correction", "rules", 'Joel objected: "no. tools -> core/tools; theme -> ui/theme"', "System Architecture"),
        ("root_cause", "operations", "Inngest silently drops functions with the same trigger", "Patterns"),
        ("convention", "rules", "Getters are cheap, setters are methods", "Patterns"),
        ("correction", "people", "Kris leads design instead of Ana, and always reviews", "Hard Rules"),
        ("correction", "people", "Kris leads the design team instead of Ana", "Reflected (2026-05-17)"),
    ],
)
def test_where_a_line_belongs(kind: str, category: str, text: str, section: str) -> None:
    assert [candidate.section for candidate in _lines(text, kind, category)] == [section]


@each_case(
    ("kind", "text", "lines"),
    [
        (
            "rule",
            'Joel set a rule: "one rule for the whole project: never run migrations on the live db without asking me first."',
            ["Never run migrations on the live db without asking the owner first"],
        ),
        (
            "rule",
            'Joel set a rule: "never push to main without asking me first."',
            ["Never push to main without asking the owner first"],
        ),
        (
            "state_change",
            'Joel decided: "a second disk comes in may, so badger is out. we move the peak store to postgres instead of badger."',
            ["We move the peak store to postgres instead of badger"],
        ),
    ],
)
def test_an_announced_rule_and_the_choice_behind_a_reason_are_lines(kind: str, text: str, lines: list[str]) -> None:
    """Who must be asked is the owner; of a decision the line is the choice, not its reason."""
    assert [item.text for item in _lines(text, kind)] == lines


def test_only_high_and_notable_medium_facts_count() -> None:
    text = 'Joel set a rule: "never force-push to main"'
    assert _lines(text, "rule", priority="medium")
    assert not _lines(text, "rule", priority="medium", confidence=0.5)
    assert _lines(text, "rule", priority="medium", confidence=0.5, merged_count=3)
    assert not _lines(text, "rule", priority="low", merged_count=9)
    assert not _lines(text, "rule", verdict="hold")
    assert not _lines(text, "rule", superseded_by="o-2")


@each_case(
    ("first", "other", "same"),
    [
        ("Never force-push to main", "One must never ever force-push anything to `main`", True),
        ("Prefers uv over pip", "Prefers uv to pip, really", True),
        ("Never force-push to main", "Always force-push to main", False),
        ("Cache entries live for 5 minutes", "Cache entries live for 10 minutes", False),
        ("Config lives in src/config.ts", "Config lives in src/core/settings.ts", False),
        ("Prefers tabs over spaces", "Prefers spaces over tabs", False),
    ],
)
def test_the_same_claim_in_other_words(first: str, other: str, same: bool) -> None:
    assert is_same_claim(first, other) is same
    assert is_same_claim(other, first) is same


def test_a_newer_value_retires_a_line_and_another_subject_does_not() -> None:
    line = "Redis listens on port 6379 in Docker"
    assert is_retired_by(line, "System Architecture", "Redis listens on port 6380 in Docker", "state_change")
    assert not is_retired_by(line, "System Architecture", "Postgres listens on port 5433 in Docker", "state_change")
    assert not is_retired_by("Prefers port 6379", "Joel", "Redis listens on port 6380", "state_change")


def test_a_short_insistence_supports_the_line_with_the_same_claim() -> None:
    """A rule that is stated four times is one proposal with four sources; remarks about the occasion are none."""
    texts = [
        "Ground rules first: always use uv for everything (uv add, uv run), never pip.",
        "No! uv, not pip. I said never pip.",
        "This is the second time I have to say it, please always use uv in this project.",
        "Third time!! uv. NEVER pip. I don't know how often I have to repeat that.",
    ]
    pool = [
        item
        for number, text in enumerate(texts)
        for item in _of(f'Joel set a rule: "{text}"', "rule", observation_id=f"o-{number}", session_id=f"s{number}")
    ]
    chosen = rank_proposals(pool, parse_memory("# Memory\n"), [], LineChanges(), 10, UTC).chosen
    assert [(item.text, item.candidate.evidence) for item in chosen] == [
        ("Always use uv for everything (uv add, uv run), never pip", ("o-0", "o-1", "o-2", "o-3"))
    ]


@each_case("text", ["never mind", "not now", "only this once, please", "always the same story with you"])
def test_talk_is_not_evidence(text: str) -> None:
    """A denial alone names nothing that a line could be about."""
    assert not [item for item in extract_fragments(f'Joel set a rule: "{text}"') if len(item.split()) < 3]


AGENTS = "The worker runs from the monorepo instead of ~/code/bus"


@each_case(
    ("text", "kind", "source", "columns", "reason"),
    [
        (AGENTS, "decision", "owner", {}, ""),
        (AGENTS, "decision", "agent", {}, "agent_alone"),
        (AGENTS, "decision", "agent", {"also": ["s:e9"], "merged_count": 2}, "agent_alone"),
        (AGENTS, "decision", "agent", {"also": ["another:e9"], "merged_count": 2}, ""),
        ("Read src/ledger.rs; its loop reads twice", "root_cause", "agent", {"also": ["another:e9"]}, "agent_alone"),
        ("Reports go to build/reports by default", "convention", "summary", {"priority": "medium", "confidence": 0.5}, ""),
        ("Report files are named after `<day>/<name>`", "convention", "summary", {"priority": "medium"}, ""),
        ("The search key was missing in the shell", "convention", "summary", {"priority": "medium"}, "not_lasting"),
        (AGENTS, "decision", "summary", {}, "decided_for_the_work"),
        (AGENTS, "decision", "owner", {"priority": "low"}, "minor"),
        ('Joel decided: "put that there" (about: "a file")', "decision", "owner", {}, "not_lasting"),
        ("All tests pass", "completion", "agent", {}, ""),
        (AGENTS, "decision", "agent", {"verdict": "hold"}, ""),
    ],
)
def test_what_is_not_proposed_has_a_reason(text: str, kind: str, source: Source, columns: Any, reason: str) -> None:
    """An agent alone proposes nothing, nor what it found in a file, a summary only preferences; other rows are not counted."""
    wordings = 2 if "also" in columns else 1
    assert find_refusal(_row(text, kind, **columns), source, UTC, wordings) == reason
    is_evidence = kind == "decision" and columns.get("verdict") != "hold"
    assert any(not item.is_change for item in _of(text, kind, source=source, wordings=wordings, **columns)) == (
        reason == "" and (is_evidence or kind == "convention")
    )


def test_an_answer_to_a_question_is_a_line_with_its_question() -> None:
    """A bare yes says nothing later."""
    asked = 'Joel decided: "Adopt the full preset" (asked: How strict is the preset of the linter?)'
    assert [item.text for item in _of(asked, "decision", source="answer")] == [
        "How strict is the preset of the linter? Adopt the full preset"
    ]
    explained = asked.replace("?)", "?; meaning: Every check fails the build.)")
    assert [item.text for item in _of(explained, "decision", source="answer")] == [
        "How strict is the preset of the linter? Adopt the full preset: Every check fails the build"
    ]
    assert _of('Joel decided: "Yes" (asked: Shall I go on with the next package?)', "decision", source="answer") == []


@each_case(
    ("text", "kind", "lines"),
    [
        ("Keep the old readers beside the new ones", "convention", []),
        ("The old readers stay beside the new ones", "convention", ["The old readers stay beside the new ones"]),
        ("Must follow the order of the migrations", "convention", ["Agents must follow the order of the migrations"]),
        ("Release only when Joel says so; name every file", "convention", 1),
        ("Keep the old readers (the new ones need a licence)", "convention", 1),
        ("Never format files that were not asked for", "convention", 1),
        ("Clocks of the stations are not trusted (that of line 3 is slow)", "convention", 1),
        ("Ne pas ouvrir `ancien_lecteur.py`", "convention", 1),
        ("The search key was missing in the shell, so pages were read by hand", "convention", []),
        ("Rename `ledger` to `journal`: it was confused with accounting", "decision", []),
        ("Releases are part of the nightly run: nobody cuts them by hand", "decision", 1),
    ],
)
def test_a_summary_says_what_is_or_must_be(text: str, kind: str, lines: list[str] | int) -> None:
    """Its orders are steps of the task that it was written in, unless they say how far or why; the obligations in it leave their
    subject out. It may be in any language."""
    results = [item.text for item in _of(text, kind, source="summary", priority="medium")]
    assert results == lines if isinstance(lines, list) else len(results) == lines


def test_a_convention_of_a_summary_is_not_a_hard_rule() -> None:
    """Somebody else worded it."""
    assert (
        _of("Agents must never touch the ledger by hand", "convention", source="summary", priority="medium")[0].section
        == "Patterns"
    )


def test_an_arrangement_that_the_owner_asks_about_is_not_settled() -> None:
    """A list of moves that ends in a question waits for the agent's opinion."""
    moves = 'Joel decided: "tools -> core/tools; theme -> ui/theme; or do you have other suggestions?"'
    assert [item for item in _of(moves, "decision") if not item.is_change] == []
    assert len(_of(moves.replace("; or do you have other suggestions?", ""), "decision")) == 1


@each_case(
    "quote",
    [
        "From now on always run the tool before each commit, never skip it. <- Tom's rule, not ours. what do you think",
        "Our client demands the following. Always run the tool before each commit. We will not do this.",
        "Hat Marc geschickt, was meinst du? Always run the tool before each commit, never skip it.",
        "Lena in the standup: I never want the tool disabled on the production servers.",
    ],
)
def test_a_rule_that_its_message_denies_or_gives_to_somebody_else_is_no_line_and_replaces_none(quote: str) -> None:
    text = f'Joel set a rule: "{quote}"'
    assert _lines(text, "rule") == []
    assert find_refusal(_row(text, "rule"), "owner", UTC) in ("disputed", "not_lasting")


def test_a_sentence_that_confirms_the_one_beside_it_leaves_it_a_line() -> None:
    assert _lines('Joel set a rule: "Always run the tool before each commit. That\'s how we work from now on."', "rule")


def test_a_line_keeps_the_name_of_the_one_whose_rule_it_is() -> None:
    assert extract_claims('Joel set a rule: "Tom\'s rule: always run the tool before each commit"') == [
        "Tom's rule: always run the tool before each commit"
    ]
    assert extract_claims('Joel set a rule: "New rule: always run the tool before each commit"') == [
        "Always run the tool before each commit"
    ]


@each_case(("kind", "sessions", "is_line"), [("correction", 3, True), ("correction", 2, False), ("preference", 3, False)])
def test_a_correction_that_comes_back_word_for_word_in_three_sessions_lasts(kind: str, sessions: int, is_line: bool) -> None:
    """It answers what the agent did; other words that are sent again are a prompt."""
    also = [f"s{number}:e1" for number in range(1, sessions)]
    lines = _lines('Joel objected: "use uv, not pip"', kind, also=also, merged_count=sessions)
    assert [item.text for item in lines] == (["Use uv, not pip"] if is_line else [])


def test_what_a_person_points_at_is_proposed_in_the_words_of_the_option() -> None:
    """Who answers "2" has said nothing that stands alone; the option that it picked does."""
    chosen = (
        'Joel decided: "2, boats come in at 3" (asked: Ways out; chosen: a fishing day that starts at 05:00 on each screen; '
        "not: midnight…) Reply: Done."
    )
    assert [line.text for line in _lines(chosen, "decision")] == ["A fishing day that starts at 05:00 on each screen"]
    assert find_refusal(_row(chosen, "decision"), "owner", UTC) == ""


def test_an_option_that_holds_until_a_day_soon_is_no_line() -> None:
    chosen = (
        'Joel decided: "2, with the date in the comment" (asked: Ways out?; chosen: a lamp that is off until {}; not: no lamp…)'
    )
    assert find_refusal(_row(chosen.format("June 9, then back"), "decision"), "owner", UTC) == "ends"
    assert find_refusal(_row(chosen.format("dusk"), "decision"), "owner", UTC) != "ends"


def test_an_option_that_orders_a_step_waits_unless_a_question_says_what_about() -> None:
    bare = 'Joel decided: "2, the port is taken" (asked: Ways out; chosen: move the lamp to another mast; not: leave it…)'
    assert _lines(bare, "decision") == []
    assert _lines(bare.replace("Ways out;", "The mast of the harbour is rotten. Ways out;"), "decision") == []
    (line,) = _lines(bare.replace("Ways out;", "Which mast carries the lamp?;"), "decision")
    assert line.text == "Which mast carries the lamp? Move the lamp to another mast"


def test_an_option_is_about_the_file_that_led_to_it_and_not_about_what_was_wrong() -> None:
    text = (
        'Joel decided: "2, hell no to the third" (asked: Nothing: lamp.zig swallows the error. Options; '
        "chosen: answer 0x15 with a reason byte; not: answer without…; Queue the lamp…)"
    )
    assert [line.text for line in _lines(text, "decision")] == ["`lamp.zig`: answer 0x15 with a reason byte"]


def test_an_answer_is_proposed_without_the_talk_about_it() -> None:
    """The owner's reasons in the first person are the evidence's."""
    text = (
        'Joel decided: "the harbour makes them itself. I don\'t want to depend on the city. 14 days ahead" '
        "(asked: Who prints and burns the tide tables?)"
    )
    assert [line.text for line in _of(text, "decision", source="answer")] == [
        "Who prints and burns the tide tables? The harbour makes them itself. 14 days ahead"
    ]


@each_case(
    "text",
    [
        'Joel decided: "vom Band neu lesen" (asked: Was soll mit den Zeilen vom 25. Juni passieren?; not: leave them)',
        'Joel decided: "read the tape again" (asked: What happens to the rows of yesterday evening?; not: leave them)',
        'Joel decided: "2, the lamp burns" (asked: Ways out; chosen: a script against doubles of the rows from June; not: a…)',
        'Joel decided: "the first one for now, lamps are dear" (asked: Ways; chosen: a lamp on each mast of the quay; not: a…)',
    ],
)
def test_a_choice_about_things_of_a_past_day_or_for_a_moment_is_work_at_hand(text: str) -> None:
    row = _row(text, "decision", said_at=datetime(2026, 7, 2, tzinfo=UTC))
    assert find_refusal(row, "answer", UTC) == "decided_for_the_work"
    later = (
        text.replace("vom 25. Juni", "der Laternen")
        .replace("of yesterday evening", "of lamps")
        .replace("from June", "of old lamps")
    )
    if later != text:  # the same about things of no day
        row = _row(later, "decision", said_at=datetime(2026, 7, 2, tzinfo=UTC))
        assert find_refusal(row, "answer", UTC) != "decided_for_the_work"


def test_about_so_many_is_no_wish() -> None:
    said = 'Joel objected: "nah take the small boat. we do like 40 trips a day and never mind the speed of it"'
    assert not [line for line in _lines(said, "correction") if "40" in line.text]


def test_an_answer_that_takes_itself_back_is_proposed_by_its_last_word() -> None:
    answer = 'Joel decided: "env. hmm no, a file because Jan edits it, so TOML" (asked: Settings: variables, YAML or TOML)'
    assert [line.text for line in _lines(answer, "decision")] == ["Settings: TOML, not variables or YAML"]


def test_a_choice_that_cannot_be_worded_waits_with_a_reason_of_its_own() -> None:
    chosen = 'Joel decided: "third" (asked: That explains it. Ways out; chosen: correct it by `rev`; not: a switch…)'
    assert _lines(chosen, "decision") == []
    assert find_refusal(_row(chosen, "decision"), "owner", UTC) == "unworded"


@each_case(
    "said",
    ["no!! the lamp stays at 500. draw a fake one", "Read again. The board stays on 8443.", "it says missing, no macron in font"],
)
def test_a_clause_that_only_says_how_a_thing_stays_is_no_line(said: str) -> None:
    """Which lamp, and until when, stands in the talk: of ten such lines readers would sign four."""
    assert _lines(f'Joel objected: "{said}"', "correction") == []


def test_an_objection_that_argues_with_what_the_agent_says_is_no_rule() -> None:
    said = 'Joel objected: "but every point is double, not here and there" Reply: True.'
    assert _lines(said, "correction") == []


@each_case(("said", "is_line"), [("no pandas, no virtual environment", True), ("no no, the red one is the tide", False)])
def test_two_bans_in_one_sentence_are_a_rule_and_a_doubled_no_is_an_objection(said: str, is_line: bool) -> None:
    assert bool(_lines(f'Ola set a rule: "{said}"', "rule")) is is_line


@each_case(
    ("text", "kind", "weight", "lines"),
    [
        ('Ana set a rule: "new rope or knot = ask me first. put it back"', "rule", 0.7, ["New rope or knot = ask me first"]),
        ('Ana decided: "new rope or knot = ask me first. put it back"', "decision", 0.7, []),
        ('Ana decided: "new rope or knot = ask me first. put it back"', "decision", 0.8, ["New rope or knot = ask me first"]),
        ('Ana set a rule: "I wrote the knots into the book of ropes"', "rule", 0.9, []),
        ('Ana set a rule: "I like the ropes of all boats coiled before the night"', "rule", 0.9,
         ["Likes the ropes of all boats coiled before the night"]),
        ('Ana set a rule: "No rope comes aboard unwashed before Friday"', "rule", 0.9, []),
        ('Ana set a rule: "no rope comes aboard unwashed. The captain reads the mail. That\'s nonsense"', "rule", 0.8,
         ["No rope comes aboard unwashed"]),
        ('Ana set a rule: "no rope comes aboard unwashed. That\'s nonsense"', "rule", 0.8, []),
    ],
)  # fmt: skip
def test_what_the_weights_call_a_rule_is_a_line_with_less_doubt_where_the_row_is_one(
    text: str, kind: str, weight: float, lines: list[str]
) -> None:
    """Weights know a rule of the first person and beside other talk; a report of one's own, a neighbour's denial and a rule of a
    few days are none."""
    row = _row(text, kind)
    found = find_candidates(row, "Ana", "Reflected", UTC, lasts=lambda line, *_: weight if "rope" in line.lower() else 0.0)
    assert [item.text for item in found if not (item.is_support or item.is_change)] == lines
