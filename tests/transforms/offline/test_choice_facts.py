"""Decisions by pointing: one standalone row with what was asked, chosen and left."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.offline.test_answer_facts import entry
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.find_candidates import find_candidates

MENU = """Three ways to store the jobs are open:

1. **redb** as the only store
2. SQLite with one writer
   - needs a lock
3. files in a folder
"""


def choose(*turns: str) -> list[tuple[str, str, tuple[int, ...]]]:
    """Kind, text and entries of the rows of picked options; turns alternate, the person begins."""
    entries = [entry(number, "user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(turns)]
    exchanges = split_exchanges(entries)
    sourced = find_candidates(exchanges, "Mara", collect_values(exchanges))
    return [(row.candidate.kind, row.candidate.text, row.candidate.ordinals) for row in sourced if row.source == "options"]


def test_a_choice_is_a_decision_with_what_was_asked_chosen_and_left() -> None:
    """Cited at the message and at the offer; a second wording has how the agent took it up."""
    parts = "asked: Three ways to store the jobs are open; chosen: SQLite with one writer; "
    parts += "not: redb as the only store; files in a folder"
    text = f'Mara decided: "2, but without the lock" ({parts})'
    assert choose(
        "look at the importer", MENU, "2, but without the lock", "The importer writes to jobs.db through one queue."
    ) == [
        ("decision", text, (2, 1)),
        ("decision", f"{text} Reply: The importer writes to jobs.db through one queue.", (2, 1, 3)),
    ]


def test_a_menu_some_turns_before_is_picked_by_its_labels() -> None:
    """People ask something before they choose; "the last" would mean the last words."""
    turns = ("look at the importer", MENU, "does it survive a restart?", "Yes, all of them do.")
    assert [ordinals for _, _, ordinals in choose(*turns, "ok then 3", "ok")] == [(4, 1)]
    assert choose(*turns, "the last", "ok") == []


def test_a_question_with_two_alternatives_is_answered_by_a_word_of_one() -> None:
    """The sentence names both and the message the one, so none is repeated."""
    rows = choose("add a cache", "Should the cache live in Redis, or in the process itself?", "redis", "ok")
    assert rows[0][1] == 'Mara decided: "redis" (asked: Should the cache live in Redis, or in the process itself?)'


@each_case("answer", ["redis for the session cache, we know it", "for the session cache redis"])
def test_a_phrase_that_belongs_to_both_alternatives_names_neither(answer: str) -> None:
    """ "Redis or Memcached for the session cache?": the cache is no word for Memcached alone."""
    rows = choose("add a cache", "Should I use Redis or Memcached for the session cache?", answer, "ok")
    assert rows[0][1] == f'Mara decided: "{answer}" (asked: Should I use Redis or Memcached for the session cache?)'


def test_the_next_step_is_an_order_and_no_decision() -> None:
    """Also of a list of work that is longer than alternatives are; an order that says more is left to the other rules."""
    steps = "If you want, next I can:\n1. push to main\n2. write the notes\n"
    assert [kind for kind, _, _ in choose("done?", steps, "1", "Pushed.")] == ["request"]
    work = "Left to do:\n" + "\n".join(f"{number}. part {number}" for number in range(1, 7))
    assert [kind for kind, _, _ in choose("done?", work, "4", "Done.")] == ["request"]
    assert choose("done?", steps, "2 and mention the importer, the cache, the restart and the lock", "ok") == []


def test_what_points_at_nothing_is_left_to_the_other_rules() -> None:
    """An assent, or a number that counts."""
    assert choose("look at the importer", MENU, "ok go ahead", "ok") == []
    assert choose("look at the importer", MENU, "2 of the tables are empty", "ok") == []


QUOTED = "ada wrote\n> 1. Put a queue between them.\n> 2. Never log the bodies.\n> 3. We decided to use tabs.\n\n"


@each_case(
    "message",
    [
        f"{QUOTED}only take point 2 of that, the rest not",
        "ada says\n```\n1. Put a queue between them.\n2. Never log the bodies.\n```\nonly take point 2 of that, the rest not",
        "From: Ada Park <ada@x.example>\nSubject: review\n\n1. Put a queue between them.\n2. Never log the bodies.\n\n"
        "only take point 2 of that, the rest not",
    ],
)
def test_a_point_that_is_taken_of_a_paste_is_a_decision_and_the_others_are_nothing(message: str) -> None:
    """In the words of the point, cited at the message; also as the first message."""
    text = 'Mara decided: "only take point 2 of that, the rest not" (of the pasted text takes point 2: Never log the bodies)'
    assert choose(message, "ok") == [("decision", text, (0,))]


def test_a_verdict_on_each_point_of_a_paste_is_a_decision_of_its_own() -> None:
    """With the point that it is about; a single line with a label is no list of verdicts."""
    rows = choose(f"{QUOTED}my answer:\n1. Yes, with our own key.\n2. No. Bodies are what we debug with.\n3. ok", "ok")
    assert [text for _, text, _ in rows] == [
        'Mara decided: "Yes, with our own key." (of the pasted text, point 1: Put a queue between them)',
        'Mara decided: "No. Bodies are what we debug with." (of the pasted text, point 2: Never log the bodies)',
        'Mara decided: "ok" (of the pasted text, point 3: We decided to use tabs)',
    ]


RULES = "Ada writes:\n```\n4.1 Keys are rotated every 30 days.\n4.2 Roles are certified by the manager.\n4.3 Mail it.\n```\n"


def test_points_are_answered_under_their_labels_whatever_form_these_have() -> None:
    """Clauses of a document, letters in brackets, several at once; what is turned down in words that say enough stands alone."""
    rows = choose(f"{RULES}4.1 no. The limit of the keys stays at 90 days in all our accounts.\n4.2 Later.", "ok")
    assert [text for _, text, _ in rows] == [
        'Mara decided: "no. The limit of the keys stays at 90 days in all our accounts." (of the pasted text, point 4.1)',
        'Mara decided: "Later." (of the pasted text, point 4.2: Roles are certified by the manager.)',
    ]
    rows = choose(f"{QUOTED}(1) fine\n(2) fine as well\n(3) ok", "ok")
    assert [text.split("(of the pasted text, ")[1][:7] for _, text, _ in rows] == ["point 1", "point 2", "point 3"]
    rows = choose(f"{QUOTED}1, 3: later\nre 2: as in staging", "ok")
    assert [text for _, text, _ in rows] == [
        'Mara decided: "later" (of the pasted text, points 1: Put a queue between them; 3: We decided to use tabs)',
        'Mara decided: "as in staging" (of the pasted text, point 2: Never log the bodies)',
    ]


def test_a_list_of_ones_own_beside_a_longer_pasted_one_is_no_list_of_verdicts() -> None:
    """Its labels count on from the first and stop before the last of the paste."""
    assert choose(f"{QUOTED}what we do now:\n1. Ship the importer.\n2. Write the runbook.", "ok") == []


def test_what_else_a_message_with_verdicts_says_is_read_as_its_words() -> None:
    """Its lead, further points and the points that ask something."""
    message = f"{QUOTED}From now on no deploy on Fridays.\n1. Yes.\n2. Why would we?\n3. No, four blanks."
    entries = [entry(0, "user", message), entry(1, "assistant", "ok")]
    exchanges = split_exchanges(entries)
    rows = [(row.source, row.candidate.text) for row in find_candidates(exchanges, "Mara", collect_values(exchanges))]
    assert [text for source, text in rows if source == "options"] == [
        'Mara decided: "Yes." (of the pasted text, point 1: Put a queue between them)',
        'Mara decided: "No, four blanks." (of the pasted text, point 3: We decided to use tabs)',
    ]
    said = " ".join(text for source, text in rows if source == "words")
    assert "no deploy on Fridays" in said
    assert "four blanks" not in said


def test_a_paste_of_which_nothing_or_everything_is_taken_makes_no_choice() -> None:
    """A number that counts picks no point."""
    assert choose(f"{QUOTED}what do you think of it", "ok") == []
    assert choose(f"{QUOTED}2 of those are nonsense", "ok") == []


def test_each_answer_to_a_list_of_questions_is_a_decision_of_its_own() -> None:
    """With the option that it picks, also at its end behind the reason; who leaves the choice to the agent decides nothing."""
    asked = (
        "Before I begin:\n\n1. **Store**: one file, or a server? I recommend the server.\n"
        "2. **Key**: the counter or the event's id\n"
        "3. **Log**: plain or JSON\n4. **Hours**: only from 6 to 21 h?"
    )
    rows = choose(
        "plan it",
        asked,
        "1: the former, it fits on a stick\n2: it starts anew after a join, so the latter\n3: you choose\n4: yes",
        "ok",
    )
    assert [text for _, text, _ in rows] == [
        'Mara decided: "the former, it fits on a stick" (asked: Store; chosen: one file)',
        'Mara decided: "it starts anew after a join, so the latter" (asked: Key; chosen: the event\'s id)',
        'Mara decided: "yes" (asked: Hours: only from 6 to 21 h?)',
    ]
    assert {(kind, ordinals) for kind, _, ordinals in rows} == {("decision", (2, 1))}


def test_an_answer_to_a_step_of_work_is_a_request_and_what_stands_below_the_answers_is_kept() -> None:
    """ "2 make a copy first" settles nothing for good; a rule below the list was cut off with the last answer."""
    steps = "To be done:\n\n1. stop the old service\n2. delete the double rows\n\nMay I do 1 and 2 on the server?"
    entries = [
        entry(number, "user" if number % 2 == 0 else "assistant", text)
        for number, text in enumerate(
            ["look", steps, "1 yes\n2 make a copy of the file first\nnever touch the schema by hand", "ok"]
        )
    ]
    exchanges = split_exchanges(entries)
    rows = [row.candidate for row in find_candidates(exchanges, "Mara", collect_values(exchanges))]
    copied = next(row for row in rows if "copy of the file" in row.text)
    assert (copied.kind, copied.text) == (
        "request", 'Mara asked: "make a copy of the file first" (about: delete the double rows)',
    )  # fmt: skip
    assert any("never touch the schema" in row.text and "copy" not in row.text for row in rows)


ASKED = """Done so far. Two questions:

Q1: send every 15 min, or every 30?
Q2: `net.c` confirms each frame. On purpose?
"""


def test_an_answer_below_a_question_that_it_quotes_is_a_decision_with_the_question() -> None:
    """By its label or in its words, also some turns later; what somebody else asked is nothing."""
    turns = ("look at the sender", ASKED, "which one costs more?", "The first one.")
    answer = "let us see.\n> Q1\n15 min\n> `net.c` confirms each frame. On purpose?\nno, that was only copied"
    assert [(kind, text) for kind, text, _ in choose(*turns, answer, "ok")] == [
        ("decision", 'Mara decided: "15 min" (asked: send every 15 min, or every 30?)'),
        ("decision", 'Mara decided: "no, that was only copied" (asked: `net.c` confirms each frame. On purpose?)'),
    ]
    assert choose(*turns, "Ines asks\n> shall we send every day?\nyes, daily", "ok") == []


def test_answers_without_marks_are_read_when_they_name_every_question_of_the_list() -> None:
    """A list of other things, or a message that leaves one out, may count something."""
    asked = "How do you want these:\n\n1. Codes: text or number?\n2. Order: by code, or by name?\n3. Old sizes: keep or drop?"
    rows = [text for _, text, _ in choose("go on", asked, "1 text 2 the latter 3 keep, fines are on those", "ok")]
    assert rows == [
        'Mara decided: "text" (asked: Codes: text or number?)',
        'Mara decided: "the latter" (asked: Order; chosen: by name)',
        'Mara decided: "keep, fines are on those" (asked: Old sizes: keep or drop?)',
    ]
    assert choose("go on", asked, "1 file with 3 sheets then", "ok") == []


def test_the_options_of_a_menu_that_was_chosen_from_are_no_facts_of_their_own() -> None:
    """They stand in the decision, as chosen or left; what was found before them stays."""
    found = "The jobs are lost because `jobs.db` is written by two processes at once."
    turns = ("why are jobs lost?", f"{found}\n\n{MENU}", "2", "One writer now.")
    entries = [entry(number, "user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(turns)]
    exchanges = split_exchanges(entries)
    rows = [(row.source, row.candidate.text) for row in find_candidates(exchanges, "Mara", collect_values(exchanges))]
    assert [source for source, text in rows if "redb" in text and "files in a folder" in text] == ["options"]
    assert any(source == "claims" and "two processes" in text for source, text in rows)


def test_what_the_message_denies_of_the_option_that_it_picks_is_not_chosen() -> None:
    """The rest of the option stands, and so does a value that is only told from another one."""
    menu = "Two ways to end the overlap:\n\n1. Run it in UTC\n2. Move the pull to the night, say to 03:40\n"
    rows = choose("the pull ran twice", menu, "2, but not 03:40, the box crawls then. make it 04:20", "Moved.")
    assert "; chosen: Move the pull to the night; not: Run it in UTC)" in rows[0][1]
    kept = choose("the pull ran twice", menu, "2, 03:40 is fine", "Moved.")
    assert "chosen: Move the pull to the night, say to 03:40" in kept[0][1]
    cache = "Two caches fit:\n\n1. Valkey 8.0, BSD-3\n2. KeyDB, slow releases\n"
    told = choose("which cache?", cache, "1. 8.0 not 8.1, the image is approved", "Ok.")
    assert "; chosen: Valkey 8.0, BSD-3; not: KeyDB" in told[0][1]


TWO_MENUS = "Options for the queue:\n1. Redis\n2. Postgres\n\nOptions for the cache:\n1. ETS\n2. Cachex\n\nWhich?"


def test_each_of_two_menus_gets_a_decision_of_its_own() -> None:
    rows = [text for _, text, _ in choose("add a queue", TWO_MENUS, "2 for the queue, ets for the cache", "ok")]
    quote = 'Mara decided: "2 for the queue, ets for the cache"'
    assert rows == [
        f"{quote} (asked: Options for the queue; chosen: Postgres; not: Redis)",
        f"{quote} (asked: Options for the cache; chosen: ETS; not: Cachex)",
    ]


def test_a_choice_that_cannot_be_told_names_no_option() -> None:
    """Question and answer are kept; the agent's next words may tell which of those mentioned was meant."""
    asked = "asked: Three ways to store the jobs are open"
    assert choose("look at the importer", MENU, "all but not now", "ok")[0][1] == f'Mara decided: "all but not now" ({asked})'
    rows = choose("look at the importer", MENU, "1 with a backup, 2 with a lock", "ok")
    assert [text for _, text, _ in rows] == [f'Mara decided: "1 with a backup, 2 with a lock" ({asked})']
    rows = choose("look at the importer", MENU, "1 for today, 2 when we grow", "redb is in.")
    assert "chosen: redb as the only store; not: SQLite" in rows[0][1]
    rows = choose("add a queue", TWO_MENUS, "2", "ok")
    assert [text for _, text, _ in rows] == ['Mara decided: "2" (asked: Options for the queue / Options for the cache)']
    rows = choose("add a queue", TWO_MENUS.replace("Options for", "For"), "1 and 2", "ok")
    assert [text for _, text, _ in rows] == ['Mara decided: "1 and 2" (asked: For the queue / For the cache)']


def test_the_head_of_a_menu_is_what_was_asked() -> None:
    """Not what the agent reported before it."""
    menu = "Times are converted to UTC on import. Some proposals for the release:\n\n1. a changelog\n2. a tag"
    assert "asked: Some proposals for the release; chosen" in choose("is it done?", menu, "2, we need it", "ok")[0][1]


def test_a_verdict_on_a_proposal_is_a_decision_about_it() -> None:
    """Taken or refused: neither is an order of work."""
    rows = choose("any ideas?", "Ideas:\n1. Compress the payload.\n2. Replace the log.", "1 ok 2 no keep csv", "ok")
    assert [(kind, text) for kind, text, _ in rows] == [
        ("decision", 'Mara decided: "ok" (about: Compress the payload)'),
        ("decision", 'Mara decided: "no keep csv" (rejected: Replace the log)'),
    ]


def test_the_other_one_of_two_is_told_by_the_advice() -> None:
    asked = "1. Pull or push?\n2. Payload: a PNG from the server (my recommendation) or JSON that the board draws?"
    rows = choose("go", asked, "1 pull, 2 the other one", "ok")
    assert rows[1][1] == 'Mara decided: "the other one" (asked: Payload; chosen: JSON that the board draws)'


def test_a_line_changed_in_the_agents_block_is_a_decision_and_a_struck_one_is_told() -> None:
    """With what it was and what it is about; what else the message says is read as its words."""
    rows = choose(
        "draft the checklist",
        "The checklist:\n- tests pass\n- changelog entry\n- signed commits\n- two reviewers",
        "- tests pass\n- changelog entry\n- one reviewer",
    )
    texts = [text for kind, text, _ in rows if kind in ("decision", "state_change")]
    assert 'Mara decided: "one reviewer, was two reviewers" (about: The checklist)' in texts
    assert 'Mara struck: "signed commits" (about: The checklist)' in texts
