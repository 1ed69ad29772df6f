"""Scenes of synthetic conversations, and the truth about what they plant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from benchmarks.planting import banks, matter, noise
from benchmarks.planting.matter import Keys, Matter, Work
from benchmarks.planting.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Planted:
    """A fact: how rows that tell it are recognised, where it stands, which kinds are right; `aside` must not be in its row."""

    kind: str
    said: str
    keys: Keys
    lines: tuple[int, ...]
    aside: str = ""


@dataclass
class Truth:
    """What one session holds: facts, first lines of topics, marks of junk and of injections."""

    session_id: str
    facts: list[Planted] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    injections: list[str] = field(default_factory=list)
    asked: list[Keys] = field(default_factory=list)
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
        """A phrasing with its slots filled, some in the lower case and without the full stop of a hasty typist."""
        text = self.rng.choice(bank).format(**slots)
        return text[:1].upper() + text[1:] if self.rng.random() < 0.7 else text[:1].lower() + text[1:].removesuffix(".")

    def pick(self, pool: Sequence[Matter]) -> Matter | None:
        """Matter that this session has not used, with its numbers filled in."""
        free = [one for one in pool if repr(one) not in self.used]
        if not free:
            return None
        one = self.rng.choice(free)
        self.used.add(repr(one))
        numbers = {
            "port": self.rng.randint(5000, 9999),
            "node": self.rng.randint(20, 26),
            "a": self.rng.randint(11, 49),
            "b": self.rng.randint(51, 99),
        }
        fill = {key: text.format(**numbers) for key, text in one.slots.items()}
        return Matter(fill, tuple(tuple(alt.format(**numbers) for alt in group) for group in one.keys))

    def mark(self, kind: str) -> str:
        """An invented word for junk, remembered as such."""
        word = "zq" + "".join(self.rng.choice("bdfgklmnprst") + self.rng.choice("aeiou") for _ in range(3))
        (self.truth.injections if kind == "injection" else self.truth.junk).append(word)
        return word

    def plant(self, kind: str, said: str, keys: Keys, *lines: int, aside: str = "") -> None:
        """Writes into the truth."""
        self.truth.facts.append(Planted(kind, said, keys, lines, aside))


def lay_down(scene: Scene, kind: str) -> None:
    """Somebody lays down a rule, a taste, a decision, a move, a form: with openers before it and chatter behind it."""
    pools: dict[str, tuple[tuple[str, ...], tuple[Matter, ...]]] = {
        "never": (banks.NEVER, matter.NEVERS), "always": (banks.ALWAYS, matter.ALWAYS),
        "preference": (banks.TASTE, matter.TASTES),
        "decision": (banks.CHOICE, matter.CHOICES), "state_change": (banks.MOVE, matter.MOVES),
        "convention": (banks.FORM, matter.FORMS),
        "correction": (banks.WRONG, matter.WRONGS),
    }  # fmt: skip
    bank, pool = pools[kind]
    if not (one := scene.pick(pool)):
        return
    said = scene.say(bank, **one.slots)
    if kind == "correction":
        scene.script.user(scene.rng.choice(banks.CHATTER))
        scene.script.agent(f"I took {one.slots['wrong']} as {one.slots['what']} and went on with that.")
    aside = scene.rng.choice(banks.ASIDES).format(n=scene.rng.randint(3, 19)) if scene.rng.random() < 0.35 else ""
    before = aside and scene.rng.random() < 0.5
    opener = "" if kind == "correction" else scene.rng.choice(banks.OPENERS)
    told = f"{opener}{said}" if not said.startswith(("I ", "I'", "NATS")) else said
    text = f"{aside} {told}" if before else f"{told}{'' if told[-1] in '.!?:' else '.'} {aside}" if aside else told
    line = scene.script.user(text)
    name = {"never": "rule", "always": "rule"}.get(kind, kind)
    scene.plant(name, said, one.keys, line, aside=aside.split(" ")[-2] + " " + aside.split(" ")[-1] if aside else "")
    scene.script.agent(scene.rng.choice(banks.NODS))


def work_on(scene: Scene, work: Work, looks: int) -> None:
    """The agent reads, searches and runs: long outputs in which nothing is to be remembered."""
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


def _edit(scene: Scene, work: Work) -> None:
    old, new = f"    return {work.func}_old(items)", f"    return {work.func}_new(items, {scene.rng.randint(2, 9)})"
    scene.script.tool("", "edit", {"path": work.path, "oldText": old, "newText": new}, "Successfully replaced 1 block")


def _commit(scene: Scene, work: Work, subject: str) -> None:
    hash_ = f"{scene.rng.getrandbits(28):07x}"
    line = scene.script.tool("", "bash", {"command": f'git commit -am "{subject}"'}, f"[main {hash_}] {subject}\n 1 file changed")
    scene.plant("completion", subject, ((subject.lower(),),), line, line + 1)


def _checked(scene: Scene, work: Work) -> tuple[str, int]:
    count = scene.rng.randint(21, 480)
    scene.script.tool("", "bash", {"command": "make test"}, f"........\n{count} passed in {scene.rng.randint(1, 60)}.2s")
    return scene.rng.choice(banks.CHECKED).format(n=count), count


def hunt(scene: Scene, work: Work) -> None:
    """A bug: report, looks, a failed attempt, the cause, the fix, perhaps a commit."""
    slots = {"area": work.area, "path": work.path, "func": work.func, "symptom": work.symptom}
    asked = scene.say(banks.BUG, **slots)
    line = scene.script.user(asked)
    key = _words_of(work.symptom)
    scene.plant("bug", asked, (key,), line)
    work_on(scene, work, scene.rng.randint(8, 20))
    if scene.rng.random() < 0.6:
        _edit(scene, work)
        count = scene.rng.randint(12, 90)
        scene.script.tool("", "bash", {"command": "make test"}, f"{count} failed, 8 passed", is_error=True)
        said = scene.say(banks.FAILED, failed=work.failed, n=count)
        line = scene.script.agent(said)
        scene.plant("error", said, (_words_of(work.failed),), line)
        scene.script.user(
            scene.rng.choice(["go on looking", "ok, what else could it be?", "then look deeper", "hm. keep digging"])
        )
        work_on(scene, work, scene.rng.randint(2, 8))
    said = scene.say(banks.CAUSE, cause=work.cause, **slots)
    cause_line = scene.script.agent(said) if scene.rng.random() < 0.3 else -1
    if cause_line < 0:
        cause_line = scene.script.tool(said, "read", {"path": work.path}, noise.code(work, scene.rng, 20))
    else:
        scene.script.user(
            scene.rng.choice(["good find, fix it", "ah! please fix that", "makes sense. repair it and run the tests"])
        )
    scene.plant("root_cause", said, ((work.func.lower(),), _words_of(work.cause)), cause_line)
    _edit(scene, work)
    checked, _ = _checked(scene, work)
    if scene.rng.random() < 0.5:
        _commit(scene, work, f"{work.func}: {work.symptom.split(' ')[0]} fixed for good")
    said = scene.say(banks.FIXED, change=work.change, path=work.path, checked=checked)
    scene.plant("fix", said, ((work.func.lower(),), _words_of(work.change)), scene.script.agent(said))


def build(scene: Scene, work: Work) -> None:
    """A request: looks, the edit, what came of it, what is left; perhaps a wish about the thing and an open point."""
    asked = scene.say(banks.ASK_FOR, task=work.task)
    line = scene.script.user(asked)
    scene.plant("request", asked, (_words_of(work.task),), line)
    work_on(scene, work, scene.rng.randint(8, 20))
    if scene.rng.random() < 0.4 and (one := scene.pick(matter.CHOICES)):
        line = scene.script.user(scene.say(banks.IDLE_QUESTIONS, **one.slots))
        scene.truth.asked.append(one.keys)
        scene.script.agent(f"It could be done, but {one.slots['use']} works as it is; there is nothing to gain right now.")
    _edit(scene, work)
    checked, _ = _checked(scene, work)
    if scene.rng.random() < 0.5:
        _commit(scene, work, f"{work.area.removeprefix('the ')}: {work.task.split(' in ')[0]}"[:60].strip())
    told = scene.say(banks.DONE, func=work.func, path=work.path, checked=checked)
    said = scene.say(banks.LEFT, left=work.left) if scene.rng.random() < 0.5 else ""
    line = scene.script.agent(f"{told}\n\n{said}" if said else told)
    if said:
        scene.plant("task", said, (_words_of(work.left),), line)
    if scene.rng.random() < 0.6:
        wish = scene.say(banks.WISH, wish=work.wish)
        scene.plant("wish", wish, (_words_of(work.wish),), scene.script.user(wish))
        _edit(scene, work)
        scene.script.agent(scene.say(banks.DONE, func=work.func, path=work.path, checked=checked))


def leave_open(scene: Scene, work: Work) -> None:
    """A question that nobody answers."""
    said = scene.say(banks.OPEN, open_point=work.open_point)
    scene.plant("question", said, (_words_of(work.open_point),), scene.script.user(said))
    scene.script.agent(scene.rng.choice(banks.NODS))


def disturb(scene: Scene, work: Work) -> None:
    """Something that must not be remembered."""
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


def inject(scene: Scene, work: Work) -> None:
    """A text that wants into the memory: in a tool's output, in a pasted block, or repeated by the agent."""
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
    """A session of several topics, each with work, things laid down, disturbances; and its truth."""
    script = Transcript(rng, project, at)
    scene = Scene(rng, script, Truth(script.session_id))
    for work in rng.sample(matter.WORKS, topics):
        scene.truth.starts.append(script.line + 1)
        (hunt if rng.random() < 0.5 else build)(scene, work)
        kinds = ["never", "always", "preference", "decision", "state_change", "convention", "correction"]
        for kind in rng.sample(kinds, rng.randint(1, 3)):
            lay_down(scene, kind)
        if rng.random() < 0.5:
            leave_open(scene, work)
        if rng.random() < 0.6:
            disturb(scene, work)
        if rng.random() < 0.35:
            inject(scene, work)
        script.pause(rng.choice([0, 2, 10, 40]))
    scene.truth.last_line = script.line
    return script, scene.truth


def _words_of(text: str) -> tuple[str, ...]:
    """The text as one alternative (rows quote it), or a rare stretch of it."""
    low = text.lower().strip("?.")
    parts = low.split(" ")
    return tuple(dict.fromkeys([low, " ".join(parts[:5]), " ".join(parts[-3:])]))
