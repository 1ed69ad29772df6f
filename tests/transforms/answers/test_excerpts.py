"""An excerpt is the stretch that answers: what follows the question's words more than what stands before them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.excerpts import cut_excerpt, lead_with_rule

FILLING = "I read all the files of the folder first. The tests were green before and after it. Nothing else was open there. "
QUESTION = {"brave": 2.0, "key": 1.0}


def test_what_follows_the_words_of_the_question_goes_before_what_precedes_them() -> None:
    """One sentence before them stays, for what it names."""
    text = f"{FILLING}For the brave key there is one command. It writes to ~/.secrets/.env and asks nothing. Restart after that."
    excerpt = cut_excerpt(text, QUESTION, 160, is_agents=True)
    assert excerpt.startswith("Nothing else was open there. For the brave key")
    assert "~/.secrets/.env" in excerpt


def test_at_the_end_of_a_text_what_precedes_takes_the_room() -> None:
    """There nothing follows."""
    text = f"{FILLING}For the brave key there is one command."
    assert cut_excerpt(text, QUESTION, 120, is_agents=True).startswith("The tests were green")


def test_a_line_that_leads_to_the_next_one_has_its_beginning() -> None:
    """ "Run this:" tells nothing."""
    text = f"For the brave key run this:\n\n```sh\necho BRAVE=x >> env; {'make reload; ' * 9}\n```\n{FILLING}"
    assert cut_excerpt(text, QUESTION, 80, is_agents=True).startswith("For the brave key run this: echo BRAVE=x >> env")


def test_an_excerpt_keeps_the_fragment_that_denies_what_stands_behind_it() -> None:
    """Without it the stretch says the reverse; another short sentence says nothing."""
    ran = f"I ran:\n\n```sh\nnpx lint init --quiet {'--with-rules ' * 12}\n```\nThat was {'a trial of it, ' * 9}."
    assert cut_excerpt(f"Not in the checkout. {ran}", {}, 120).startswith("Not in the checkout. I ran: npx lint")
    assert cut_excerpt(f"In a copy. {ran}", {}, 120).startswith("npx lint")


def test_a_rule_is_quoted_from_the_sentence_that_binds() -> None:
    """What a person liked before it is no rule; a stretch that has the rule, and a text without one, stay."""
    liked, rule = "nice, same number, I like that.", "always build with --target dev, never run anything against prod"
    whole = f'User set a rule: "{liked} {rule}"'
    end = whole.index(liked) + len(liked)
    assert lead_with_rule(whole, 0, end) == f'User set a rule: "… {rule}"'
    assert lead_with_rule(whole, 0, len(whole)) == ""
    assert lead_with_rule(whole.replace(rule, "the other one was odd"), 0, end) == ""


@given(st.text(alphabet="ab c.:\n", max_size=400), st.integers(20, 200))
def test_an_excerpt_keeps_its_limit(text: str, limit: int) -> None:
    """For any text."""
    assert len(cut_excerpt(text, {"a": 1.0, "b": 2.0}, limit, is_agents=True)) <= limit
