"""Quoted lines and forwarded mails are not words of the user."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversation.typed_text import extract_typed_text
from tests.transforms.growth import grows_with_text
from transforms.conversation.quoted_lines import find_quoted_lines


def test_a_quoted_mail_is_not_typed_but_the_words_around_it_are() -> None:
    text = "Ines writes:\n\n> please always send Excel\n> never use commas\n\nSo we keep JSON."
    typed = extract_typed_text(text)
    assert "Ines writes" in typed
    assert "So we keep JSON." in typed
    assert "Excel" not in typed
    assert "commas" not in typed


def test_a_forwarded_mail_ends_with_its_sign_off() -> None:
    text = (
        "I got this:\n\nFrom: T <t@customer.example>\nSubject: Re: x\nDate: Thu\n\nHi,\nyou must always send a header.\n"
        "Kind regards, Tomasz\n\nSo: does our timeout fit?"
    )
    typed = extract_typed_text(text)
    assert "always" not in typed
    assert typed.startswith("I got this")
    assert "does our timeout fit?" in typed


def test_a_name_below_an_empty_line_belongs_to_the_mail() -> None:
    lines = ["From: a@b.example", "To: c@d.example", "", "never deploy", "", "Best,", "", "Ines", "", "we deploy on Monday"]
    assert find_quoted_lines(lines) == [True] * 8 + [False] * 2


def test_a_remark_in_small_letters_below_a_mail_in_capitals_is_not_quoted() -> None:
    """Two people write so; a last paragraph in the mail's own style belongs to it."""
    mail = ["From: a@b.example", "Subject: x", "", "1. Use a queue.", "2. Log nothing.", ""]
    assert find_quoted_lines([*mail, "only do 2"]) == [True] * 6 + [False]
    assert find_quoted_lines([*mail, "Only do 2."]) == [True] * 7


def test_a_mail_without_sign_off_goes_to_the_end() -> None:
    assert find_quoted_lines(["see", "From: a@b.example", "Subject: x", "", "always do y"]) == [False, True, True, True, True]


def test_a_list_under_the_labels_of_a_mail_answers_it_and_is_not_of_it() -> None:
    """With the line above it. A mail that counts anew in one paragraph, or goes on counting, is one mail."""
    mail = ["Subject: keys", "From: Derek Fallow, Compliance", "4.1 Keys MUST be rotated.", "4.2 Roles MUST be certified.", ""]
    answer = ["My reading, same numbers:", "4.1 no.", "4.2 not this tool."]
    assert find_quoted_lines(["see", *mail, *answer]) == [False, *[True] * 5, *[False] * 3]
    assert all(find_quoted_lines([*mail, "4.3 Reports by mail.", "4.4 Logs stay."]))


@each_case("below", [
    ["Findings:", "1. The importer is slow.", "2. So is it.", "", "Decisions:", "1. Never on Fridays.", "2. We use Oracle."],
    ["a) keys are rotated", "b) roles are certified", "", "From Monday on:", "a) keys stay", "b) roles are certified by hand"],
    ["4.1 Scope", "4.2 Keys", "", "4.1 Scope of the policy", "All.", "", "4.2 Keys", "Never kept in files."],
    ["4.1 Rotate keys.", "4.2 Roles, too.", "", "From: Ines <i@x.example>", "Subject: Re: keys", "", "4.1 always.", "4.2 never."],
])  # fmt: skip
def test_further_lists_of_a_mail_and_the_answers_of_another_one_are_of_their_senders(below: list[str]) -> None:
    """ "1." begins again in each list of a mail: its second one was taken for what the person typed who passed it on."""
    assert find_quoted_lines(["see", "From: Bob <bob@x.example>", "Subject: plan", "", *below])[1:] == [True] * (3 + len(below))


@each_case("header", [
    ["De: Marta Vega <marta@uni.example>", "Enviado: lunes, 4 de mayo de 2026 10:32", "Para: Xoan", "Asunto: tablas"],
    ["Od: Marta Vega <marta@uni.example>", "Data: 4 maja 2026", "Temat: tabele"],
    ["**Från:** Marta Vega marta@uni.example", "**Skickat:** den 4 maj 2026 10:32"],
    ["De: Marta Vega <marta@uni.example>", "Para: Irene", "Asunto: tablas"],
    ["差出人：Marta Vega <marta@uni.example>", "日時：2026年5月4日 10:32"],
])  # fmt: skip
def test_a_mail_is_known_by_the_form_of_its_header_in_any_language(header: list[str]) -> None:
    """An address and a date, in fields; it ends with the name of its sender."""
    lines = ["mira:", "", *header, "", "Las tablas siempre con 3 decimales.", "", "Un abrazo,", "Marta", "", "Con 2 basta."]
    assert find_quoted_lines(lines) == [False] * 2 + [True] * (len(header) + 5) + [False] * 2


def test_a_mail_right_below_its_announcement_ends_with_its_closing_in_any_language() -> None:
    """A short line with a comma above a name closes it; the salutation does not. What follows at once is the writer's."""
    lines = [
        "Mail of the insurer:",
        "Von: Cyber <cyber@ins.example>",
        "Temat: polisa",
        "",
        "Szanowni Państwo,",
        "prosimy o kopie.",
    ]
    closing = ["Z poważaniem,", "Dział Cyber", "tel. +48 22 555"]
    for remark in ("180 days. How many TB is that with three copies?", "put it into the runbook"):
        assert find_quoted_lines([*lines, *closing, remark]) == [False, *[True] * 8, False]


def test_a_mail_ends_with_its_senders_first_name_also_right_above_the_next_line() -> None:
    """Without an address the first field names the sender."""
    mail = ["From: Ingvild Moe", "Subject: r3", "The coil is new now.", "/Ingvild"]
    assert find_quoted_lines([*mail, "do what she says about the coil"]) == [*[True] * 4, False]


@each_case(
    "text",
    [
        "owner: Ana <ana@lab.example>\ndate: 2026-05-04 10:00\n\nalways keep these two keys",
        "Deploy: ask ana@lab.example first\nDeadline: 2026-05-04\n\nnever deploy before",
        "Contact: ana@lab.example\nRoom: blue\n\nplease put this on the page",
        "My plan\nContact: ana@lab.example\nDay: 4 May 2026\n\nplease write the page",
        "Contact: ana@lab.example\nDay: 4 May 2026",
        "Contact: ana@lab.example\nRoom: blue\nKey: with Ana\n\nplease put this on the page",
        "From: now on never use pip",
        "Subject: the parser. I want it rewritten",
        "best would be a cache with a ttl of 6 h",
        "if a > b then swap\nand b->c stays",
        "use a -> b\n>= 3 items please",
        "to: be honest, never mind",
    ],
)
def test_words_that_only_look_like_a_mail_stay_typed(text: str) -> None:
    assert not any(find_quoted_lines(text.split("\n")))


def test_what_stands_below_a_quoted_question_is_typed() -> None:
    """It has hardly a word ("15 min", "5.2"), and is what the writer answers; output below a prompt stays output."""
    text = "ok\n> Q1\n15 min\n> keep 5.1, or which one?\n5.2\n> Q3"
    assert extract_typed_text(text).split("\n") == ["ok", "15 min", "5.2"]
    assert extract_typed_text("> 1 + 1\n2\n> x.y()\n(none)\n> 3") == ""


@each_case(
    "lines",
    [
        "[14/09, 16:22] Ines (Harbour): we never open on Sunday, please change it\n[14/09, 16:24] Ines (Harbour): and thanks",
        "12.03.26, 09:10 - Ines Ott: always send us a mail when you change something",
        "[10:32 AM, 3/4/2026] Ines: always send us a mail when you change something",
        "[10:32] Ines: always send us a mail when you change something",
        "[Ines O., 10:32] always send us a mail when you change something",
        "[인에스] [오후 3:12] always send us a mail when you change something",
        "오후 3:12\tInes\talways send us a mail when you change something",
    ],
)
def test_messages_copied_out_of_a_chat_are_words_of_their_senders(lines: str) -> None:
    """A moment, a sender and a colon begin each: phones and desktops copy them so."""
    assert extract_typed_text(f"ines wrote me this\n\n{lines}\n\nonly the first one") == "ines wrote me this\nonly the first one"
    assert extract_typed_text(lines) == ""


def test_a_moment_at_the_beginning_of_typed_words_is_no_chat() -> None:
    for text in (
        "14/09 16:22 is when it failed: look at the log please",
        "on 14/09, 16:22 it failed: why?",
        "[1] Ines: she knows it",
        "[draft] [v2] is what she sent",
    ):
        assert extract_typed_text(text) == text


def test_empty_lines_cost_what_they_are_many() -> None:
    """Each of them copied all lines below it, to look for the header of a mail."""
    assert grows_with_text(lambda text: find_quoted_lines(text.split("\n")), "\n", 1_500)
