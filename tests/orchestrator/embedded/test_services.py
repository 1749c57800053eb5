"""What each supervised process may know of the environment."""

from pathlib import Path

import pytest

from orchestrator.embedded.scripts import service_environment
from orchestrator.embedded.services import keyless_environment, specs
from orchestrator.embedded.supervisor_files import make_folders, mark_scheduled
from shared.instance import Instance

ENVIRON = {
    "PATH": "/usr/bin",
    "HOME": "/home/x",
    "GIT_AUTHOR_NAME": "Somebody",
    "LANG": "ko_KR.UTF-8",
    "QUORATE_INSTANCE": "one",
    "QUORATE_REDIS_URL": "redis://:p@h/0",
    "QUORATE_WEBHOOK_NETWORKS": "10.0.0.0/8",
    "QUORATE_OPENAI_API_KEY": "sk-1",
    "QUORATE_OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
    "OPENAI_API_KEY": "sk-2",
    "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
    "ANTHROPIC_AUTH_TOKEN": "sk-3",
    "AWS_PROFILE": "work",
    "MY_SERVICE_PASSWORD": "x",
    "HTTPS_PROXY": "http://user:word@proxy:1",
    "PYTHONPATH": "/evil",
    "PYTHONSTARTUP": "/evil.py",
    "CELERY_CONFIG_MODULE": "celeryconfig",
}


@pytest.mark.parametrize(
    "name",
    [
        "QUORATE_OPENAI_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_PROFILE",
        "MY_SERVICE_PASSWORD",
        "HTTPS_PROXY",
    ],
)
def test_tool_workers_and_orchestrator_see_nothing_worth_stealing(name: str):
    assert name not in keyless_environment(ENVIRON)
    assert name in service_environment(ENVIRON)


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "GIT_AUTHOR_NAME",
        "LANG",
        "QUORATE_INSTANCE",
        "QUORATE_REDIS_URL",
        "QUORATE_WEBHOOK_NETWORKS",
    ],
)
def test_every_process_keeps_what_it_needs(name: str):
    assert keyless_environment(ENVIRON)[name] == ENVIRON[name]


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONSTARTUP", "CELERY_CONFIG_MODULE"])
def test_no_process_is_told_where_to_find_code(name: str):
    assert name not in service_environment(ENVIRON)
    assert service_environment(ENVIRON)["PYTHONSAFEPATH"] == "1"


def test_who_gets_keys_and_all_programs_are_absolute(tmp_path: Path):
    processes = specs(Instance.at(tmp_path), ENVIRON)
    with_keys = {spec.name for spec in processes if "OPENAI_API_KEY" in (spec.env or {})}
    assert with_keys == {"turns", "scheduler"}
    assert {spec.name for spec in processes if spec.is_needed} == {"orchestrator", "tools", "turns"}
    assert all(Path(spec.argv[0]).is_absolute() for spec in processes)


def test_a_scheduler_is_there_while_there_are_schedules(tmp_path: Path):
    instance = Instance.at(tmp_path)
    make_folders(instance)
    scheduler = next(spec for spec in specs(instance, ENVIRON) if spec.name == "scheduler")
    for scheduled in (True, False, False):
        mark_scheduled(instance, scheduled=scheduled)
        assert scheduler.is_needed is scheduled
