"""A message that is passed on without marks is its sender's, and the words around it are the owner's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.attribution.relayed_messages import take_relayed_messages
from transforms.classify.paragraphs import Paragraph, split_paragraphs

TALK = ("the gateway is slow and we asked Yeboah about it", "I would ask Yeboah first; the question is open.")


def own(text: str, talk: tuple[str, ...] = TALK) -> str:
    """Return the words of a text that stay the owner's, when all of it was judged typed."""
    judged = take_relayed_messages(text, [(part, True) for part in split_paragraphs(text)], (*talk, text))
    return "\n".join(text[part.start : part.end].strip() for part, is_typed in judged if is_typed)


@each_case(
    ("text", "left"),
    [
        ("mi jefe dice:\n\nno guarden los datos más de noventa días, borren lo viejo\n\nhacelo", "mi jefe dice:\nhacelo"),
        ("팀장님 말씀:\n\n결제 서버 포트를 내일까지 꼭 바꿔야 합니다\n\n그렇게 해", "팀장님 말씀:\n그렇게 해"),
        ("部長から：\n\n保存期間は九十日までにしてください、古いものは削除です\n\nそうして", "部長から：\nそうして"),
    ],
)
def test_prose_that_an_empty_line_sets_apart_below_a_colon_is_somebody_elses(text: str, left: str) -> None:
    """In any language and in any style; below it the owner goes on."""
    assert own(text) == left


@each_case(
    "text",
    [
        "one more rule:\n\nnever commit on main",
        "for this week:\n\n- move the billing job to the new queue\n- and drop the retry in the client at once",
        "what I want:\na page that lists the pumps and when each of them was last seen",
        "i looked at it.\n\nthe importer reads the whole file into memory and dies on big ones",
    ],
)
def test_few_words_points_and_what_follows_at_once_stay_the_owners(text: str) -> None:
    """Owners set a name or a rule apart, too, and their plans stand in points."""
    assert own(text).split() == text.split()


def test_a_first_line_behind_a_name_is_the_named_ones_and_the_answer_the_owners() -> None:
    """That the label is a name shows elsewhere in the session."""
    text = "Yeboah: the gateway drops packets over 1400 bytes, we saw it twice\nok set the mtu to 1380"
    assert own(text) == "ok set the mtu to 1380"
    assert own(text, ()) == text
    assert own(text.replace("\n", " ")) == text.replace("\n", " ")
    assert own(text.replace("Yeboah", "Oluwaseun"), ("we asked Oluwaseun about it",)) == "ok set the mtu to 1380"


@each_case("label", ["Question", "Context", "yeboah"])
def test_a_label_that_is_a_common_word_or_unknown_names_nobody(label: str) -> None:
    """It stands in small letters elsewhere, or nobody uses it inside of a sentence."""
    text = f"{label}: the importer reads the whole file into memory and dies on big ones\nmake it stream"
    assert own(text).split() == text.split()


def test_a_label_says_nothing_where_all_nouns_have_capitals() -> None:
    """A German owner begins a message with "Problem: …"."""
    talk = (
        "ich sah das Problem in der Nacht",
        "Das ist ein Fehler in dem Export und kein Problem der Datei oder von der Platte.",
    )
    text = "Problem: der Export läuft nachts nicht mehr durch, und keiner merkt es\nbau eine Prüfung ein"
    assert own(text, talk).split() == text.split()


def test_a_talk_of_two_is_theirs_in_small_letters_too() -> None:
    """A name comes again and another stands between; keys of settings and a list of topics do not come again."""
    log = "yeboah: did it run?\nadaeze: no it died at 3\nyeboah: then the old one"
    assert own(f"{log}\n\nuse the old export") == "use the old export"
    topics = "steam deck: still skips\npc with pad: fine\nmac: not tried"
    assert own(topics) == topics


@each_case(
    ("text", "left"),
    [
        ("Yeboah 10:12 AM\nthe rate is 50 now\nand will stay\nAdaeze 10:14 AM\nok then\nso set it to 40", "so set it to 40"),
        ("yeboah — Today at 10:12\ncan we use the other region\nhe is right, do that", "he is right, do that"),
        ("Adaeze, [14.09.26 10:14]\nplease dont ship before the audit\nok so we wait", "ok so we wait"),
        ("[Slack] Rafa (mobile) 10:12\nthe amount comes as 12.5\nfix it", "fix it"),
        ("Meeting Monday 10:30\nprepare the numbers for it", "Meeting Monday 10:30\nprepare the numbers for it"),
        ("Deploy 10:30\nBackup 11:00\nboth on box2", "Deploy 10:30\nBackup 11:00\nboth on box2"),
    ],
)
def test_a_sender_and_a_time_on_a_line_of_their_own_give_away_the_message_below(text: str, left: str) -> None:
    """Up to the next sender; of the last message one line, because the owner may go on. A time alone is an appointment."""
    assert own(text) == left


def test_the_name_of_a_program_between_brackets_gives_its_line_away() -> None:
    """Capitals alone are a mark of people, and a secret that was taken out is no name."""
    assert own("[cost-meter] 4.10 of 5.00 dollars are spent. Prefer the small model.\nignore that") == "ignore that"
    for text in ("[WIP] only half done, look at it", "[redacted:api-key] is the key", "look: [cost-meter] is wrong"):
        assert own(text) == text


PIECES = [
    "Yeboah: ",
    "it says:\n\n",
    "the gateway drops packets over 1400 bytes now",
    "\n",
    "\n\n",
    "- a point ",
    "[bot] ",
    "Ada 10:12\n",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.data())
def test_no_word_is_lost_and_none_is_given_to_the_owner(pieces: list[str], data: st.DataObject) -> None:
    """The paragraphs cover the same characters; the sign takes words from the owner and gives none."""
    text = "".join(pieces)
    paragraphs = split_paragraphs(text)
    judged = list(zip(paragraphs, data.draw(st.tuples(*[st.booleans()] * len(paragraphs))), strict=True))
    taken = take_relayed_messages(text, judged, TALK)
    assert "".join(text[part.start : part.end] for part, _ in taken).split() == text.split()
    for part, is_typed in taken:
        assert not is_typed or any(was_typed and _holds(paragraph, part) for paragraph, was_typed in judged)


def _holds(paragraph: Paragraph, part: Paragraph) -> bool:
    return paragraph.start <= part.start and part.end <= paragraph.end
