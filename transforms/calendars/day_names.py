"""Names of the days of the week and of months: of English, and beside them those of its neighbours in Europe."""

from __future__ import annotations

_DAYS = (
    "monday montag lundi lunes", "tuesday dienstag mardi martes", "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves", "friday freitag vendredi viernes", "saturday samstag samedi sábado",
    "sunday sonntag dimanche domingo",
)  # fmt: skip
_MONTHS = (
    "january jan januar jänner janvier enero janeiro", "february feb februar février febrero fevereiro",
    "march mar märz mars marzo março", "april apr avril abril", "may mai mayo maio", "june jun juni juin junio junho",
    "july jul juli juillet julio julho", "august aug août agosto", "september sep sept septembre septiembre setembro",
    "october oct oktober okt octobre octubre outubro", "november nov novembre noviembre novembro",
    "december dec dezember dez décembre diciembre dezembro",
)  # fmt: skip
DAY_OF = {name: number for number, names in enumerate(_DAYS) for name in names.split()}
"""Name of a day → its number, Monday being 0."""
MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""Name of a month, or its first letters → its number."""
DAY_NAMES = tuple(names.split()[0] for names in _DAYS)
MONTH_NAMES = tuple(names.split()[0] for names in _MONTHS)
UNAMBIGUOUS_MONTHS = tuple(name for name in MONTH_NAMES if name != "may")
"""English names that are no verb as well."""
ENGLISH_MONTH_OF = {form: number for number, name in enumerate(MONTH_NAMES, 1) for form in (name, name[:3])} | {"sept": 9}
"""English name of a month, or its first letters → its number."""
