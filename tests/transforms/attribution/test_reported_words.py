"""What somebody else said, and the owner passes on in plain chat."""

from __future__ import annotations

import time

from tests.each_case import each_case
from transforms.attribution.reported_words import find_reported_words

RULES = "we must always squash before merging. i prefer rebase. never force push to shared branches."


def report(text: str, *agent_texts: str) -> list[str]:
    """Return the words that the owner reports."""
    return [text[start:end] for start, end in find_reported_words(text, agent_texts)]


@each_case(
    "text",
    [
        f"joão on slack\n\n{RULES}\n\nwhat do you think",
        f"joão writes: {RULES} whats your take",
        f"tama on slack says\n{RULES}\n\ni reckon that is daft",
        f"The Registrar wrote yesterday: {RULES} I find the last part hard to square with our grant.",
        f"marta from the office wrote this:\n\n{RULES}\n\nshould we?",
        f"his view: {RULES} he has never merged anything",
        f"o rui diz: {RULES} o que achas?",
        f"rui schreibt auf slack: {RULES} was meinst du?",
        f"{RULES}\n— so says rui",
    ],
)
def test_a_frame_covers_all_sentences_up_to_the_owners_own(text: str) -> None:
    """In several languages and forms, in small letters, too."""
    assert report(text) == [RULES]


@each_case(
    ("head", "quoted"),
    [
        ("a reader called Maureen wrote: ", '"Dear Mr Marsh, could the site please remember my bus?"'),
        ("marta wrote yesterday\n", "„we must never send them on fridays. please.“"),
        ("o rui diz: ", "«devemos sempre juntar os commits. por favor.»"),
        ("a reader wrote: ", '"Dear Mr Marsh, call it "bus 9" please. We must never set cookies."'),
    ],
)
def test_words_in_quotation_marks_end_with_them(head: str, quoted: str) -> None:
    """What its owner says behind the closing mark is no part of the report, whatever it is."""
    assert report(f"{head}{quoted} It's sweet. We never set cookies, I have promised it in print.") == [quoted]


def test_a_letter_goes_on_to_its_signature() -> None:
    """A greeting and further paragraphs are the sender's; what stands below the name is the owner's."""
    letter = "hello ines, we would like the invoices on the first.\n\nplease never send them on fridays.\n\nbye marta"
    assert report(f"marta from the office wrote this\n\n{letter}\n\nnever mind the layout for now") == [letter]


def test_where_somebody_is_from_does_not_hide_who_they_are() -> None:
    assert report(f"marta from the office on slack:\n\n{RULES}\n\nshould we?") == [RULES]


def test_several_speakers_have_their_own_frames() -> None:
    """The head of the second one is nobody's order."""
    text = "joão writes: never squash. i prefer merges.\nrui wrote: always squash. never merge.\n\nwho is right?"
    assert report(text) == ["never squash. i prefer merges.", "always squash. never merge."]


@each_case(
    "text",
    [
        f"joão writes: {RULES} he's right, do that",
        f"joão writes: {RULES}\n\nok for me, from now on we do it",
        f"as i said: {RULES}",
        f"i told joão: {RULES}",
        f"like we wrote in the readme: {RULES}",
        f"tell joão on slack: {RULES}",
        f"commit messages: {RULES}",
        f"alerts on slack: {RULES}",
        f"decision from the call: {RULES}",
        f"the outcome of the meeting: {RULES}",
        f"the docs in github:\n\n{RULES}",
        f"make sure that the label says: {RULES}",
        f"anna said ok on the call: {RULES}",
        f"i talked to joão\n\n{RULES}",
    ],
)
def test_what_the_owner_takes_over_says_or_dictates_stays_theirs(text: str) -> None:
    """Who endorses words makes them their own."""
    assert report(text) == []


def test_what_a_program_says_ends_with_its_sentence() -> None:
    """Behind an error message the owner goes on."""
    assert report("git says: you have unmerged paths. fix that and never commit the lock") == []


def test_a_word_of_the_agents_names_no_speaker() -> None:
    """A topic and where it is handled is a heading."""
    text = f"deployment via slack\n\n{RULES}\n\nwhat do you think"
    assert report(text, "The deployment waits.") == []


def test_thousands_of_frames_are_read_in_the_time_of_their_length() -> None:
    before = time.process_time()
    find_reported_words("\n\n".join(f"joao writes on slack:\n\nwe should do {number}. never c" for number in range(3_000)))
    assert time.process_time() - before < 4


@each_case(
    "text",
    ["marta wrote this\n\nhi there you\n\n" * 2_000, "anna says: never. " * 20_000],
)
def test_thousands_of_heads_are_read_in_one_pass(text: str) -> None:
    """Each head read the rest of the message: 64,000 characters took 22 s."""
    began = time.process_time()
    find_reported_words(text)
    assert time.process_time() - began < 8
