"""Makes data/samples: drives every scene with the real pi, moves it to its day, and writes the table of planted facts.

    python -m benchmarks.samples.build --pi073 CLI.js --pi15 CLI.js --node NODE22 [--tools FOLDER…]

Needs node 22, the two clients of the README and a folder with pytest for the scenes' own tests; contacts nothing but 127.0.0.1.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from benchmarks.samples import byhand
from benchmarks.samples.drive import drive_scene, make_environment
from benchmarks.samples.redate import format_time, move_session, parse_local_time, write_lines
from benchmarks.samples.truth import build_truth

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "data" / "samples"


def load_scenes() -> list[dict[str, Any]]:
    """Return every scene, in the order of the story."""
    return [yaml.safe_load(path.read_text()) | {"slug": path.stem} for path in sorted((HERE / "scenes").glob("*.yaml"))]


def name_folder(cwd: str) -> str:
    """Return pi's name for the folder of a working directory."""
    return "--" + cwd.lstrip("/").replace("/", "-") + "--"


def name_session_file(header: dict[str, Any]) -> str:
    """Return folder and file name of a session."""
    stamp = header["timestamp"].replace(":", "-").replace(".", "-")
    return f"{name_folder(header['cwd'])}/{stamp}_{header['id']}.jsonl"


def count_expected_failures(scene: dict[str, Any]) -> int:
    """Count the tool calls that the scene wants to fail."""
    calls = [
        call
        for step in scene["steps"]
        for turn in step.get("agent", [])
        if isinstance(turn, dict)
        for call in turn.get("calls", [])
    ]
    return sum(1 for call in calls if call.get("code"))


def check_failures(scene: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    """Check that only the commands failed that fail in the story.

    Raises:
        ValueError: when other commands did.
    """
    failed = [entry["message"]["content"][0]["text"] for entry in entries if entry.get("message", {}).get("isError")]
    if len(failed) != count_expected_failures(scene):
        raise ValueError(f"{scene['slug']}: {failed}")


def write_shims(root: Path) -> None:
    """Write scripts for `uv` and `pnpm`: `uv run X` and `pnpm test` run X for real, the scenes stage everything else."""
    (root / "bin").mkdir(parents=True)
    (root / "stubs").mkdir()
    (root / "bin/uv").write_text('#!/bin/sh\n[ "$1" = run ] && shift && exec "$@"\necho "uv: $*"\n')
    (root / "bin/pnpm").write_text('#!/bin/sh\n[ "$1" = test ] && shift && exec node --test "$@"\necho "pnpm: $*"\n')
    for name in ("uv", "pnpm"):
        (root / "bin" / name).chmod(0o755)


def build_sessions(args: argparse.Namespace, root: Path) -> dict[str, str]:
    """Return the text of every session by slug, in the order of the story; `root` is the scratch folder."""
    raw: dict[str, Path] = {}
    made: dict[str, list[dict[str, Any]]] = {}
    texts: dict[str, str] = {}
    clients = {"0.73.1": [str(args.node), str(args.pi073)], "1.5.2": [str(args.node), str(args.pi15)]}
    for scene in load_scenes():
        slug = scene["slug"]
        if "version" in scene:
            made[slug] = byhand.write_scene(scene)
        else:
            date = format_time(parse_local_time(scene["start"], scene["day"]))
            parent = scene.get("fork_of")
            env = make_environment(root, args.node, args.tools, date)
            raw[slug], counts = drive_scene(scene, root, clients[scene["client"]], env, raw.get(parent))
            entries = [json.loads(line) for line in raw[slug].read_text().splitlines()]
            made[slug] = move_session(entries, counts, scene, made[parent][1:] if parent else [])
            if parent:
                made[slug][0]["parentSession"] = "/home/mara/.pi/agent/sessions/" + name_session_file(
                    made[parent][0] | {"cwd": scene["cwd"]}
                )
        check_failures(scene, made[slug][len(made[scene["fork_of"]]) if "fork_of" in scene else 1 :])
        texts[slug] = write_lines(made[slug], str(root))
        print(f"{slug}: {len(made[slug]) - 1} entries, {len(texts[slug]) // 1000} kB")
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pi073", type=Path, required=True)
    parser.add_argument("--pi15", type=Path, required=True)
    parser.add_argument("--node", type=Path, required=True)
    parser.add_argument("--tools", type=Path, nargs="*", default=[])
    parser.add_argument("--scratch", type=Path, default=Path("/tmp/recollect-samples"))
    args = parser.parse_args()
    shutil.rmtree(args.scratch, ignore_errors=True)
    args.scratch.mkdir(parents=True)
    write_shims(args.scratch)
    texts = build_sessions(args, args.scratch)
    shutil.rmtree(TARGET / "sessions", ignore_errors=True)
    names = {}
    for slug, text in texts.items():
        names[slug] = name_session_file(json.loads(text.splitlines()[0]))
        path = TARGET / "sessions" / names[slug]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    planted = build_truth(yaml.safe_load((HERE / "truth.yaml").read_text()), texts, names)
    (TARGET / "truth.json").write_text(json.dumps(planted, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
