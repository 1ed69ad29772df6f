"""Verbs that begin orders, each once, with what it says of the order."""

from __future__ import annotations

import re
from typing import Literal

VerbRole = Literal["order", "passing", "one_off", "editing"]
"""`order`: it begins orders in general, hardly anything else. `passing`: the outcome may count, the order does not. `one_off`: a
line with it in front is to be done once. `editing`: it instructs an editor of a page."""

_VERBS_BY_ROLES = {
    "order": re.findall(
        r"\S+",
        """
        accept adapt adjust align allow announce apply archive ask avoid bring bump bundle call clear clone collapse
        combine compare compile compress configure connect consider correct cut debug dedupe deduplicate define deploy
        describe detect disable document don't download drop dump enable encrypt explore export expose extend fetch
        figure fill flush focus format generate get grep handle hide hook ignore import improve inline inspect
        introduce keep launch let limit link load log lower measure migrate mock monitor name never optimize order
        output pass patch pick pin plan post prefer publish pull raise rebase rebuild reconsider record reduce
        reference register reject release render reorganize report reproduce reset resolve restore retry return reuse
        roll scan schedule select send separate serve setup shorten simplify skip sort spawn store stub style
        summarize support swap switch sync tag take teach tidy toggle touch track translate treat trigger trim tune
        turn unify uninstall upgrade use validate walk watch wire wrap
        """,
    ),
    "order one_off": re.findall(
        r"\S+",
        """
        build change clean close convert copy create ensure extract find finish fix give implement install leave make
        mark merge move port provide put refactor remember rename revert review run save search set show split start
        tackle test undo verify write
        """,
    ),
    "one_off editing": re.findall(r"\S+", "append clarify confirm consolidate edit expand include promote strengthen"),
    "order passing one_off": re.findall(
        r"\S+",
        """
        check commit continue delete explain go investigate look open propose push read tell try
        """,
    ),
    "order passing": re.findall(r"\S+", "kill list print restart stop wait"),
    "one_off": re.findall(r"\S+", "do follow note"),
    "order one_off editing": re.findall(r"\S+", "add insert modify replace update"),
    "passing": re.findall(r"\S+", "suggest think"),
    "order editing": re.findall(r"\S+", "rewrite"),
    "order passing one_off editing": re.findall(r"\S+", "remove"),
    "passing one_off": re.findall(r"\S+", "see"),
}


def list_verbs(role: VerbRole) -> tuple[str, ...]:
    """Return the verbs of a role in alphabetical order."""
    return tuple(sorted(verb for roles, verbs in _VERBS_BY_ROLES.items() if role in roles.split() for verb in verbs))


VERBS = list_verbs("order")
PASSING_VERBS = list_verbs("passing")
ONE_OFF_VERBS = list_verbs("one_off")
EDITING_VERBS = list_verbs("editing")
