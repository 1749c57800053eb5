"""Which names `quorate participants pause` takes."""

from pathlib import Path

from orchestrator.application.pausing import pausable_names
from orchestrator.participants.catalogue import Catalogue
from orchestrator.settings.loading import load_configuration


def test_who_has_none_of_the_keys_can_name_participants_providers_and_accounts(
    tmp_path: Path,
) -> None:
    file = tmp_path / "quorate.yaml"
    file.write_text(
        "participants: [far]\n"
        "providers:\n"
        "  far: {type: anthropic, model: m, api_key_env: NOT_SET_ANYWHERE, account: team, fallback: [near]}\n"
        "  near: {type: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}\n"
        "  me: {type: person}\n"
    )
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path), "CI": "true"}
    settings = load_configuration(tmp_path, environ, explicit=file).settings

    names = set(pausable_names(Catalogue(settings, environ, tmp_path)))

    assert {"far", "near", "anthropic#team", "openai@127.0.0.1:9", "gemini", "claude"} <= names
    assert not names & {"me", "person", "ruff", "rules", "NOT_SET_ANYWHERE"}
