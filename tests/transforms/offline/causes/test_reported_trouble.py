"""A report of another trouble begins another search; an objection, a question back and the report said again do not."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.causes.reported_trouble import is_same_trouble, reports_trouble, supposes

REPORT = "login fails with 500, find it"
GUESS = "The cause is the missing `SECRET_KEY` in `.env`, so the session middleware raises."
COOKIE = "The cause is the cookie of the login session: `SameSite=None` needs `Secure`, and the proxy drops that."
IMAGES = "The issue is `nginx.conf`: `location /img` points at the old folder `/srv/old`."


@each_case(
    "message, diagnosis, is_same",
    [
        ("look again", COOKIE, True),
        ("I set it, and login still fails", COOKIE, True),
        ("the key is there. who else raises in the session?", COOKIE, True),
        ("no, that fails with the key as well", COOKIE, True),
        ("why are the images of the shop broken?", IMAGES, False),
        ("what about the images? they are broken as well", IMAGES, False),
        ("no that's right. but the images are broken too", IMAGES, False),
        ("and the folder of the images?", IMAGES, False),
        ("and the session of the mail page?", "The cause is `mail.py`: the middleware raises where the mail is empty.", False),
        ("and the cookie? login needs one", COOKIE, True),
    ],
)
def test_one_search_is_about_what_its_report_and_its_guesses_name(message: str, diagnosis: str, is_same: bool) -> None:
    """Whoever disputes a guess may use other words; whoever reports something new names what nobody has named."""
    first, second = split_exchanges(conversation(user(REPORT), agent(GUESS), user(message), agent(diagnosis)))
    assert is_same_trouble([first], second, second.agent_messages[0]) == is_same


def test_a_report_says_that_something_failed_or_asks_why() -> None:
    texts = ["the images are broken", "why is the list empty?", "show me the list"]
    exchanges = split_exchanges(conversation(*(part for text in texts for part in (user(text), agent("Yes.")))))
    assert [reports_trouble(exchange) for exchange in exchanges] == [True, True, False]


def test_a_supposition_draws_a_consequence() -> None:
    assert supposes("If that was it, all of them would fail")
    assert not supposes("would it fail if that was it?")
