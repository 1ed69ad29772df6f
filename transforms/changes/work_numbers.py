"""Lists the numbers that the work of an exchange replaced, for texts that name them (`changed_numbers`)."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.changes.changed_numbers import PART_DIGITS, ChangedNumber, list_names, list_numbers, names_value
from transforms.changes.numbers import normalise_number
from transforms.changes.setting_values import SettingChange
from transforms.changes.undone_values import MIN_DIGITS, Change, Work, scale_down
from transforms.language.sentences import split_sentences
from transforms.language.tokenizer import find_telling_words

_ROUND = "00"
"""End of both numbers of a change that people give in the larger unit: 15 s, but port 8000."""


def list_changed_numbers(work: Work) -> list[ChangedNumber]:
    """Return the numbers that the calls of an exchange replaced, in the spellings in which people give them."""
    changes = dict.fromkeys(part for change in work.changes if change.added for part in _list_spellings(change))
    sentences = [(set(list_numbers(sentence)), sentence) for sentence in split_sentences(work.said)]
    numbers: dict[tuple[str, str], ChangedNumber] = {}
    for change in changes:
        pair = normalise_number(change.removed), normalise_number(change.added)
        named = " ".join(sentence for given, sentence in sentences if not given.isdisjoint(pair))
        beside = list_names(change.words) | (numbers[pair].beside if pair in numbers else frozenset())
        names = list_names(find_telling_words(named))
        numbers[pair] = ChangedNumber(change.removed, change.added, change.unit, beside, names)
    return [*numbers.values(), *list_changed_settings(work)]


def list_changed_settings(work: Work) -> list[ChangedNumber]:
    """Return the values of named settings that the calls of an exchange replaced, but for numbers of several digits."""
    settings = (setting for setting in work.settings if _adds_to_numbers(setting))
    return [_describe_setting(setting, work.said) for setting in dict.fromkeys(settings)]


def _adds_to_numbers(setting: SettingChange) -> bool:
    """Whether a value is none that lines with other numbers tell: a word, a time of a schedule, a single digit."""
    return not setting.removed.isdigit() or len(setting.removed) < MIN_DIGITS


def _describe_setting(setting: SettingChange, said: str) -> ChangedNumber:
    values = (setting.removed, setting.added)
    named = " ".join(sentence for sentence in split_sentences(said) if any(names_value(sentence, value) for value in values))
    names = list_names(find_telling_words(named))
    return ChangedNumber(*values, "", list_names(setting.beside), names, list_names(setting.name))


def _list_spellings(change: Change) -> Iterator[Change]:
    """Yield the change, in the larger unit too, and the part of "8081:8080" that became another one."""
    yield change
    if all(number.endswith(_ROUND) for number in (change.removed, change.added)):
        yield from scale_down(change)
    pairs = list(zip(change.removed.split(":"), change.added.split(":"), strict=False))
    changed = [(removed, added) for removed, added in pairs if removed != added]
    if len(pairs) > 1 and change.removed.count(":") == change.added.count(":") and len(changed) == 1:
        removed, added = changed[0]
        if min(len(removed), len(added)) >= PART_DIGITS:
            yield change._replace(removed=removed, added=added)
