"""Shows the reason for the cap on FastAPI in pyproject.toml."""

from __future__ import annotations

import pytest

from tests.prefect_commands import call_server

pytestmark = pytest.mark.flow


def test_the_installed_pair_of_prefect_and_fastapi_answers_a_null_limit(prefect_server: dict[str, str]) -> None:
    """A body with `limit: null` is answered with 200.

    FastAPI 0.152 to 0.154 answer 422, so that `prefect deploy` and `flow-run ls` fail; from 0.155 on, Prefect 3.8 cannot
    even be used (`Body() got an unexpected keyword argument 'min_items'`). The cap `fastapi<0.151` can go when this test
    passes with a newer pair: raise it in pyproject.toml, make the lock again, run this file.
    """
    answer = call_server(prefect_server, "POST", "flow_runs/filter", {"limit": None})
    assert answer.status_code == 200, answer.text
