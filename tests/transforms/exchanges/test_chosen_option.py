"""What a person chose of an agent's options, as a line: the option's words, with what was asked as their subject."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.choosing.answered_question import word_named
from transforms.exchanges.chosen_option import names_chosen, word_chosen


def _choose(asked: str, chosen: str, left: str = "", quote: str = "2, the other costs money", tail: str = "") -> str:
    parts = [f"asked: {asked}"] if asked else []
    parts += [f"chosen: {chosen}", *([f"not: {left}"] if left else [])]
    return f'Ola decided: "{quote}" ({"; ".join(parts)}){tail}'


@each_case(
    ("row", "line"),
    [
        (
            _choose("How do the readers get the page?", "a feed that they subscribe to", "mail…; a poster"),
            "How do the readers get the page? A feed that they subscribe to",
        ),
        (
            _choose("One point is open: what happens to a lost parcel?", "keep it for a month", "burn it", "b obv, it is money"),
            "What happens to a lost parcel? Keep it for a month",
        ),
        (
            _choose("Hosting", "one container on the machine in the cellar", quote="the latter, it is there already"),
            "Hosting: one container on the machine in the cellar",
        ),
        (
            _choose("The printer refuses user `ola`.", "print by a second queue", "run as root", tail=" Outcome: Done."),
            "Print by a second queue",
        ),
        (
            _choose("| File store | no | berth.example/docs |", "Boat store on the present quay", "a shed"),
            "Boat store on the present quay",
        ),
        (
            _choose("Ways out", "Postgres with a column per club, filtered by the page. I expect 2 ms", "a file…"),
            "Postgres with a column per club, filtered by the page",
        ),
        (
            _choose("Ways out", "never rename a shop: an exact match (after folding) or else the row waits until…", "guess"),
            "Never rename a shop",
        ),
        (
            _choose("What happens to a lost parcel (burnt so far)?", "keep it for a month (Recommended)", "burn it"),
            "What happens to a lost parcel? Keep it for a month",
        ),
        (
            _choose("Mail is dear. Options for parcels from the islands", "FerryPost: twice a week, no fee", "a plane…"),
            "For parcels from the islands: FerryPost (twice a week, no fee)",
        ),
        (
            _choose("Readers for sheets that only read", "SheetKit: no dependencies, one reader", "OtherKit: two…"),
            "Readers for sheets that only read: SheetKit (no dependencies, one reader)",
        ),
        (
            _choose("One open point is what to print when a parcel has no name. Ways", "the number of the shelf", "nothing"),
            "What to print when a parcel has no name: the number of the shelf",
        ),
        (
            _choose("In `print.py` the queue waits for itself. Ways out", "a queue per printer, one thread for all", "a lock"),
            "`print.py`: a queue per printer, one thread for all",
        ),
        (
            _choose("Ways", "FerryPost, twice a week, no fee", "a plane…", tail=" Reply: FerryPost takes all mail; ok [a.py]"),
            "FerryPost takes all mail",
        ),
        (
            _choose("Ways out", "38400 fixed, on all cranes", "57600", tail=" Outcome: The bus runs at 38400 on all cranes."),
            "The bus runs at 38400 on all cranes",
        ),
        (
            _choose("Ways out", "a page at a delay of 120", "a mail", "1, 300 statt 120", " Reply: Page ab delay 300, mit Test."),
            "Page ab delay 300",
        ),
        (
            _choose("Drop-in candidates", "a shed of 8.0 m on the north quay", "a hut", "1. 8.0 not 8.1, it is paid"),
            "A shed of 8.0 m on the north quay",
        ),
        (_choose("", "sheet with a tab per line", "pdf of two pages…"), "Sheet with a tab per line"),
        (_choose("Ways out", "threads for everybody", "threads by memory"), "Threads for everybody, not threads by memory"),
    ],
)  # fmt: skip
def test_a_choice_by_pointing_is_worded_by_the_option(row: str, line: str) -> None:
    assert names_chosen(row)
    assert word_chosen(row) == line


@each_case(
    "row",
    [
        _choose("Fix: return a copy, or move the map into a struct.", "move the map into a struct", quote="second"),
        _choose("That explains it. Ways out", "correct it in the collector by `rev`", "a switch…"),
        _choose("That fits. Possibilities", "the limit to 3.45 V, one step up", "to 3.6 V, safe down to…"),
        _choose("In that mode the sleep is 6 h, so either", "wake every 20 minutes only to feed", "a longer time…"),
        _choose("Where does it go? Ways out", "over there", "here"),
        _choose("What we can do", "Both: the address now, and the name when we move", "Only the address…"),
        _choose("On Sunday 02:30 comes twice. Ways out", "04:15: some air, and still before the mail", "04:45: more…"),
        _choose("Ways out", "read (the file of the", "ask…"),
        _choose("Ways out", "a toggle on each page", "one for all", quote="2, but without the icon"),
        _choose("Findings", "the table of seconds ends in 2015", "a name is wrong", quote="apply 1 and 2, the rest is noise"),
        _choose("Ways out", "a toggle on each page", "one for all", quote="2. does it cost much?"),
        _choose("Ways out", "move the movement into steps", "clamp the speed", quote="2"),
        _choose("How should it print?", "a list with a line per parcel", "a table", "b, the clerk reads it"),
        _choose("Three ways", "FerryPost, twice a week, no fee", "a plane…"),
        _choose("Three ways", "FerryPost, twice a week, no fee", "a plane…", tail=" Reply: I sent FerryPost 12 parcels."),
        _choose("Ways out", "a page at a delay of 120", "a mail", "1, aber 300 statt 120, router brauchen lange"),
        _choose("Ways out", "a page at a delay of 120", "a mail", "1, the usual, but 300", " Reply: A page at a delay of 120."),
        _choose("Ways out", "a lamp on each mast", "a torch", "first one for now, second one sounds nice but not this week"),
        _choose("Ways out", "a lamp on each mast", "a torch", "la 1 por ahora, cuestan mucho"),
        _choose("Ways out", "a lamp on each mast", "a torch", "1, mais pas avant la fin des travaux"),
    ],
)  # fmt: skip
def test_an_option_that_leans_on_other_words_is_no_line(row: str) -> None:
    assert names_chosen(row)
    assert word_chosen(row) == ""


def test_other_rows_name_no_chosen_option() -> None:
    assert not names_chosen('Ola decided: "polars" (asked: Which library?)')
    assert not names_chosen('Ola set a rule: "nothing is chosen: we wait"')


@each_case(
    ("answer", "question", "line"),
    [
        (
            "env. hmm no, file is better, Jan must edit it on the boat, so TOML", "Settings: environment variables, YAML or TOML",
            "Settings: TOML, not environment variables or YAML",
        ),
        ("plain, tables, I don't want testify", "Tests: testify or plain testing", "Tests: plain testing, not testify"),
        ("what do you think", "Tests: testify or plain testing", ""),
        ("Boltdb", "Should we go with Boltdb or Badger?", None),
        ("yes add it", "Alarm: it falls by a kilo. Do we add it now, or does it wait?", None),
        ("mail", "For it: mail or a page", None),
    ],
)  # fmt: skip
def test_the_alternative_that_an_answer_names_last_is_its_choice(answer: str, question: str, line: str | None) -> None:
    assert word_named(answer, question) == line
