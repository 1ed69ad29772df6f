"""Days and times among the parameters of a flow: what a server refuses when a run is made, and what a run says that began.

Prefect checks parameters before the flow begins: a run that fails then has a name by chance and no page. So a flow checks its
own (`validate_parameters=False`). The form of a day is in the schema of a deployment, too, which makes the server refuse the run.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from effects.config.stated_times import parse_day, parse_zoneless_time
from effects.system.errors import UsageError

Day = Annotated[date, Field(json_schema_extra={"pattern": r"^\d{4}-\d{2}-\d{2}$"})]
Moment = Annotated[datetime, Field(json_schema_extra={"pattern": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$"})]


def read_day(name: str, value: object) -> date | None:
    """Return the day that a parameter states, None where it states none.

    Raises:
        UsageError: when it is no day; the message has the name of the parameter.
    """
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    try:
        return parse_day(str(value))
    except UsageError as error:
        raise _name_parameter(name, error) from error


def read_moment(name: str, value: object) -> datetime | None:
    """Return the time that a parameter states, None where it states none; without an offset it has no zone.

    Raises:
        UsageError: when it is no time; the message has the name of the parameter.
    """
    if value is None or isinstance(value, datetime):
        return value
    try:
        return parse_zoneless_time(str(value))
    except UsageError as error:
        raise _name_parameter(name, error) from error


def _name_parameter(name: str, error: UsageError) -> UsageError:
    """Return the error with the right form in its message: a server shows no hint of a run that failed."""
    return UsageError(f"{name}: {error.message}; {error.hint}", f"start the run again with --param {name}=2026-05-17")
