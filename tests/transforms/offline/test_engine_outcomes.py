"""A saying is kept with the outcome that is about it, and with none that is not."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, ran, user
from transforms.distil.engine_result import DistilledWindow
from transforms.exchanges.claims import choose_headline
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.menus import lists_options
from transforms.offline.engine import OfflineEngine
from transforms.offline.tasks import suggest_response

OPENING = [user("build the importer in src/importer.py please"), agent("I added `src/importer.py` with `load_rows`.")]


def distil(*parts: Any) -> DistilledWindow:
    """Distil one topic with room for everything."""
    entries = conversation(*parts)
    return OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)


def texts(*parts: Any) -> list[str]:
    """Texts of the facts of a conversation."""
    return [fact.text for segment in distil(*parts).segments for fact in segment.facts]


def test_an_outcome_about_another_matter_is_left_out() -> None:
    """The agent did several things and reports the last one; an outcome with a word of the saying stays."""
    work = edited("src/reader.py", "Int32", "round")
    rule = "in general: no new dependency without asking me first"
    alone = texts(OPENING, user(rule), work, agent("Polars keeps float32 here, and `round` comes before the cast."))
    assert not any(rule in text and "float32" in text for text in alone)
    rows = texts(OPENING, user("add a retry to the upload of the orders"), work, agent("The upload now tries 3 times in `put`."))
    assert any("add a retry" in text and "tries 3 times" in text for text in rows)


def test_a_state_that_the_agents_question_asks_about_is_no_outcome() -> None:
    """The answer changes it."""
    rows = texts(
        user("wire the alert mails properly in src/alerts.py"), edited("src/alerts.py", "60", "40"),
        agent("The alert mails still go to your own address. Where should they go?"),
        user("desk@harbour.example, take me out"), edited("src/alerts.py", "a@b.example", "desk@harbour.example"),
        agent("The alert mails go to the desk now."),
    )  # fmt: skip
    assert not any("your own address" in text and "about" not in text for text in rows)


def test_a_guess_about_the_cause_is_no_fact_and_no_title_when_it_is_denied() -> None:
    """By the agent or the owner, in the next exchanges; the cause that was found is one."""
    parts = [
        user("station 4 has no rows since two o'clock, find out why"),
        agent("The cause is the modem of the mast: it reconnected at 04:02, so `rows.csv` was never sent."),
        user("hm, the mast was fine. look at the files"), ran("wc -l rows.csv", "1501 rows.csv"),
        agent("`rows.csv` has the rows, so it was not the modem."),
        user("then what"),
        agent("The cause is the clock of station 4: it sends local time, so `dedupe` dropped the doubled hour."),
        user("yes that is it"),
    ]  # fmt: skip
    window = distil(*parts)
    told = [text for segment in window.segments for text in (segment.title, segment.narrative, *(f.text for f in segment.facts))]
    assert not any("modem of the mast" in text for text in told)
    assert any("doubled hour" in text for text in told)


def test_a_request_that_points_stays_with_what_it_points_to() -> None:
    """ "make it 400" alone says nothing."""
    rows = texts(OPENING, user("90 days for the raw files is too short by the way. make it 400"), edited("a.py", "90", "400"))
    assert any("90 days for the raw files" in text and "make it 400" in text for text in rows)


def test_what_the_owner_leaves_open_is_not_nothing() -> None:
    """It is the next step, and no task is shown as completed beside it."""
    work = edited("src/back.py", "2019", "2020", text="The backfill stopped.")
    window = distil(
        OPENING, user("now backfill in src/back.py"), work, agent("The backfill stopped after 2020-06: the files are missing."),
        user("leave the backfill open until the files come"), agent("OK."),
    )  # fmt: skip
    assert window.suggested_response == 'Left open by User: "leave the backfill open until the files come"'
    assert window.current_task == ""
    assert distil(user("hi"), agent("Hello.")).suggested_response == ""


def test_a_decision_that_names_itself_is_one_as_the_first_message_too() -> None:
    """With the learned acts, which take first messages for requests."""
    from effects.distil.stored_weights import load_turn_classifier

    entries = conversation(user("We decided to use Postgres 16 for the job store because two hosts claim jobs."), agent("OK."))
    engine = OfflineEngine(classifier=load_turn_classifier())
    kinds = [fact.kind for segment in engine.distil(entries, [(0, 1)], [], 3000).segments for fact in segment.facts]
    assert "decision" in kinds
    assert "request" not in kinds


def end_with(request: str, *parts: Any) -> str:
    """Return the next step after some work, and these last words."""
    work = [user(request), edited("src/importer.py", "1", "3"), agent("`load_rows` tries 3 times.")]
    return distil(*OPENING, *work, *parts).suggested_response


def test_a_session_that_ends_with_words_of_its_owner_goes_on_from_them() -> None:
    """What is still missing is newer than what was completed. Where no rule reads thanks, only a question is to be answered."""
    request, done = "add a retry to `load_rows`", "Last completed: `load_rows` tries 3 times."
    assert end_with(request) == done
    assert end_with(request, user("thanks"), agent("You are welcome.")) == done
    missing = "the history of the last 90 days is missing, i go on tomorrow"
    after = ", after: `load_rows` tries 3 times."
    assert end_with(request, user(missing), agent("Okay.")) == f'Last said by User: "{missing}"{after}'
    assert end_with(request, user("i read it in paper")) == f'Last said by User: "i read it in paper"{after}'
    question = "what does `load_rows` do when the file is empty?"
    assert end_with(request, user(question)) == f'Answer User: "{question}"'
    french = "ajoute un essai de plus dans le fichier, puis lance les tests de la base et regarde les journaux du service"
    for words in ("ça marche, plus de doublons en staging. merci", "il manque encore l'historique, je continue demain"):
        assert end_with(french, user(words)) == f'Last said by User: "{words}"{after}'


class Acts:
    """A classifier that gives every message these acts."""

    def __init__(self, **acts: float) -> None:
        self.acts = acts

    def predict_act(self, text: str, before: str) -> dict[str, float]:
        return self.acts


def end_acting(words: str, **acts: float) -> str:
    """Return the next step of a session that ends with these words, which a classifier takes for these acts."""
    request = [user("add a retry to `load_rows`"), edited("src/importer.py", "1", "3"), agent("`load_rows` tries 3 times.")]
    entries = conversation(*OPENING, *request, user(words), agent("Okay, good evening."))
    return suggest_response(split_exchanges(entries, Acts(**acts)), "User")


def test_a_goodbye_is_no_work_and_other_closing_words_stand_with_the_result_before_them() -> None:
    """A classifier alone takes plain statements for nothing, too, so words about what was done stay."""
    done = "`load_rows` tries 3 times."
    joke, plan = (
        "if the auditors see this they will cry for weeks",
        "the history of the last 90 days is missing, i go on tomorrow",
    )
    assert end_acting(joke, report=0.4, question=0.3) == end_acting(joke, approval=0.9) == f"Last completed: {done}"
    assert end_acting(plan, decision=0.9) == f'Last said by User: "{plan}", after: {done}'
    about = "load_rows is still slow here on the big files"
    assert end_acting(about, report=0.4) == f'Last said by User: "{about}", after: {done}'


REQUEST = (user("add a retry to `load_rows`"), edited("src/importer.py", "1", "3"), agent("`load_rows` tries 3 times."))


@each_case(
    ("said", "closing", "step"),
    [
        ("off to get lunch before it is all gone, there is one place here", "Enjoy. Open: the docs of `load_rows`, the push.",
         "Still to do: the docs of `load_rows`, the push."),
        ("and now i go home and make waffles for everybody", "Tree is clean; open for next week: rollout of the importer.",
         "Still to do: rollout of the importer."),
        ("now i go home and make waffles for everybody", "Have a good evening, Walt.",
         "Last completed: `load_rows` tries 3 times."),
        ("you are a funny one, i read the diff after lunch and commit then. now i am off to the pub quiz.", "Good luck!",
         'Last said by User: "you are a funny one, i read the diff after lunch and commit then.", after: '
         "`load_rows` tries 3 times."),
        ("i am off to the pub quiz with my brother now", "The working tree has `retry.py`, uncommitted.",
         'Last said by the agent: "The working tree has `retry.py`, uncommitted."'),
    ],
)  # fmt: skip
def test_a_session_goes_on_from_what_its_closing_message_lists_and_from_no_farewell(said: str, closing: str, step: str) -> None:
    assert distil(*OPENING, *REQUEST, user(said), agent(closing)).suggested_response == step


def test_what_was_spoken_of_again_or_is_not_open_is_not_left_open() -> None:
    """Whether it was closed no rule tells, and nothing is better than an open question that has its answer."""
    left = (user("the name of the importer is still open"), agent("Noted."))
    again = (user("call the importer intake, its name is that"), edited("a.py", "1", "2"), agent("`a.py` says intake now."))
    step = 'Left open by User: "the name of the importer is still open"'
    assert distil(*OPENING, *REQUEST, *left, user("thanks"), agent("Bye.")).suggested_response == step
    assert distil(*OPENING, *REQUEST, *left, *again).suggested_response == "Last completed: `a.py` says intake now."
    joke = (user("my brother calls the importer dad's. i do not know which is worse"), agent("Ha."))
    assert "Left open" not in distil(*OPENING, *REQUEST, *joke, user("thanks"), agent("Bye.")).suggested_response
    closed = (user("and the name of the importer is not undecided, it is done"), agent("Right."))
    assert "Left open" not in distil(*OPENING, *REQUEST, *closed, user("thanks"), agent("Bye.")).suggested_response


@each_case(
    "said",
    [
        "we have not decided whether to use Redis for the sessions cache",
        "I still have to ask the lawyer about the privacy notice",
        "leave the backfill open for now",
        "the port is undecided",
    ],
)
def test_what_is_left_open_and_was_spoken_of_nowhere_else_is_the_next_step(said: str) -> None:
    window = distil(*OPENING, *REQUEST, user(said), agent("Sure."))
    assert window.suggested_response == f'Left open by User: "{said}"'
    assert window.current_task == ""


def test_what_a_closing_message_lists_as_open_is_no_outcome_and_all_of_it_is_to_do() -> None:
    closing = "Docs are clean. Open for next week: the mail to County; the deploy of `site`. Left for later: the logo."
    window = distil(*OPENING, user("clean up the docs"), edited("docs/a.md", "a", "b"), agent(closing))
    rows = [(fact.kind, fact.text) for segment in window.segments for fact in segment.facts]
    assert ("request", 'User asked: "clean up the docs" Outcome: Docs are clean.') in rows
    assert ("task", "Open for next week: the mail to County; the deploy of `site`.") in rows
    assert "Open" not in window.current_task
    assert window.suggested_response == "Still to do: the mail to County; the deploy of `site`; the logo."
    assert choose_headline("The tree is clean; open for Monday: the branch.").startswith("The tree is clean")


def test_a_result_is_told_without_a_farewell_and_with_the_subject_of_its_commit() -> None:
    commit = ran("git commit -m 'Retry of the importer'", "[main 1a2b3c4] Retry of the importer")
    said = distil(*OPENING, *REQUEST, user("commit it"), commit, agent("Committed as 1a2b3c4. Good evening, Walt."))
    assert said.suggested_response == 'Last completed: Committed as 1a2b3c4: "Retry of the importer"'
    tree = (
        user("move it to `src/io.py`"),
        edited("src/io.py", "1", "2"),
        agent("`load_rows` moved to `src/io.py`. Mind the mud."),
    )
    assert distil(*OPENING, *REQUEST, *tree).suggested_response == "Last completed: `load_rows` moved to `src/io.py`."


def test_a_question_that_names_nothing_stands_with_the_result_behind_which_it_was_asked() -> None:
    request = [user("add a retry to `load_rows`"), edited("src/importer.py", "1", "3")]
    assert distil(*OPENING, *request, agent("`load_rows` tries 3 times. Next step?")).suggested_response == (
        'Waiting for an answer to: "Next step?", after: `load_rows` tries 3 times.'
    )
    assert distil(*OPENING, *request, agent("`load_rows` tries 3 times. Shall the importer wait?")).suggested_response == (
        'Waiting for an answer to: "Shall the importer wait?"'
    )
    assert distil(user("hi"), agent("Hello. How can I help?")).suggested_response == ""


@each_case(
    ("closing", "step"),
    [
        ("If you want, I can also help you craft the exact best prompt for `load_rows`.", ""),
        ("Let me know if you want to tweak the retries of `load_rows` further.", ""),
        ("Is there anything else you'd like to add to `load_rows`?", ""),
        ("Not deployed, it is the weekend.", ""),
        ("Let me know which limit `load_rows` shall have.",
         'Waiting for an answer to: "Let me know which limit `load_rows` shall have."'),
        ("Not deployed: the nightly job of the importer.", "Still to do: the nightly job of the importer."),
        ("Left for next week: the rows without a `pincode`.", "Still to do: the rows without a `pincode`."),
    ],
)  # fmt: skip
def test_a_session_goes_on_from_what_names_work_and_not_from_a_courtesy_or_the_rest_of_a_sentence(
    closing: str, step: str
) -> None:
    """An offer for the case that somebody wants it waits for no answer, and "it is the weekend" is the reason, not the work."""
    request = [user("add a retry to `load_rows`"), edited("src/importer.py", "1", "3")]
    said = distil(*OPENING, *request, agent(f"`load_rows` tries 3 times. {closing}")).suggested_response
    assert said == step or (not step and said.startswith("Last completed: `load_rows` tries 3 times."))


def test_the_number_of_an_option_names_it_in_every_language() -> None:
    menu = "Deux façons :\n1. une séquence par année\n2. une table `counters` avec SELECT … FOR UPDATE dans la transaction"
    rows = texts(OPENING, user("comment numéroter les factures ?"), agent(menu), user("la 2, évidemment"), agent("Fait."))
    assert any("la 2" in row and "une table `counters` avec SELECT … FOR UPDATE dans la transaction" in row for row in rows)


PASTED = "look at this\n\n```\nReferenceError: separator is not defined\n    at draw (table.ts:9)\n```\n"


def describe_error(*parts: Any) -> str:
    return next(text for text in texts(OPENING, user(PASTED), *parts) if "hit an error" in text)


def test_what_the_agent_changed_is_no_cause_of_an_error() -> None:
    """Behind its edit an agent reports the fix; before it, and in a sentence that says what was wrong, it explains."""
    edit = edited("src/table.ts", "a", "b")
    assert "Outcome: The missing `separator` has been restored" in describe_error(
        edit, agent("The missing `separator` has been restored!")
    )
    both = agent("Fixed the crash! The issue was that `separator` was dropped with the old header.")
    assert "Cause: The issue was that `separator`" in describe_error(edit, both)
    said_before = agent("`separator` was removed with the old header, so it is missing.")
    assert "Cause: `separator` was removed" in describe_error(said_before, edit, agent("Restored `separator` in `src/table.ts`."))


def test_a_commit_without_a_result_did_not_fail() -> None:
    """A session that ends before the result leaves open whether the commit was made."""
    commit = agent("", call("bash", "c9", command='git commit -m "Add a retry to the importer"'))
    window = distil(OPENING, user("add a retry in src/importer.py and commit"), edited("src/importer.py", "1", "3"), commit)
    missing = 'See whether the commit "Add a retry to the importer" was made: no result of it is recorded.'
    assert (window.current_task, window.suggested_response) == ("", missing), "the task was done, only its result is missing"
    later = distil(OPENING, edited("src/importer.py", "1", "3"), agent("Committing now."), commit)
    unspoken = distil(user("<skill>pack it up</skill>"), commit)
    assert [segment.title for segment in unspoken.segments] == ['Set out to commit "Add a retry to the importer"']
    assert later.suggested_response == missing


def test_what_an_agent_would_or_could_do_is_no_outcome() -> None:
    """What it did stays, in the same message."""
    asked = user("no, the whole test suite goes through, only the file with the settings was missing")
    rows = texts(OPENING, asked, ran("make test", "ok"), agent("I'd use `dateutil.parser` for the settings, it reads them all."))
    assert not any("goes through" in text and "dateutil" in text for text in rows)
    wished = user("commit the importer in pieces, as in the other projects")
    done = "Four commits of the importer in `src/importer.py`. Two weeks from now I could also move everything to Kubernetes."
    rows = texts(OPENING, wished, edited("src/importer.py", "a", "b"), ran("make test", "ok"), agent(done))
    assert any("in pieces" in text and "Four commits" in text for text in rows)
    assert not any("in pieces" in text and "Kubernetes" in text for text in rows)


def test_a_push_is_told_only_where_a_command_pushed() -> None:
    """An agent said "committed and pushed" and had pushed nothing; that nothing was pushed is told."""
    asked = user("keep the list of hives in docs/hives.csv, that one counts when I name a hive")
    reply = agent("Committed and pushed the importer. `docs/hives.csv` is the source for hives now.")
    commit, push = ran("git commit -m 'docs: hives'", "[main 1a2b3c4] docs: hives"), ran("git push", "main -> main")
    without = texts(OPENING, asked, edited("docs/hives.csv", "a", "b"), commit, reply)
    assert any("source for hives" in text for text in without)
    assert not any("pushed" in text for text in without)
    assert any("pushed" in text for text in texts(OPENING, asked, edited("docs/hives.csv", "a", "b"), commit, push, reply))
    kept = agent("Committed the importer, not pushed: `docs/hives.csv` is the source for hives now.")
    assert any("not pushed" in text for text in texts(OPENING, asked, edited("docs/hives.csv", "a", "b"), commit, kept))


SPANISH = (
    user("buenas, pon el límite de cajas del almacén en los ajustes y pasa las pruebas antes de comer, por favor"),
    edited("src/limits.py", "None", "40"),
    agent("Listo: `MAX_BOXES = 40` para todos los almacenes de la empresa."),
)
CORRECTED = user("el almacén pequeño se queda en 25 cajas, el límite de 40 cajas es solo para el almacén grande de Vigo")


def test_what_the_next_message_refutes_is_no_outcome_and_no_fact_of_the_agent() -> None:
    """The saying stays without it: a denied verb, an answer that denies, and a case that would have followed."""
    copied = "The copy of the history is complete and verified: sync returned 0, so all objects are in the bucket."
    asked = [user("copy the history of the gauges into the new bucket"), ran("aws s3 sync a b", ""), agent(copied)]
    for later in (
        [user("returned nought isn't verified. count them"), agent("412 objects are missing.")],
        [user("is it? count them"), agent("Not verified indeed: 412 objects are missing.")],
        [user("if that was it the counts would agree"), agent("412 objects are missing.")],
        [user("appends run every fifteen minutes meanwhile. nah"), agent("Fair, the append wrote while the sync listed.")],
    ):
        rows = texts(*asked, *later)
        assert any("copy the history" in text for text in rows)
        assert not any("complete and verified" in text for text in rows)
    kept = texts(*asked, user("lovely. now the port"), agent("The port is 8190."))
    assert any("complete and verified" in text for text in kept)


def test_an_answer_that_begins_with_no_denies_no_earlier_order_or_fact() -> None:
    """It answers the question, or tells what is over or was not needed; what was said before stays."""
    moved = "The cache lives in Redis now, and `cache.py` has a TTL of 60 s."
    work = [user("move the cache to Redis"), edited("cache.py", "a", "b"), agent(moved)]
    rows = texts(*work, user("Isn't Redis too slow for that?"), agent("No, Redis answers within 1 ms on the same host."))
    assert f'User asked: "move the cache to Redis" Outcome: {moved}' in rows
    cause = "The error comes from `load_rows` in `src/importer.py`: it reads column `Id`, and the file has `ID`."
    cured = [edited("src/importer.py", "Id", "ID"), agent("No errors any more. `load_rows` reads `ID` now.")]
    rows = texts(user("the import fails with a KeyError, find it"), agent(cause), user("fix it"), *cured)
    assert any(cause in text for text in rows)


def test_what_the_next_message_denies_of_something_else_takes_nothing_away() -> None:
    """A question why something isn't so, the fault of another thing, and what was not needed leave the claim behind its order."""
    footer = "The footer in `src/footer.tsx` now reads the version from `package.json` and shows it at the bottom of each page."
    asked = user("add a footer to the site in src/footer.tsx that shows the version")
    later = [user("nice. why isn't the footer sticky on mobile?"), agent("Safari ignores it inside of `overflow: hidden`.")]
    assert any(footer in text for text in texts(asked, edited("src/footer.tsx", "a", "b"), agent(footer), *later))
    export = "The export in `src/export.py` works with semicolons as separators and writes UTF-8 with a BOM."
    asked = user("write the export of invoices as CSV in src/export.py")
    for fault in ("ok. The login doesn't work on Safari, look at it", "ok. The login doesn't work"):
        later = [user(fault), edited("src/login.py", "Lax", "None"), agent("The login sets `SameSite=None` now.")]
        assert any(export in text for text in texts(asked, edited("src/export.py", "a", "b"), agent(export), *later))
    covered = "`tests/test_retry.py` has 12 new tests that cover the retry, the backoff and the limit of 5 attempts."
    asked = user("cover the retry with tests in tests/test_retry.py")
    later = [user("rename max to limit in src/retry.py"), agent("No new tests were needed. `src/retry.py` calls it `limit` now.")]
    assert any(covered in text for text in texts(asked, edited("tests/test_retry.py", "a", "b"), agent(covered), *later))


def test_a_push_that_was_refused_is_no_push_in_a_reply() -> None:
    """The agent says that it pushed; the command says that it did not."""
    order = user("commit it, a separate commit for the outbox of the bus, then push the branch of the importer")
    done, refused = "Both commits are made and pushed.", "! [remote rejected] main -> main (declined)\nCommand exited with code 1"
    failed = ran("git push", refused, is_error=True)
    assert not any("and pushed" in text for text in texts(OPENING, order, failed, agent(done)))
    assert any("and pushed" in text for text in texts(OPENING, order, ran("git push", "main -> main"), agent(done)))


def test_what_the_next_message_may_correct_is_no_outcome_where_no_rule_reads_it() -> None:
    """Neither as outcome nor as a row or a narrative of its own; both sayings of the owner stay."""
    ending = (edited("src/limits.py", "40", "25"), agent("Ajustado: Vigo 40, el resto 25."))
    window = distil(*SPANISH, CORRECTED, *ending)
    rows = [fact.text for segment in window.segments for fact in segment.facts]
    told = [*rows, *(segment.narrative for segment in window.segments)]
    assert not any("todos los almacenes" in text for text in told)
    assert any("pon el límite de cajas" in text for text in rows)
    assert any("almacén pequeño se queda en 25" in text for text in rows)


def test_an_outcome_in_another_language_stays_when_the_owner_goes_on() -> None:
    rows = texts(*SPANISH, user("gracias"), agent("De nada."))
    assert any("todos los almacenes" in text for text in rows)


def test_a_reply_without_work_explains_only_a_short_saying_where_no_rule_reads_it() -> None:
    """It may be a guess; what the owner says in words enough stands without it."""
    guess = agent("El servidor del proveedor corta las conexiones largas cada noche.")
    saying = "el informe de ventas de la tienda de Lugo tarda cuarenta segundos desde la semana pasada"
    rows = texts(user(saying), guess, user("vale"), agent("Bien."))
    assert any("informe de ventas" in text for text in rows)
    assert not any("Reply" in text for text in rows)


REFUSED = "[main 7d20aa9] Import stops\npre-push: the types must pass\n\nCommand exited with code 1"


def test_a_commit_and_its_push_are_one_row_that_says_why_the_push_was_refused() -> None:
    """A push of a branch is no release, whether it went through or not."""
    commit = ran("git commit -am 'Import stops' && git push", REFUSED, is_error=True)
    asked = [OPENING, user("commit and push that"), edited("src/importer.py", "1", "2"), commit]
    (row,) = [text for text in texts(*asked, agent("The hook refuses it.")) if "Import stops" in text]
    assert row == 'Committed "Import stops" (7d20aa9): edited importer.py; the push was refused: pre-push: the types must pass.'
    cured = texts(*asked, ran("make types && git push", "main -> main", "c9"), agent("It went through."))
    assert [text for text in cured if "Import stops" in text] == [
        'Committed and pushed "Import stops" (7d20aa9): edited importer.py; '
        "the push was refused first: pre-push: the types must pass."
    ]
    assert not any("Release" in text or "blocked" in text for text in cured)


def test_a_refused_push_of_earlier_commits_is_no_release() -> None:
    """It is told with its reason."""
    output = "remote: error: GH006: Protected branch update failed\nerror: failed to push some refs\n\nCommand exited with code 1"
    rows = texts(OPENING, user("push it"), ran("git push origin boards", output, is_error=True), agent("It was refused."))
    assert "`git push origin boards` was refused: error: GH006: Protected branch update failed." in rows


def test_what_the_agent_offers_next_is_no_outcome() -> None:
    """Whatever is answered to it; a numbered list of what was done is one."""
    said = "fonts: atkinson hyperlegible on the boards, dejavu is ugly and my mother cant read it"
    work = edited("firmware/draw.py", "dejavu", "atkinson")
    ideas = (
        "Three more ideas:\n\n1. Compress the payload with deflate, 6 kB instead of 31.\n"
        "2. Replace the CSV log on the board by a binary one.\n3. OTA updates."
    )
    rows = texts(OPENING, user(said), work, agent(ideas), user("1 ok 2 no keep csv 3 later"), agent("The feed is deflated."))
    assert any("atkinson" in text for text in rows)
    assert not any("atkinson" in text and "Compress" in text for text in rows)
    (offered,) = split_exchanges(conversation(user(said), work, agent(ideas)))
    done = "Three things:\n\n1. Changed the font in `draw.py`.\n2. Removed dejavu from the boards."
    (did,) = split_exchanges(conversation(user(said), work, agent(done)))
    assert lists_options(choose_headline(ideas, 400), offered)
    assert not lists_options(choose_headline(done, 400), did)


@each_case(
    ("reply", "is_edited", "is_current"),
    [
        ("Two rows of src/back.py are wrong: 2019 and 2020.", True, False),
        ("`load_rows` leaves the rows of 2019 out now.", True, False),
        ("Shall I list the rows of 2019, too?", True, True),
        ("I have not listed them yet; the rows of src/back.py still fail.", True, True),
        ("I have not listed them yet; the rows of src/back.py still fail.", False, True),
        ("I start with the rows of 2019.", False, True),
        ("OK.", False, True),
        ("OK.", True, True),
    ],
)
def test_what_was_done_is_no_current_task(reply: str, *, is_edited: bool, is_current: bool) -> None:
    """Words behind work that nobody answered yet do not make its request current again; an agent that asks, announces, assents
    or says what is not done yet leaves it current."""
    asked = user("make me a list of the wrong rows of src/back.py")
    work = edited("src/back.py", "2018", "2019") if is_edited else []
    later = user("the first of the two files came on monday with the post")
    current = distil(OPENING, asked, work, agent(reply), later).current_task
    assert current.startswith("Make me a list") if is_current else current == ""
