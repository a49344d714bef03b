"""The manifests for Kubernetes, checked against the code and its schemas. No cluster is asked."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
import yaml
from django.core.management import get_commands

from adiuva.database.loop_statements import MAX_CONNECTIONS
from adiuva.database.pool import connection_options
from adiuva.server import serve
from tests.adiuva.test_deployment import COMPOSE, SERVICES, documented, seconds, secret_settings
from tests.forks import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
MANIFESTS: list[dict[str, Any]] = [
    manifest for path in sorted(FOLDER.glob("*.yaml")) for manifest in yaml.safe_load_all(path.read_text())
]
NAMES = [f"{manifest['kind']} {manifest['metadata']['name']}" for manifest in MANIFESTS]
KINDS = {"web": "Deployment", "worker": "Deployment", "migrate": "Job", "daily": "CronJob"}
VERSION = "1.34"
"""Of the schemas."""


def manifest(kind: str, name: str) -> dict[str, Any]:
    return MANIFESTS[NAMES.index(f"{kind} {name}")]


def template(part: str) -> dict[str, Any]:
    """What the pods of a part are made of."""
    spec = manifest(KINDS[part], part)["spec"]
    made: dict[str, Any] = spec.get("jobTemplate", {"spec": spec})["spec"]["template"]
    return made


def pod(part: str) -> dict[str, Any]:
    spec: dict[str, Any] = template(part)["spec"]
    return spec


def containers(part: str) -> list[dict[str, Any]]:
    return [*pod(part).get("initContainers", []), *pod(part)["containers"]]


def variables() -> Mapping[str, str]:
    data: dict[str, str] = manifest("ConfigMap", "adiuva")["data"]
    return data


@pytest.mark.parametrize("checked", MANIFESTS, ids=NAMES)
def test_manifest_fits_its_schema(checked: dict[str, Any]) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="needs kubernetes-validate, which no lock holds")
    validate.validate(checked, VERSION, strict=True)


@pytest.mark.parametrize("part", KINDS)
def test_pods_have_no_right_that_they_do_not_need(part: str) -> None:
    spec = pod(part)
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    user = int(re.findall(r"^USER (\d+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[0])
    assert spec["securityContext"]["runAsUser"] == user
    for container in containers(part):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"requests", "limits"} <= set(container["resources"])


@pytest.mark.parametrize("part", ["web", "worker", "migrate"])
def test_pods_run_what_the_containers_of_one_machine_run(part: str) -> None:
    assert pod(part)["containers"][0]["args"] == SERVICES[part]["command"]
    for container in containers(part):
        assert "command" not in container  # tini is the image's entry point
        if container["args"][1] == "manage.py":
            assert container["args"][2] in get_commands()


@pytest.mark.contracts
def test_daily_commands_are_those_of_the_documents() -> None:
    run = {" ".join(container["args"][1:]) for container in containers("daily")}
    for page, beginning, end in (("running.md", "once a day", "After"), ("deploying.md", "[every day]", "The servers")):
        text = (ROOT / "docs" / page).read_text().partition(beginning)[2].partition(end)[0]
        assert set(re.findall(r"(manage\.py [a-z_]+(?: --[a-z]+)?)[`\n]", text)) == run
    assert {command.split()[1] for command in run} <= set(get_commands())


@pytest.mark.parametrize("part", ["web", "worker"])
def test_pods_wait_for_the_tables(part: str) -> None:
    (first,) = pod(part)["initContainers"]
    assert first["args"] == ["python", "manage.py", "migrate", "--check"]


def test_pods_get_the_time_that_they_need_to_leave() -> None:
    (web,), (worker,) = pod("web")["containers"], pod("worker")["containers"]
    pause = int(web["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod("web")["terminationGracePeriodSeconds"] >= pause + serve._GRACE_S + 5
    assert pod("worker")["terminationGracePeriodSeconds"] >= seconds(SERVICES["worker"]["stop_grace_period"])
    assert "lifecycle" not in worker


@pytest.mark.parametrize("part", ["web", "worker"])
def test_probes_ask_whether_the_process_lives(part: str) -> None:
    (container,) = pod(part)["containers"]
    probes = {name: probe for name, probe in container.items() if name.endswith("Probe")}
    assert {"startupProbe", "livenessProbe"} <= set(probes)
    (port,) = container["ports"]
    for probe in probes.values():
        assert probe["httpGet"] == {"path": "/healthz", "port": port["name"]}
    listening = 8000 if part == "web" else int(container["env"][0]["value"].rpartition(":")[2])
    assert port["containerPort"] == listening


def test_variables_are_documented_and_every_secret_can_be_given() -> None:
    assert set(variables()) - documented() == set()
    given = {name.removesuffix("_FILE") for name in variables() if name.endswith("_FILE")}
    assert given == secret_settings()
    for part in KINDS:
        for container in containers(part):
            assert container["envFrom"] == [{"configMapRef": {"name": "adiuva"}}]
            assert {"name": "secrets", "mountPath": "/run/secrets", "readOnly": True} in container["volumeMounts"]
            assert {variable["name"] for variable in container.get("env", [])} <= documented()
    files = {value.rpartition("/")[2] for name, value in variables().items() if name.endswith("_FILE")}
    assert files <= set(COMPOSE["secrets"])


def selectors(value: object) -> Iterator[dict[str, str]]:
    match value:
        case dict():
            for name, inner in value.items():
                if name == "matchLabels" and "part" in inner:
                    yield inner
                yield from selectors(inner)
        case list():
            for inner in value:
                yield from selectors(inner)


def test_names_fit_together() -> None:
    for part in KINDS:
        assert template(part)["metadata"]["labels"] == {"app": "adiuva", "part": part}
    assert {labels["part"] for labels in selectors(MANIFESTS)} <= set(KINDS)
    for part in ("web", "worker"):
        assert manifest("HorizontalPodAutoscaler", part)["spec"]["scaleTargetRef"]["name"] == part
        assert manifest("PodDisruptionBudget", part)["spec"]["selector"]["matchLabels"]["part"] == part
    assert manifest("Service", "web")["spec"]["selector"]["part"] == "web"
    (rule,) = manifest("Ingress", "adiuva")["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "web", "port": {"name": "http"}}
    assert rule["host"] == variables()["ADIUVA_ALLOWED_HOSTS"]
    assert {made["metadata"].get("namespace", "adiuva") for made in MANIFESTS} == {"adiuva"}


def test_ingress_lets_quiet_sockets_be() -> None:
    options = manifest("Ingress", "adiuva")["metadata"]["annotations"]
    waits = [value for name, value in options.items() if "timeout" in name]
    assert set(waits) == {"3600", "1h"}


def test_ingress_takes_every_body_that_the_server_takes() -> None:
    options = manifest("Ingress", "adiuva")["metadata"]["annotations"]
    mebibytes = options["nginx.ingress.kubernetes.io/proxy-body-size"].removesuffix("m")
    limits = serve.client_limits()
    assert int(mebibytes) * 1024 * 1024 >= max(limits.most_bytes, *limits.larger.values())


@pytest.mark.contracts
def test_page_says_how_many_connections_all_processes_need() -> None:
    options = cast("dict[str, dict[str, Any]]", connection_options())["OPTIONS"]
    each = options["pool"]["max_size"] + MAX_CONNECTIONS + 2  # which hear notices, and ask whether the database answers
    processes = 1 + len(containers("daily"))  # the migration and the daily commands
    for part in ("web", "worker"):
        update = manifest("Deployment", part)["spec"]["strategy"]["rollingUpdate"]
        assert update["maxUnavailable"] == 0
        processes += manifest("HorizontalPodAutoscaler", part)["spec"]["maxReplicas"] + update["maxSurge"]
    page = (ROOT / "docs" / "deploying.md").read_text()
    (said,) = re.findall(rf"{processes} processes, so `max_connections` must be (\d+) or more", page)
    assert int(said) >= processes * each
