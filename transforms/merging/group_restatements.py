"""Groups rows that say the same, by their words and by what a model told, and chooses the row that stands for its group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import partial, reduce

from transforms.language.similarity import EXTRA_NEAR, is_restatement
from transforms.memory.claim_clauses import ADDITION
from transforms.merging.compared_row import ComparedRow
from transforms.tables.enums import APART_KINDS, Relation

FindCosine = Callable[[str, str], float | None]
"""The cosine of the vectors of two texts; None when a vector is missing."""
Relations = Mapping[tuple[str, str], Relation]
"""(id of the older observation, id of the newer one) → the relation that a model told."""

_KIND_CLASSES = {
    kind: name
    for name, kinds in {
        "assertion": "preference rule decision convention correction state_change status",
        "work": "file_change completion",
        "wish": "request task",
    }.items()
    for kind in kinds.split()
}


def find_survivors(rows: list[ComparedRow], near: FindCosine, relations: Relations) -> list[ComparedRow]:
    """Return the rows that stand for a group, with the others of it as their members; `rows` are in the canonical order.

    By words a row joins the first that says the same. A model's restatements join whole groups, so two reminders of one rule
    meet in it; not if the model also told that a row of one replaces a row of the other.
    """
    groups = _Groups(relations)
    index = _RowIndex(rows)
    for row in rows:
        groups.add(row)
        if (same := _find_same_words(row, index, near)) is None:
            index.add(row)
        else:
            groups.join(same, row)
        groups.join_restated(row)
    return groups.choose()


def _find_same_words(row: ComparedRow, index: _RowIndex, near: FindCosine) -> ComparedRow | None:
    """Return the first row that makes the same claim in nearly the same words."""
    for other in index.find_candidates(row):
        if bool(ADDITION.search(other.claim)) != bool(ADDITION.search(row.claim)):
            continue  # "the mini boss has 640 HP too" adds another thing
        if row.kind in APART_KINDS and other.text != row.text:
            continue  # `test:integration` is another command than `test`
        if is_restatement(other.statement, row.statement, partial(near, other.text, row.text)):
            return other
    return None


class _Groups:
    """Rows of one group share a list."""

    def __init__(self, relations: Relations) -> None:
        self.group_of: dict[str, list[ComparedRow]] = {}
        self.restated: defaultdict[str, set[str]] = defaultdict(set)
        self.others: defaultdict[str, set[str]] = defaultdict(set)
        for (older, newer), relation in relations.items():
            related = self.restated if relation == "restates" else self.others
            related[older].add(newer)
            related[newer].add(older)

    def add(self, row: ComparedRow) -> None:
        """Begin a group of one row."""
        self.group_of[row.id] = [row]

    def join_restated(self, row: ComparedRow) -> None:
        """Join the groups of the rows that a model called the same."""
        for name in sorted(self.restated.get(row.id, ())):
            if (group := self.group_of.get(name)) is not None and not self._holds_another(group, self.group_of[row.id]):
                self.join(group[0], row)

    def _holds_another(self, first: list[ComparedRow], second: list[ComparedRow]) -> bool:
        names = {row.id for row in second}
        return any(self.others[row.id] & names for row in first if row.id in self.others)

    def join(self, first: ComparedRow, second: ComparedRow) -> None:
        """Make the groups of two rows one."""
        group, joining = self.group_of[first.id], self.group_of[second.id]
        if group is joining:
            return
        group.extend(joining)
        for row in joining:
            self.group_of[row.id] = group

    def choose(self) -> list[ComparedRow]:
        """Return the row that stands for each group, in the order in which the groups began."""
        position = {name: place for place, name in enumerate(self.group_of)}
        chosen: list[ComparedRow] = []
        for name, group in self.group_of.items():
            group.sort(key=lambda row: position[row.id])
            if group[0].id != name:
                continue
            has_relation = any(row.id in self.restated for row in group)
            first = reduce(lambda best, row: row if _says_more(row, best) else best, group) if has_relation else group[0]
            first.members = [row for row in group if row is not first]
            chosen.append(first)
        return chosen


def _says_more(row: ComparedRow, chosen: ComparedRow) -> bool:
    """Whether of two rows that say the same this one is the better one to keep.

    A rule is stated where it is taught; when it is broken the person only points to it ("numbers please"), so a statement
    goes before a correction. Else more content words say more.
    """
    if row.is_persons != chosen.is_persons:
        return False
    if "correction" in (row.kind, chosen.kind) and row.kind != chosen.kind:
        return chosen.kind == "correction"
    return row.rank <= chosen.rank and len(row.content) > len(chosen.content)


class _RowIndex:
    """Rows by class and scope, found by a rare word that a duplicate must share with them.

    The words of one text contain those of the other, and the rest is at most EXTRA_NEAR of them. So both share 1 / (1 +
    EXTRA_NEAR) of the longer one's words, and one of these is among the rarest words of either (see
    `transforms.memory.supersession_candidates`). Their values are the same.
    """

    def __init__(self, rows: list[ComparedRow]) -> None:
        self.seen = Counter(word for row in rows for word in row.content)
        self.entered: list[ComparedRow] = []
        self.by_word: defaultdict[tuple[str, str, str, frozenset[str]], list[int]] = defaultdict(list)

    def add(self, row: ComparedRow) -> None:
        """Enter a row under its rarest words."""
        for kind, scope in list_scopes(row):
            for word in self._find_rarest(row):
                self.by_word[kind, scope, word, row.values].append(len(self.entered))
        self.entered.append(row)

    def find_candidates(self, row: ComparedRow) -> list[ComparedRow]:
        """Return the rows, as they were entered, whose content words contain the row's or are contained in them."""
        words, content = self._find_rarest(row), row.content
        places = {
            place
            for kind, scope in list_scopes(row)
            for word in words
            for place in self.by_word.get((kind, scope, word, row.values), ())
            if content <= self.entered[place].content or self.entered[place].content <= content
        }
        return [self.entered[place] for place in sorted(places)]

    def _find_rarest(self, row: ComparedRow) -> list[str]:
        """Return the rarest content words; for a text without any ("yes, do it") all its words as one key."""
        if not row.content:
            return [" ".join(row.statement.sequence)]
        size = len(row.content)
        needed = size - int(size / (1 + EXTRA_NEAR) - 1e-9)
        return sorted(row.content, key=lambda word: (self.seen[word], word))[:needed]


def list_scopes(row: ComparedRow) -> list[tuple[str, str]]:
    """Return the classes and projects within which a row may say the same as another one."""
    kind = _KIND_CLASSES.get(row.kind, row.kind)
    return [(kind, row.project), *([(f"{kind}*", "")] if row.spans_projects else [])]
