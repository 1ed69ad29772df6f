"""Which typed words stand for good by learned weights, and which rows REVIEW.md names as held back."""

from __future__ import annotations

from typing import cast

from effects.judging.standing_words import MAX_NAMED, choose_named_rows, choose_weigher, weigh_any_language, weigh_standing
from transforms.tables.rows import ObservationRow


def make_row(key: str, kind: str, origin: str = "owner", text: str = 'Ana decided: "the lids of green glass"') -> ObservationRow:
    """Return the columns of an observation that are looked at."""
    return cast("ObservationRow", {"observation_id": key, "kind": kind, "origin": origin, "text": text})


def test_words_of_a_language_that_the_weights_do_not_read_never_stand() -> None:
    english = "no plastic lids on anything that leaves the shop"
    german = "keine Deckel aus Plastik auf irgendetwas, das aus dem Laden geht, auch nicht wenn es regnet oder jemand fragt"
    assert weigh_standing(english, english) > 0
    assert weigh_standing(german, german) == 0


def test_what_an_owner_of_another_language_says_is_weighed_by_the_multilingual_model() -> None:
    """Terse words of an owner who types English are of no other language."""
    german = "Deckel aus Plastik kommen bei uns auf kein Glas, das den Laden verlässt, auch dann nicht, wenn jemand danach fragt"
    english = "please do not put plastic lids on anything that leaves the shop, whoever asks for it"
    foreign, own = ([f'Ana said: "{said}"'] * 4 for said in (german, english))
    assert choose_weigher(foreign)(german, german) > 0.4
    assert choose_weigher(own)(german, german) == 0
    assert choose_weigher(foreign)(english, english) == weigh_standing(english, english) > 0


def test_a_language_that_the_multilingual_model_does_not_know_is_weighed_by_nothing() -> None:
    swedish = "kolla i loggen och säg mig varför servern kraschade i natt, och lägg till ett test för tomma filer"
    assert choose_weigher([f'Ana said: "{swedish}"'] * 6) is weigh_standing
    assert weigh_any_language(swedish, swedish) == 0


def test_terse_english_is_weighed_as_no_other_language() -> None:
    terse = "make button bigger mobile screens only, rename function everywhere repo, update changelog bump version release today"
    assert choose_weigher([f'Ana said: "{terse}"'] * 6) is weigh_standing
    assert weigh_any_language(terse, terse) == weigh_standing(terse, terse) == 0


def test_the_page_names_rules_of_the_owner_first_and_nothing_that_an_agent_said() -> None:
    held = [
        ("not_lasting", make_row("o-2", "decision")),
        ("not_lasting", make_row("o-3", "rule")),
        ("agent_alone", make_row("o-4", "rule")),
        ("minor", make_row("o-5", "rule", "agent")),
        ("not_lasting", make_row("o-6", "state_change")),
    ]
    assert choose_named_rows(held) == ["o-3", "o-2"]
    assert choose_named_rows([("minor", make_row("o-7", "rule", text='Ana set a rule: "glass"'))]) == []
    likely = make_row("o-9", "decision", text='Ana decided: "no plastic lids on anything that leaves the shop"')
    assert choose_named_rows([*held, ("disputed", likely)]) == ["o-9", "o-3", "o-2"]
    assert len(choose_named_rows([("minor", make_row(f"o-{number}", "rule")) for number in range(20)])) == MAX_NAMED
