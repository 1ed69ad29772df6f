"""Members of a cluster's secrets, in manifests and commands that other people's writers wrote."""

# ruff: noqa: E501 - a made text is read best on one line

import base64
import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.formats.cluster_secrets import find_cluster_secrets
from transforms.redaction.redact import redact
from transforms.redaction.value_forms import is_harmless

NAMES = st.sampled_from(("ROOT", "kod", "app.key1", "SMTP", "value"))
VALUES = st.builds(
    "{}{}{}".format, st.sampled_from(("Kolo", "lech", "two boats")), st.text("ab#;'\"%-_ ", max_size=12), st.integers(10, 99)
)


def make_secret(**members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "web"}, **members}


def encode(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


WRITERS: dict[str, Callable[[str, str], str]] = {
    "a manifest": lambda name, value: yaml.safe_dump(make_secret(stringData={name: value, "username": "web"}), width=999),
    "what kubectl prints": lambda name, value: yaml.safe_dump(make_secret(data={name: encode(value), "username": encode("web")})),
    "JSON": lambda name, value: json.dumps(make_secret(data={name: encode(value)})),
    "a command": lambda name, value: f"kubectl create secret generic web --from-literal={name}={shlex.quote(value)}",
    "an argument": lambda name, value: f"kubectl create secret generic web --from-literal {shlex.quote(name + '=' + value)}",
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
@given(NAMES, VALUES)
def test_the_value_of_a_member_goes_whatever_its_name(write: Callable[[str, str], str], name: str, value: str) -> None:
    assume(not is_harmless(value) and ("'" not in value or '"' not in value))
    text = write(name, value)
    assert encode(value) not in redact(text)
    assert value[-6:] not in redact(text) or value[-6:] in write(name, "")


@each_case("text", [
    yaml.safe_dump(make_secret(data={"username": encode("web4"), "host": encode("db1.shop.example")})),
    yaml.safe_dump({"kind": "ConfigMap", "data": {"mode": encode("lech 12 boats")}}), yaml.safe_dump(make_secret(data={"mode": encode("production")})),
    yaml.safe_dump({"kind": "SecretStore", "data": {"path": encode("kv store 12")}}), "kubectl create secret generic web --from-literal=user=web12",
    yaml.safe_dump(make_secret(stringData={"password": "REPLACE_ME", "host": "db"})), "kubectl create configmap web --from-literal=mode=blue12",
])  # fmt: skip
def test_accounts_places_words_and_other_kinds_stay(text: str) -> None:
    assert redact(text) == text


@each_case("part", ["kind: Secret\ndata:\n  a: b\n", "kind: Secret ", "create secret generic --from-literal=a=b1 "])
def test_the_search_takes_linear_time(part: str) -> None:
    assert grows_with_text(lambda text: list(find_cluster_secrets(text)), part, 60)
