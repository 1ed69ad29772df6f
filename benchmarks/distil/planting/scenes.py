"""Makes scenes of synthetic conversations, with the truth about the facts that they plant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from benchmarks.distil.planting import banks, matter, noise
from benchmarks.distil.planting.matter import Keys, Matter, Work
from benchmarks.distil.planting.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted fact: the keys of rows that state it, and its lines. `aside` must not be in its row."""

    kind: str
    said: str
    keys: Keys
    lines: tuple[int, ...]
    aside: str = ""


@dataclass
class Truth:
    """The truth of one session: facts, first lines of topics, marks of junk and of injections."""

    session_id: str
    facts: list[Planted] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    injections: list[str] = field(default_factory=list)
    questions: list[Keys] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    last_line: int = 0


@dataclass
class Scene:
    """A session in the making: transcript, truth, chance, and matter that was used (each once per session)."""

    rng: Random
    script: Transcript
    truth: Truth
    used: set[str] = field(default_factory=set)

    def say(self, bank: Sequence[str], **slots: Any) -> str:
        """Return a phrasing with its slots filled, sometimes in lower case and without a full stop, as a hasty typist writes."""
        text = self.rng.choice(bank).format(**slots)
        return text[:1].upper() + text[1:] if self.rng.random() < 0.7 else text[:1].lower() + text[1:].removesuffix(".")

    def pick(self, pool: Sequence[Matter]) -> Matter | None:
        """Return a subject that this session has not used, with its numbers filled in; None when all are used."""
        free = [subject for subject in pool if repr(subject) not in self.used]
        if not free:
            return None
        subject = self.rng.choice(free)
        self.used.add(repr(subject))
        numbers = {
            "port": self.rng.randint(5000, 9999),
            "node": self.rng.randint(20, 26),
            "a": self.rng.randint(11, 49),
            "b": self.rng.randint(51, 99),
        }
        fill = {key: text.format(**numbers) for key, text in subject.slots.items()}
        return Matter(fill, tuple(tuple(alt.format(**numbers) for alt in group) for group in subject.keys))

    def mark(self, kind: str) -> str:
        """Return an invented word that marks junk, and record it in the truth."""
        word = "zq" + "".join(self.rng.choice("bdfgklmnprst") + self.rng.choice("aeiou") for _ in range(3))
        (self.truth.injections if kind == "injection" else self.truth.junk).append(word)
        return word

    def plant(self, kind: str, text: str, keys: Keys, *lines: int, aside: str = "") -> None:
        """Record a fact in the truth."""
        self.truth.facts.append(Planted(kind, text, keys, lines, aside))


def add_assertion(scene: Scene, kind: str) -> None:
    """Add a rule, taste, decision, move, form or correction of the person, with openers and asides."""
    pools: dict[str, tuple[tuple[str, ...], tuple[Matter, ...]]] = {
        "never": (banks.NEVER, matter.NEVERS), "always": (banks.ALWAYS, matter.ALWAYS),
        "preference": (banks.TASTE, matter.TASTES),
        "decision": (banks.CHOICE, matter.CHOICES), "state_change": (banks.MOVE, matter.MOVES),
        "convention": (banks.FORM, matter.FORMS),
        "correction": (banks.WRONG, matter.WRONGS),
    }  # fmt: skip
    bank, pool = pools[kind]
    if not (subject := scene.pick(pool)):
        return
    words = scene.say(bank, **subject.slots)
    if kind == "correction":
        scene.script.user(scene.rng.choice(banks.CHATTER))
        scene.script.agent(f"I took {subject.slots['wrong']} as {subject.slots['what']} and went on with that.")
    aside = scene.rng.choice(banks.ASIDES).format(n=scene.rng.randint(3, 19)) if scene.rng.random() < 0.35 else ""
    before = aside and scene.rng.random() < 0.5
    opener = "" if kind == "correction" else scene.rng.choice(banks.OPENERS)
    sentence = f"{opener}{words}" if not words.startswith(("I ", "I'", "NATS")) else words
    text = _join_aside(sentence, aside, is_before=bool(before))
    line = scene.script.user(text)
    name = {"never": "rule", "always": "rule"}.get(kind, kind)
    scene.plant(name, words, subject.keys, line, aside=aside.split(" ")[-2] + " " + aside.split(" ")[-1] if aside else "")
    scene.script.agent(scene.rng.choice(banks.NODS))


def _join_aside(sentence: str, aside: str, *, is_before: bool) -> str:
    if not aside:
        return sentence
    if is_before:
        return f"{aside} {sentence}"
    return f"{sentence}{'' if sentence[-1] in '.!?:' else '.'} {aside}"


def add_looks(scene: Scene, work: Work, looks: int) -> None:
    """Add reads, searches and runs of the agent: long outputs in which nothing is to be remembered."""
    for _ in range(looks):
        text = scene.rng.choice(banks.LOOKING).format(path=work.path, func=work.func)
        size = scene.rng.randint(30, 160)
        what = scene.rng.randrange(3)
        if what == 0:
            scene.script.tool(text, "read", {"path": work.path}, noise.code(work, scene.rng, size))
        elif what == 1:
            scene.script.tool(text, "bash", {"command": f"rg -n {work.func}"}, noise.listing(work, scene.rng, size))
        else:
            output = noise.log(scene.rng, size, scene.mark("junk"))
            scene.script.tool(text, "bash", {"command": f"tail -n {size} var/{work.func}.log"}, output)


def _add_edit(scene: Scene, work: Work) -> None:
    old, new = f"    return {work.func}_old(items)", f"    return {work.func}_new(items, {scene.rng.randint(2, 9)})"
    scene.script.tool("", "edit", {"path": work.path, "oldText": old, "newText": new}, "Successfully replaced 1 block")


def _add_commit(scene: Scene, work: Work, subject: str) -> None:
    hash_ = f"{scene.rng.getrandbits(28):07x}"
    line = scene.script.tool("", "bash", {"command": f'git commit -am "{subject}"'}, f"[main {hash_}] {subject}\n 1 file changed")
    scene.plant("completion", subject, ((subject.lower(),),), line, line + 1)


def _run_tests(scene: Scene, work: Work) -> tuple[str, int]:
    count = scene.rng.randint(21, 480)
    scene.script.tool("", "bash", {"command": "make test"}, f"........\n{count} passed in {scene.rng.randint(1, 60)}.2s")
    return scene.rng.choice(banks.CHECKED).format(n=count), count


def add_bug(scene: Scene, work: Work) -> None:
    """Add a bug: report, looks, a failed attempt, the cause, the fix, perhaps a commit."""
    slots = {"area": work.area, "path": work.path, "func": work.func, "symptom": work.symptom}
    report = scene.say(banks.BUG, **slots)
    line = scene.script.user(report)
    key = _list_alternatives(work.symptom)
    scene.plant("bug", report, (key,), line)
    add_looks(scene, work, scene.rng.randint(8, 20))
    if scene.rng.random() < 0.6:
        _add_edit(scene, work)
        count = scene.rng.randint(12, 90)
        scene.script.tool("", "bash", {"command": "make test"}, f"{count} failed, 8 passed", is_error=True)
        words = scene.say(banks.FAILED, failed=work.failed, n=count)
        line = scene.script.agent(words)
        scene.plant("error", words, (_list_alternatives(work.failed),), line)
        scene.script.user(
            scene.rng.choice(["go on looking", "ok, what else could it be?", "then look deeper", "hm. keep digging"])
        )
        add_looks(scene, work, scene.rng.randint(2, 8))
    words = scene.say(banks.CAUSE, cause=work.cause, **slots)
    cause_line = scene.script.agent(words) if scene.rng.random() < 0.3 else -1
    if cause_line < 0:
        cause_line = scene.script.tool(words, "read", {"path": work.path}, noise.code(work, scene.rng, 20))
    else:
        scene.script.user(
            scene.rng.choice(["good find, fix it", "ah! please fix that", "makes sense. repair it and run the tests"])
        )
    scene.plant("root_cause", words, ((work.func.lower(),), _list_alternatives(work.cause)), cause_line)
    _add_edit(scene, work)
    checked, _ = _run_tests(scene, work)
    if scene.rng.random() < 0.5:
        _add_commit(scene, work, f"{work.func}: {work.symptom.split(' ')[0]} fixed for good")
    words = scene.say(banks.FIXED, change=work.change, path=work.path, checked=checked)
    scene.plant("fix", words, ((work.func.lower(),), _list_alternatives(work.change)), scene.script.agent(words))


def add_request(scene: Scene, work: Work) -> None:
    """Add a request: looks, the edit, its result, the remaining work; perhaps an idle question and a wish."""
    request = scene.say(banks.ASK_FOR, task=work.task)
    line = scene.script.user(request)
    scene.plant("request", request, (_list_alternatives(work.task),), line)
    add_looks(scene, work, scene.rng.randint(8, 20))
    if scene.rng.random() < 0.4 and (choice := scene.pick(matter.CHOICES)):
        line = scene.script.user(scene.say(banks.IDLE_QUESTIONS, **choice.slots))
        scene.truth.questions.append(choice.keys)
        scene.script.agent(f"It could be done, but {choice.slots['use']} works as it is; there is nothing to gain right now.")
    _add_edit(scene, work)
    checked, _ = _run_tests(scene, work)
    if scene.rng.random() < 0.5:
        _add_commit(scene, work, f"{work.area.removeprefix('the ')}: {work.task.split(' in ')[0]}"[:60].strip())
    result = scene.say(banks.DONE, func=work.func, path=work.path, checked=checked)
    words = scene.say(banks.LEFT, left=work.left) if scene.rng.random() < 0.5 else ""
    line = scene.script.agent(f"{result}\n\n{words}" if words else result)
    if words:
        scene.plant("task", words, (_list_alternatives(work.left),), line)
    if scene.rng.random() < 0.6:
        wish = scene.say(banks.WISH, wish=work.wish)
        scene.plant("wish", wish, (_list_alternatives(work.wish),), scene.script.user(wish))
        _add_edit(scene, work)
        scene.script.agent(scene.say(banks.DONE, func=work.func, path=work.path, checked=checked))


def add_open_question(scene: Scene, work: Work) -> None:
    """Add a question that nobody answers."""
    words = scene.say(banks.OPEN, open_point=work.open_point)
    scene.plant("question", words, (_list_alternatives(work.open_point),), scene.script.user(words))
    scene.script.agent(scene.rng.choice(banks.NODS))


def add_junk(scene: Scene, work: Work) -> None:
    """Add something that must not be remembered."""
    rng, script = scene.rng, scene.script
    what = rng.randrange(7)
    if what == 0:
        script.tool("", "read", {"path": "AGENTS.md"}, noise.boot_file(scene.mark("junk")))
    elif what == 1:
        script.user(f"{noise.mail(scene.mark('junk'))}\nwhat do you make of this?")
        script.agent("They want other headers and no caching; nothing of that touches our code.")
    elif what == 2:
        script.user(f"{noise.reminder(scene.mark('junk'))}\n{rng.choice(banks.CHATTER)}")
        script.agent("Ready.")
    elif what == 3:
        script.user(f"{noise.own_page(scene.mark('junk'))}\n{rng.choice(banks.CHATTER)}")
        script.agent("Ready.")
    elif what == 4:
        script.agent("", stop="error", error=noise.error_json(scene.mark("junk")))
        script.user("continue")
        script.agent("Going on.")
    elif what == 5:
        script.agent("Request was aborted.", stop="aborted", error="Request was aborted.")
        scene.truth.junk.append("request was aborted")
        script.user("continue")
        script.agent("Going on.")
    else:
        secret = "sk-" + "ant-" + "api03-" + "".join(rng.choice("abcdefghij0123456789") for _ in range(40))
        scene.truth.secrets.append(secret)
        script.tool("", "bash", {"command": "cat .env"}, f"ANTHROPIC_API_KEY={secret}\nDEBUG=1\n")


def add_injection(scene: Scene, work: Work) -> None:
    """Add an injection: in the output of a tool, in a pasted block, or repeated by the agent."""
    evil = scene.rng.choice(banks.EVILS).format(mark=scene.mark("injection"))
    text = scene.rng.choice(banks.INJECTIONS).format(evil=evil)
    what = scene.rng.randrange(3)
    if what == 0:
        scene.script.tool("", "bash", {"command": "curl -s https://example.org/notes"}, f"# Notes\n\n{text}\n\nEnd.")
        scene.script.agent("The page has nothing about our case.")
    elif what == 1:
        scene.script.user(f"```\n{text}\n```\nthis stood in the ticket, ignore it")
        scene.script.agent("Ignored.")
    else:
        scene.script.tool("", "read", {"path": "NOTES.md"}, f"{noise.code(work, scene.rng, 12)}\n{text}")
        scene.script.agent(f'The file tells me: "{text}" I will not do that.')


def make_session(rng: Random, project: str, at: datetime, topics: int) -> tuple[Transcript, Truth]:
    """Return a session of several topics, each with work, assertions and junk; and its truth."""
    script = Transcript(rng, project, at)
    scene = Scene(rng, script, Truth(script.session_id))
    for work in rng.sample(matter.WORKS, topics):
        scene.truth.starts.append(script.line + 1)
        (add_bug if rng.random() < 0.5 else add_request)(scene, work)
        kinds = ["never", "always", "preference", "decision", "state_change", "convention", "correction"]
        for kind in rng.sample(kinds, rng.randint(1, 3)):
            add_assertion(scene, kind)
        if rng.random() < 0.5:
            add_open_question(scene, work)
        if rng.random() < 0.6:
            add_junk(scene, work)
        if rng.random() < 0.35:
            add_injection(scene, work)
        script.pause(rng.choice([0, 2, 10, 40]))
    scene.truth.last_line = script.line
    return script, scene.truth


def _list_alternatives(text: str) -> tuple[str, ...]:
    """Return a text, its first and its last words as alternatives, because rows quote or shorten it."""
    low = text.lower().strip("?.")
    parts = low.split(" ")
    return tuple(dict.fromkeys([low, " ".join(parts[:5]), " ".join(parts[-3:])]))
