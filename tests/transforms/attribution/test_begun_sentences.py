"""Words behind a colon that go on with the owner's sentence, and those that somebody else wrote."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.attribution.begun_sentences import own_begun_sentences
from transforms.classify.paragraphs import split_paragraphs

REASON = "because two of them are harder to run and nobody here has the time for that"


def judge(text: str, *typed: bool) -> list[bool]:
    """Return what becomes of a judgement of the paragraphs of a text."""
    return [is_typed for _, is_typed in own_begun_sentences(text, list(zip(split_paragraphs(text), typed, strict=True)))]


@each_case(
    "text",
    [
        f"we change the decision: Garage with three nodes replaces Ceph as the object store, {REASON}",
        f"We change the decision: Garage with three nodes replaces Ceph as the object store, {REASON}.",
        f"ok, my mistake. I thought about it again: Garage is the object store, {REASON}",
        f"hmm, I checked and found: Ceph writes every object three times, {REASON}",
        f"so we are agreed: Ceph goes away in May, {REASON}\n\nand then we look at the backups",
    ],
)
def test_what_goes_on_with_a_typed_sentence_on_its_line_is_typed(text: str) -> None:
    """The judge alone took each of them for a paste."""
    last = [True] * (text.count("\n\n"))
    assert judge(text, True, False, *last) == [True, True, *last]


@each_case(
    "text",
    [
        f"better, much calmer. nit: `null` for Ceph is fine here, {REASON}. Keep.",
        f"no, that ends badly. Exception to rule 2: until May the strings may stay in English, {REASON}.",
    ],
)
def test_in_a_message_of_one_line_what_a_label_introduces_is_typed(text: str) -> None:
    """Whoever lays down rules in passing begins so; with further lines it may be a review that was pasted."""
    assert judge(text, True, False) == [True, True]
    assert judge(f"{text}\n\nand one more", True, False, True)[1] is False


@each_case(
    "text",
    [
        f"our client demands the following: Garage shall replace Ceph as the object store, {REASON}",
        f"look what the bot wrote: Garage should replace Ceph as the object store, {REASON}",
        f"the vendor recommends a change: Garage should replace Ceph as the object store, {REASON}",
        f"a mail from Ada about it: Garage should replace Ceph as the object store, {REASON}",
        f"and like this: Garage should replace Ceph as the object store, {REASON}",
        f'better. nit: "Garage should replace Ceph as the object store, {REASON}"',
        f"can you check: Garage should replace Ceph as the object store, {REASON}",
        f"this is what I got back: Garage should replace Ceph as the object store, {REASON}",
        f'we change the decision: "Garage should replace Ceph as the object store, {REASON}"',
        f"any ideas: The object store is not reachable from the second host, {REASON}.",
        "we change the config: store.kind=garage store.nodes=[a1,b2,c3] store.copies=3 {retry: 5, on_fail: 'stop'};",
        f"we change the decision: Garage replaces Ceph as the object store, {REASON}\nfor: one binary\nagainst: no monitors",
    ],
)
def test_what_may_be_somebody_elses_is_left_to_the_judge(text: str) -> None:
    """An author, words that show it, marks, another style or form than the owner's sentence, and several lines speak for that."""
    assert judge(text, True, False) == [True, False]


def test_the_heading_of_a_paste_is_left_to_the_judge() -> None:
    """What follows it was pasted, too."""
    text = f"we change the decision: Garage replaces Ceph as the object store, {REASON}\n\n1 passed\n\n2 failed"
    assert judge(text, True, False, False, False)[1] is False


def test_points_that_are_typed_as_carelessly_as_their_head_are_the_owners() -> None:
    """In any language; a list with capitals and full stops, or below a head that names its author, is left to the judge."""
    points = "- max 2 cours par prof et par soir, pas 3\n- vendredi y a jamais cours, c le bal"
    assert judge(f"attends, les contraintes sont fausses :\n{points}", True, False) == [True, True]
    assert judge(f"the review by Jonas says:\n{points}", True, False) == [True, False]
    formal = "- At most two courses per evening.\n- There are no courses on Fridays."
    assert judge(f"attends, les contraintes sont fausses :\n{formal}", True, False) == [True, False]


@given(
    st.lists(st.sampled_from(["we change it: ", "Garage replaces Ceph here ", "\n\n", "log ", '"', ":\n"]), max_size=12),
    st.data(),
)
def test_typed_words_stay_typed(parts: list[str], data: st.DataObject) -> None:
    """The sign gives words to the owner and takes none away; words behind a pasted head stay as they were judged."""
    text = "".join(parts)
    judged = data.draw(st.tuples(*[st.booleans()] * len(split_paragraphs(text))))
    owned = judge(text, *judged)
    assert all(now or not before for now, before in zip(owned, judged, strict=True))
    assert all(now == before for now, before, head in zip(owned[1:], judged[1:], owned, strict=False) if not head)
