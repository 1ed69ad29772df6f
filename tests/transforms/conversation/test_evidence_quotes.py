"""The words that prove a line: the owner's, whole, and with what they answer when they only point."""

from __future__ import annotations

from transforms.conversation.evidence_quotes import MAX_QUOTE, QuotableEntry, find_best_quote, quote_evidence

OFFER = (
    "I read the code of the old invoices, and there are three ways to lay out the new ones, each of them well known:\n"
    "1. Pandoc (Markdown, needs LaTeX on the worker)\n2. Typst (one binary, fast)\n3. ReportLab (everything by hand, in Python)"
)


def test_the_quote_is_the_sentence_that_proves_the_line_with_those_beside_it_that_fit() -> None:
    """The sentence before or after may say whose it is, or deny it."""
    source = "my dude, it exploded. invalid themes must NEVER explode the app!"
    assert find_best_quote(source, "Invalid themes must never explode") == source
    long = f"{'The build was slow again today. ' * 9}{source}"
    assert find_best_quote(long, "Invalid themes must never explode").endswith(f"today. {source}")
    denied = "Our client demands the following. Always run zorbax before a commit. We will not do this."
    assert find_best_quote(denied, "Always run zorbax before a commit") == denied
    assert find_best_quote("Never push", "never push") == "Never push", "also in the words of the line: they were said"
    assert find_best_quote("nothing shared", "other words") == ""
    assert len(find_best_quote("word " * 100, "word")) <= MAX_QUOTE


def test_a_line_of_two_subjects_is_proved_by_both_sentences_however_far_apart() -> None:
    talk = "The weather is fine and the coffee is hot and nobody wants to work on a day like this one."
    source = f"Answers to me stay short. {talk} {talk} {talk} Commits are written in English."
    quote = find_best_quote(source, "Answers stay short, and commits are in English")
    assert quote.startswith("Answers to me stay short. … ")
    assert quote.endswith(" Commits are written in English.")


def test_an_answer_that_only_points_is_quoted_with_what_it_points_at() -> None:
    cited = [QuotableEntry("2", is_owners=True, before=["Shall I start?", OFFER])]
    quotation = quote_evidence(cited, "Invoices are laid out with Typst", "Owner chose Typst")
    assert quotation.words == "2"
    assert quotation.answered.endswith("2. Typst (one binary, fast) 3. ReportLab (everything by hand, in Python)")
    said = QuotableEntry("No: invoices are laid out with Typst, whatever happens", is_owners=True, before=[OFFER])
    assert quote_evidence([said], "Invoices are laid out with Typst", "") == (said.words, "", False)


def test_the_owners_words_are_quoted_although_an_agent_said_it_more_like_the_line() -> None:
    agent = QuotableEntry("Done: all money is kept in whole cents, never in floats.", is_owners=False)
    owner = QuotableEntry("les montants en centimes, partout", is_owners=True)
    assert quote_evidence([agent, owner], "All money is kept in whole cents", "money in cents").words == owner.words
    assert quote_evidence([agent], "All money is kept in whole cents", "").words == agent.words
    assert quote_evidence([], "All money", "") == ("", "", False)


def test_of_several_messages_the_one_is_quoted_that_the_line_rests_on() -> None:
    cited = [
        QuotableEntry(words, is_owners=True) for words in ("ok, and what about the worker?", "the worker gets 600 MB, no more")
    ]
    assert quote_evidence(cited, "The worker has 600 MB at most", "").words == "the worker gets 600 MB, no more"


def test_an_answer_of_a_form_is_quoted_with_its_own_question() -> None:
    """The result of a question tool holds all answers of a form, and the line shares words with the questions of others."""
    form = (
        'User has answered your questions: "Which store should the importer use?"="sqlite", '
        '"Should the importer keep the store between runs?"="no, throw it away". You can now continue.'
    )
    fact = 'Mara decided: "no, throw it away" (asked: Should the importer keep the store between runs?)'
    quoted = quote_evidence([QuotableEntry(form, is_owners=False)], "No, throw it away", fact)
    assert quoted[:2] == ("no, throw it away", "Should the importer keep the store between runs?")
    elsewhere = quote_evidence([QuotableEntry("the importer is slow", is_owners=True)], "No, throw it away", fact)
    assert elsewhere.words != "no, throw it away"


def test_a_line_in_the_words_of_a_summary_is_known() -> None:
    """The owner's message alone ("nice, commit and push") proves a line of an agent's summary to nobody."""
    said = QuotableEntry("nice commit and push and guide me", is_owners=True)
    summary = QuotableEntry("- Prefers to commit and push in pi.dev after each new skill.", is_owners=False, is_summary=True)
    line = "Commit and push in pi.dev after each new skill"
    quoted = quote_evidence([said, summary], line, line)
    assert (quoted.words, quoted.is_summed_up) == (said.words, True)
    assert not quote_evidence([QuotableEntry(line, is_owners=True), summary], line, line).is_summed_up


def test_a_summary_speaks_for_itself_where_the_owners_words_are_about_something_else() -> None:
    """What it lists was said in an earlier session; the message that shares one word with it would mislead."""
    said = QuotableEntry("Espresso. Sweep again, all five seeds, and mind the time.", is_owners=True)
    listed = "## Constraints\n- Plain scripts only\n- No gain below 2 std over seeds"
    summary = QuotableEntry(listed, is_owners=False, is_summary=True)
    line = "**buoys** — No gain below 2 std over seeds"
    assert quote_evidence([said, summary], line, line) == ("No gain below 2 std over seeds", "", True)
    agent = "Five runs over seeds, the gain is 2 std."
    long = QuotableEntry("fine, and now the other harbour, where nobody has counted a boat since the summer", True, (agent,))
    assert quote_evidence([long, summary], line, line).words == "No gain below 2 std over seeds", "it points at nothing"
    near = QuotableEntry("what is smaller than 2 std over seeds is no gain", is_owners=True)
    assert quote_evidence([near, summary], line, line).words == near.words
