"""The setting `auto`: the order of engines, their prices, and the sentence that the owner reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.pricing.engine_choice import (
    CHEAP_MODELS,
    CLIENT_MODELS,
    MISSED_OFFLINE,
    FoundEngines,
    LocalServer,
    LoggedInClient,
    advise_model,
    choose_engine,
    format_choice,
    format_choices,
    list_choices,
    parse_pi_models,
)
from transforms.pricing.prices import PRICES, find_price

OLLAMA = LocalServer("ollama", "http://localhost:11434/v1", ("nomic-embed-text", "qwen3:14b"))
TABLE = """provider        model                 context  max-out  thinking  images
anthropic       claude-haiku-4-5      200K     64K      yes       yes
anthropic       claude-opus-4-5       200K     64K      yes       yes
github-copilot  claude-haiku-4.5      128K     16K      yes       yes
"""


def test_pi_comes_first_then_a_key_then_a_local_server_then_offline() -> None:
    """Each engine is taken when those before it are not there."""
    pi = ("anthropic/claude-opus-4-5", "anthropic/claude-haiku-4-5-20251001")
    engines = FoundEngines(pi, ("openai",), (OLLAMA,))
    assert choose_engine(engines).engine == "pi:anthropic/claude-haiku-4-5-20251001"
    assert choose_engine(FoundEngines((), ("openai",), (OLLAMA,))).engine == "instructor:openai/gpt-5-mini"
    assert choose_engine(FoundEngines((), (), (OLLAMA,))).engine == "instructor:ollama/qwen3:14b"
    assert choose_engine(FoundEngines()).engine == "offline"
    assert [choice.engine.partition(":")[0] for choice in list_choices(engines)] == ["pi", "instructor", "instructor", "offline"]


def test_a_login_comes_after_a_key_and_before_a_local_server_and_says_who_pays() -> None:
    """Claude Code before Codex; a subscription bills no tokens, the price is what the budgets count."""
    clients = (
        LoggedInClient("claude", "Claude Code", "your subscription (max)"),
        LoggedInClient("codex", "Codex", "CODEX_API_KEY"),
    )
    engines = FoundEngines((), ("openai",), (OLLAMA,), clients=clients)
    engine_names = [choice.engine.partition(":")[0] for choice in list_choices(engines)]
    assert engine_names == ["instructor", "claude", "codex", "instructor", "offline"]
    choice = choose_engine(FoundEngines(servers=(OLLAMA,), clients=clients))
    assert choice.engine == f"claude:{CLIENT_MODELS['claude']}"
    text = format_choice(choice)
    assert "your subscription (max) pays" in text
    assert "counted at list price" in text
    assert "goes to anthropic" in text
    assert "counted" not in format_choice(choose_engine(FoundEngines((), ("openai",))))


def test_a_dear_model_is_never_chosen() -> None:
    """pi with nothing but an expensive model leaves the choice to the owner."""
    assert choose_engine(FoundEngines(("anthropic/claude-opus-4-5", "local/own-model"))).engine == "offline"


def test_a_makers_own_model_comes_before_the_same_model_of_a_reseller() -> None:
    """A reseller's model counts at its maker's price."""
    models = parse_pi_models(f"some notice\n{TABLE}")
    assert models == ("anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-5", "github-copilot/claude-haiku-4.5")
    assert choose_engine(FoundEngines(models)).engine == "pi:anthropic/claude-haiku-4-5"
    assert choose_engine(FoundEngines(models[2:])).engine == "pi:github-copilot/claude-haiku-4.5"
    assert find_price("github-copilot/claude-haiku-4.5") == PRICES["anthropic/claude-haiku-4-5"]
    assert parse_pi_models("No models available. Set API keys in environment variables.") == ()


def test_the_sentence_says_price_and_receiver() -> None:
    """The owner agrees to a model, a price and a receiver, not to a word."""
    choice = choose_engine(FoundEngines((), ("gemini",)), windows_per_night=10)
    assert choice.engine == "instructor:gemini/gemini-3-flash-preview"
    text = format_choice(choice)
    assert "USD a night" in text
    assert "goes to gemini" in text
    assert "nothing leaves this machine" in format_choice(choose_engine(FoundEngines((), (), (OLLAMA,))))
    assert format_choice(choose_engine(FoundEngines(problems=("pi is installed but has no credentials",)))).startswith(
        "offline: pi is"
    )


def test_every_cheap_model_has_a_price_below_a_cent_per_thousand_tokens_written() -> None:
    """`auto` never chooses a model whose nights could surprise."""
    assert all(PRICES[model][1] <= 5.0 for model in (*CHEAP_MODELS, *CLIENT_MODELS.values()))


@given(st.integers(1, 200))
def test_a_night_costs_in_proportion_to_its_windows(windows: int) -> None:
    """Twice the windows cost twice as much."""
    engines = FoundEngines(("anthropic/claude-haiku-4-5",))
    once, twice = (choose_engine(engines, n).usd_per_night or 0 for n in (windows, 2 * windows))
    assert twice == pytest.approx(2 * once)


def test_offline_does_not_deny_the_engines_that_are_listed_above_it() -> None:
    """It said that no server of this machine was found, right below one that answers."""
    listed = [format_choice(choice) for choice in list_choices(FoundEngines(servers=(OLLAMA,)))]
    assert "answers at http://localhost:11434/v1" in listed[0]
    assert listed[1] == "offline: asks no model"


def test_whoever_chooses_an_engine_is_told_what_the_offline_one_misses() -> None:
    """With a model on the machine and without one: the nights do not say it."""
    for engines in (FoundEngines(servers=(OLLAMA,)), FoundEngines()):
        assert MISSED_OFFLINE in format_choices(list_choices(engines))[-1]


def test_what_offline_keeps_is_a_figure_that_a_benchmark_prints_and_the_same_everywhere() -> None:
    """README names it, the table of the engines names its benchmark and what a model kept beside it."""
    root = Path(__file__).parents[3]
    readme, engines = (" ".join((root / page).read_text(encoding="utf-8").split()) for page in ("README.md", "docs/engines.md"))
    assert "keeps 70 of 80 important facts" in readme
    assert "(`benchmarks/distil/owners.py`) | 42 of 80 | 70 (67 on 26 November) | 73 (26 November) |" in engines
    assert "of 74" not in readme + engines


def test_a_machine_without_any_model_is_told_how_to_get_one_and_not_only_to_run_init() -> None:
    """`doctor` and `init` would send an owner to each other."""
    assert advise_model(FoundEngines(servers=(OLLAMA,))) == "recollect init"
    assert advise_model(FoundEngines()).startswith("install Claude Code or Codex")
    *_, last = format_choices(list_choices(FoundEngines()))
    assert "install Claude Code or Codex" in last
    *_, last = format_choices(list_choices(FoundEngines(servers=(OLLAMA,))))
    assert last.startswith("`auto` takes the first")
