"""Makes histories unlike those at hand: thousands of tiny sessions, and long chat in German, Spanish and Japanese.

Every text is made of parts by a seeded generator, so that no two are the same and nothing is a person's words.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

FIRST_DAY = datetime(2024, 1, 1, 7, tzinfo=UTC)
TINY_A_DAY = 50
CHAT_BYTES_A_DAY = 250_000
CHAT_FOLDERS = ("/home/alex/notizen", "/home/alex/charla", "/home/alex/memo")
TINY_FOLDERS = tuple(f"/home/alex/src/{name}" for name in ("web", "api", "billing", "mobile", "infra", "docs", "search", "etl"))

SYLLABLES = (
    "ba",
    "co",
    "del",
    "fin",
    "gor",
    "hal",
    "in",
    "ka",
    "lum",
    "mer",
    "no",
    "per",
    "qui",
    "ros",
    "sta",
    "tur",
    "ven",
    "zo",
)
QUESTIONS = (
    "why does {name}() return {value} when the {thing} is empty?",
    "rename {name} to {other} in this file",
    "what is the type of `{name}` after the {thing} was parsed?",
    "add a test for {name} with {value} entries",
    "{name}.ts line {value}: Property '{other}' does not exist on type '{name}'. how do i fix that",
    "explain this regex for the {thing}",
    "we always use {other} instead of {name} for the {thing}, please change it here too",
    "set the timeout of the {thing} to {value} seconds",
)
REPLIES = (
    "`{name}` reads the {thing} before it is filled, so it returns {value}. Check `{other}` first.",
    "I changed `{name}` to `{other}` in 3 places; the {thing} keeps its old name of {value}.",
    "It is `{other} | undefined`, because the {thing} may be missing. A guard in line {value} narrows it.",
    "Done: the {thing} now waits {value} seconds, and `{other}` covers the case of `{name}`.",
)
THINGS = ("cache", "request body", "form", "user list", "invoice", "date picker", "queue", "config file", "cursor", "header row")

SPEECH = {
    "de": (
        ("Ich", "Meine Kollegin", "Unser Team", "Der Verein", "Die Nachbarin", "Der Kunde aus {place}", "Das Amt"),
        ("überlegt seit {number} Tagen", "hat gestern festgelegt", "möchte bis {month} wissen", "schreibt mir immer wieder",
         "hat am Anfang angenommen", "erklärt in der Mail", "findet nach dem Treffen", "fragt sich inzwischen"),
        ("ob sich der Umbau von {noun} für {number} Euro noch lohnt", "dass {noun} ab {month} über {place} läuft",
         "wie man {noun} ohne großen Aufwand ordentlich beschreibt", "warum {noun} bei {number} Grad nicht mehr hält",
         "welche Unterlagen für {noun} eigentlich fehlen", "dass wir statt {noun} lieber {noun} nehmen sollten"),
        ("weil die Frist am {number}. {month} endet", "obwohl das im Vertrag anders steht", "und das ist mir wichtig",
         "sofern {place} nicht vorher absagt", "während alle anderen noch warten", "damit am Ende niemand doppelt zahlt"),
        (", ", ". "), " ", ("März", "Juni", "Oktober", "Dezember"),
    ),
    "es": (
        ("Yo", "Mi hermana", "El equipo", "La asociación", "El cliente de {place}", "La vecina", "El taller"),
        ("lleva {number} días pensando", "decidió ayer por la tarde", "quiere saber antes de {month}", "me escribe otra vez",
         "suponía al principio", "explica en el correo", "cree después de la reunión", "se pregunta ahora"),
        ("si vale la pena cambiar {noun} por {number} euros", "que {noun} funcione desde {month} con {place}",
         "cómo se describe {noun} sin demasiado trabajo", "por qué {noun} no aguanta más de {number} grados",
         "qué papeles faltan para {noun}", "que usemos siempre {noun} en lugar de {noun}"),
        ("porque el plazo termina el {number} de {month}", "aunque el contrato diga otra cosa", "y eso para mí es importante",
         "siempre que {place} no cancele antes", "mientras los demás todavía esperan", "para que nadie pague dos veces"),
        (", ", ". "), " ", ("marzo", "junio", "octubre", "diciembre"),
    ),
    "ja": (
        ("私は", "同僚は", "うちのチームは", "町内会は", "{place}のお客さんは", "隣の人は", "工房は", "先生は"),
        ("{number}日前から考えていて", "昨日ようやく決めたのですが", "{month}までに知りたいそうで", "何度も連絡をくれていて",
         "最初は思い込んでいましたが", "メールで説明していて", "打ち合わせのあとに気づいて", "今になって迷っていて"),
        ("{noun}を{number}円で直す価値があるかどうかを確かめたい", "{noun}は{month}から{place}で動かすことにしました",
         "{noun}を手間をかけずに書く方法を探しています", "{noun}が{number}度を超えると壊れる理由が分かりません",
         "{noun}に必要な書類がまだ足りません", "{noun}ではなく{noun}を必ず使ってください"),
        ("締め切りが{month}{number}日だからです", "契約書には違うことが書いてあるのですが", "これは本当に大事なことです",
         "{place}が先に断らなければの話です", "ほかの人はまだ待っています", "最後に誰も二重に払わないようにするためです"),
        ("、", "。"), "", ("三月", "六月", "十月", "十二月"),
    ),
}  # fmt: skip
"""Of each language subjects, verbs, contents and additions; what stands before an addition and ends a sentence; months."""


def build_tiny(folder: Path, count: int, seed: int = 1, first_day: int = 0) -> int:
    """Write `count` sessions of two to eight lines, as an editor opens one for each question; return the number of their days."""
    for number in range(count):
        chance = random.Random(f"{seed}-tiny-{number}-{first_day}")
        began = FIRST_DAY + timedelta(days=first_day + number // TINY_A_DAY, minutes=chance.randrange(900))
        turns = []
        for turn in range(chance.choice((1, 1, 2, 2, 3, 4))):
            words = {"name": make_name(chance), "other": make_name(chance), "value": chance.randrange(2, 900)}
            words |= {"thing": chance.choice(THINGS)}
            turns.append((2 * turn, "user", chance.choice(QUESTIONS).format(**words)))
            turns.append((2 * turn + 1, "assistant", chance.choice(REPLIES).format(**words)))
        _write(folder, chance, chance.choice(TINY_FOLDERS), began, turns)
    return -(-count // TINY_A_DAY)


def build_chat(folder: Path, megabytes: float, seed: int = 1, first_day: int = 0) -> int:
    """Write sessions of some 100 kB of prose without tools, the languages mixed, of `megabytes` together; return their days."""
    size, number, day = 0, 0, 0
    while size < megabytes * 1e6:
        chance = random.Random(f"{seed}-chat-{number}-{first_day}")
        day = size // CHAT_BYTES_A_DAY
        began = FIRST_DAY + timedelta(days=first_day + day, minutes=chance.randrange(900))
        own = chance.choice(tuple(SPEECH))
        turns, written, minute = [], 0, 0
        while written < 100_000:
            language = own if chance.random() < 0.85 else chance.choice(tuple(SPEECH))
            asked = make_prose(chance, language, chance.randrange(1, 9))
            answer = "\n\n".join(make_prose(chance, language, chance.randrange(2, 7)) for _ in range(chance.randrange(2, 9)))
            turns += [(minute, "user", asked), (minute + 1, "assistant", answer)]
            minute += chance.randrange(2, 20)
            written += len(asked.encode()) + len(answer.encode())
        size += _write(folder, chance, chance.choice(CHAT_FOLDERS), began, turns)
        number += 1
    return day + 1


def make_name(chance: random.Random) -> str:
    """Return an invented name of code or of a place."""
    return "".join(chance.choice(SYLLABLES) for _ in range(chance.randrange(2, 4))).capitalize()


def make_prose(chance: random.Random, language: str, sentences: int) -> str:
    """Return a paragraph of so many sentences of 8 to 30 words."""
    subjects, verbs, contents, additions, (comma, stop), gap, months = SPEECH[language]
    texts = []
    for _ in range(sentences):
        main = f"{chance.choice(subjects)}{gap}{chance.choice(verbs)}{comma}{chance.choice(contents)}"
        rest = [chance.choice(additions) for _ in range(chance.choice((0, 1, 1, 2)))]
        form = comma.join([main, *rest])
        while "{noun}" in form:
            form = form.replace("{noun}", make_name(chance), 1)
        texts.append(form.format(place=make_name(chance), number=chance.randrange(2, 29), month=chance.choice(months)) + stop)
    return "".join(texts).strip()


def _write(folder: Path, chance: random.Random, cwd: str, began: datetime, turns: list[tuple[int, str, str]]) -> int:
    """Write a session in pi's format and return its bytes; a turn is its minute, its role and its text."""
    own = str(UUID(int=chance.getrandbits(128), version=4))
    lines = list(_make_lines(own, cwd, began, turns))
    target = folder / f"--{cwd.strip('/').replace('/', '-')}--" / f"{began:%Y-%m-%dT%H-%M-%S-000Z}_{own}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _make_lines(own: str, cwd: str, began: datetime, turns: list[tuple[int, str, str]]) -> Iterator[dict[str, object]]:
    yield {"type": "session", "version": 3, "id": own, "timestamp": began.isoformat(), "cwd": cwd}
    for number, (minute, role, text) in enumerate(turns):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        stamp = (began + timedelta(minutes=minute)).isoformat()
        parent = f"e{number - 1}" if number else None
        yield {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": stamp, "message": message}
