"""The templates of Docker and Kubernetes pools are what Prefect, its workers and Kubernetes expect; no engine runs here."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.flows.test_flows_deployed import ROOT, post
from tests.prefect_commands import RunPrefect

POOLS = {path.stem: path for path in sorted((ROOT / "flows" / "pools").glob("*.json"))}
PLACEHOLDER = re.compile(r"\{\{ (\w+) \}\}")
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def read_template(kind: str) -> dict[str, Any]:
    template: dict[str, Any] = json.loads(POOLS[kind].read_text(encoding="utf-8"))
    return template


def read_own_template(kind: str) -> dict[str, Any]:
    """Return the template that Prefect itself would use for a pool of this kind."""
    spec = find_spec("prefect")
    assert spec is not None
    assert spec.origin is not None
    views = Path(spec.origin).parent / "server" / "api" / "collections_data" / "views" / "aggregate-worker-metadata.json"
    template: dict[str, Any] = json.loads(views.read_text(encoding="utf-8"))[f"prefect-{kind}"][kind][
        "default_base_job_configuration"
    ]
    return template


@pytest.mark.parametrize("kind", ["docker", "kubernetes"])
def test_every_key_is_one_of_prefects_and_every_placeholder_has_a_variable(kind: str) -> None:
    template, own = read_template(kind), read_own_template(kind)
    assert template["job_configuration"].keys() <= own["job_configuration"].keys()
    variables = template["variables"]["properties"]
    assert set(PLACEHOLDER.findall(json.dumps(template["job_configuration"]))) == set(variables)
    shared = variables.keys() & own["variables"]["properties"].keys()
    assert {name: variables[name]["type"] for name in shared} == {
        name: own["variables"]["properties"][name]["type"] for name in shared
    }
    assert all(
        set(value.get("enum", ())) <= set(own["variables"]["properties"][name].get("enum", ()))
        for name, value in ((name, variables[name]) for name in shared)
    )


def read_lines() -> Iterator[list[str]]:
    """Yield the arguments of each `prefect` line of the page about fleets, in order."""
    for line in re.findall(r"^\.venv/bin/prefect (.*)$", PAGE, re.MULTILINE):
        yield shlex.split(line, comments=True)


@pytest.mark.flow
def test_the_server_takes_the_lines_of_the_page_about_fleets(prefect_server: dict[str, str], prefect: RunPrefect) -> None:
    """Pools of both kinds with these templates; a fleet with file and schedule in each of them, and in one of processes."""
    environment = prefect_server | {"RECOLLECT_TIMEZONE": "Europe/Berlin"}
    assert prefect(environment, "work-pool", "create", "recollect", "--type", "process", "--overwrite").returncode == 0
    for arguments in read_lines():
        done = prefect(environment, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    pools = {pool["name"]: pool for pool in post(environment, "work_pools/filter")}
    for kind in POOLS:
        assert pools[f"recollect-{kind}"]["type"] == kind
        assert pools[f"recollect-{kind}"]["base_job_template"] == read_template(kind)
    (fleet,) = [item for item in post(environment, "deployments/filter") if item["name"] == "fleet"]
    assert fleet["parameters"] == {"file": "/srv/memory/fleet.toml"}
    assert [item["schedule"]["cron"] for item in fleet["schedules"]] == ["30 2 * * *"]
    assert fleet["work_pool_name"] == "recollect-kubernetes"


def describe_job(kind: str, **values: str) -> dict[str, Any]:
    """Return the job of a run as a worker makes it from the template, the defaults of its variables and these values."""
    from prefect.utilities.templating import apply_values

    template = read_template(kind)
    defaults = {name: value["default"] for name, value in template["variables"]["properties"].items() if "default" in value}
    job: dict[str, Any] = apply_values(template["job_configuration"], defaults | values)
    return job


def test_the_worker_of_docker_takes_the_container_that_the_template_describes() -> None:
    worker = pytest.importorskip("prefect_docker.worker", reason="prefect-docker is not installed")
    job = worker.DockerWorkerJobConfiguration(**describe_job("docker"))
    assert (job.image, job.volumes, job.auto_remove) == ("recollect-worker", ["/srv/memory:/srv/memory"], True)
    assert job.mem_limit == "4g"


def test_the_worker_of_kubernetes_takes_the_job_that_the_template_describes() -> None:
    """Kubernetes drops keys that it does not know without a word, so each is looked up in its own model."""
    worker = pytest.importorskip("prefect_kubernetes.worker", reason="prefect-kubernetes is not installed")
    models = pytest.importorskip("kubernetes_asyncio.client.models", reason="kubernetes-asyncio is not installed")
    values = {"volume_claim": "team-memory", "name": "fleet", "namespace": "memory"}
    job = worker.KubernetesWorkerJobConfiguration(**describe_job("kubernetes", **values))
    assert list(find_unknown(models, job.job_manifest, "V1Job")) == []
    pod = job.job_manifest["spec"]["template"]["spec"]
    assert pod["volumes"] == [{"name": "memory", "persistentVolumeClaim": {"claimName": "team-memory"}}]
    assert pod["securityContext"]["runAsUser"] == 1000
    misplaced = {"spec": {"template": {"spec": {"completions": 1}}}}
    assert list(find_unknown(models, misplaced, "V1Job")) == ["spec.template.spec.completions"]


def find_unknown(models: Any, value: Any, kind: str, path: str = "") -> Iterator[str]:
    """Yield the paths of the keys that the model of this kind does not have."""
    inner = re.match(r"(?:list\[|dict\(str, )(\w+)", kind)
    if isinstance(value, list) and inner:
        for item in value:
            yield from find_unknown(models, item, inner[1], path)
        return
    model = getattr(models, kind, None)
    if not isinstance(value, dict) or model is None:
        return
    names = {name: attribute for attribute, name in model.attribute_map.items()}
    for key, item in value.items():
        where = f"{path}.{key}".lstrip(".")
        if key not in names:
            yield where
        else:
            yield from find_unknown(models, item, model.openapi_types[names[key]], where)
