"""What is typed outranks every file, and a promise that is typed is kept whatever the files say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.subject_input import QuestionInput
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError
from shared.models.run import RunSpec
from tests.fixtures.instance import git
from tests.support.notices import words

ADA = "providers: {ada: {type: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}}\n"
FILES = (
    "participants: [ada]\n",
    "participants: [ada, ruff]\norchestrator: {ai: ada}\n",
    "orchestrator: {ai: ada}\n",
    "panel: {author: ada, chair: ada}\n",
    "preset: security\npanel: {chair: ada}\n",
    "privacy: {allow_models: true, allow_external: true}\nparticipants: [models, analysers]\n",
)


def spec_of(repository: Path, environ: dict[str, str], **wanted: Any) -> RunSpec:
    prepared = prepare_run(SubmissionRequest(directory=repository, **wanted), environ)
    return prepared.make_spec(workflow_version=1)


def home(tmp_path: Path, text: str) -> dict[str, str]:
    file = tmp_path / "home/.config/quorate/config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return {"HOME": str(tmp_path / "home"), "CI": "1", "QUORATE_DISCOVER": "off"}


def asks_nobody(spec: RunSpec) -> bool:
    everybody = (*spec.panel.critics, spec.panel.author, spec.panel.chair)
    return all(one.rule_based for one in everybody) and not (
        spec.allow_models or spec.allow_external
    )


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("source", ["user", "named", "environment"])
@pytest.mark.parametrize("typed", [{"settings": {"preset": "keyless"}}, {"panel": ("keyless",)}])
def test_keyless_asks_no_model_whatever_the_files_say(
    tmp_path: Path, changed_repository: Path, file: str, source: str, typed: dict[str, Any]
) -> None:
    environ = home(tmp_path, ADA + (file if source == "user" else ""))
    if source == "named":
        (tmp_path / "named.yaml").write_text(ADA + file)
        typed = {**typed, "config": tmp_path / "named.yaml"}
    if source == "environment":
        environ |= {"QUORATE_PANEL": "ada", "QUORATE_PRESET": "security"}
    assert asks_nobody(spec_of(changed_repository, environ, **typed))


def test_a_repositorys_file_does_not_break_the_promise_either(
    tmp_path: Path, changed_repository: Path
) -> None:
    (changed_repository / ".quorate.yaml").write_text("participants: [ada]\n")
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-qm", "x")
    environ = home(tmp_path, ADA)
    spec = spec_of(changed_repository, environ, settings={"preset": "keyless"})
    assert asks_nobody(spec)
    assert [notice.code for notice in spec.notices] == ["project_passed_over"]


@pytest.mark.parametrize("who", ["ada", "ruff,ada", "author=ada", "chair=ada", "keyless,ada"])
def test_a_model_beside_keyless_is_refused(
    tmp_path: Path, changed_repository: Path, who: str
) -> None:
    environ = home(tmp_path, ADA)
    with pytest.raises(ConfigurationError, match="ada is a model, and no model is asked"):
        spec_of(changed_repository, environ, panel=(who,), settings={"preset": "keyless"})


def test_keyless_is_promised_when_the_variable_says_it(
    tmp_path: Path, changed_repository: Path
) -> None:
    environ = home(tmp_path, ADA + "panel: {chair: ada}\n") | {"QUORATE_PANEL": "keyless"}
    assert asks_nobody(spec_of(changed_repository, environ))
    for who in ("author=ada", "chair=ada"):
        with pytest.raises(ConfigurationError, match="ada is a model, and no model is asked"):
            spec_of(changed_repository, environ, panel=(who,))
    with pytest.raises(ConfigurationError, match="ada is a model, and no model is asked"):
        spec_of(changed_repository, environ | {"QUORATE_PANEL": "keyless,ada"})
    assert spec_of(changed_repository, environ, panel=("ada",)).allow_models


def test_who_merges_is_not_passed_over_when_only_rules_criticise(
    tmp_path: Path, changed_repository: Path
) -> None:
    wanted = SubmissionRequest(directory=changed_repository, panel=("analysers", "chair=ada"))
    warning = words(*prepare_run(wanted, home(tmp_path, ADA)).cast_report.warnings)
    assert "ada is a model that merges what they find" in warning
    assert "no model reads" not in warning


@pytest.mark.parametrize("workflow", ["ask", "forum"])
def test_who_joins_does_not_answer_for_those_who_take_part_without(
    tmp_path: Path, changed_repository: Path, workflow: str
) -> None:
    copies = ", ".join(f"{{name: ada, persona: {one}}}" for one in ("security", "critical"))
    (changed_repository / ".quorate.yaml").write_text(f"participants: [{copies}]\n")
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-qm", "x")
    models = "".join(
        f"  {name}: {{type: openai, model: m-{name}, base_url: 'http://127.0.0.1:9/v1'}}\n"
        for name in ("ada", "bert", "cleo")
    )
    environ = home(tmp_path, f"participants: [ada, bert, cleo]\nproviders:\n{models}")
    subject = QuestionInput(words=("What for?",))
    spec = spec_of(changed_repository, environ, workflow=workflow, subject=subject)
    assert (len(spec.panel.critics), spec.options["quorum"]) == (5, 2 + 2)


def test_analysers_that_were_typed_are_not_merged_by_a_model_of_a_file(
    tmp_path: Path, changed_repository: Path
) -> None:
    environ = home(tmp_path, ADA + "orchestrator: {ai: ada}\npanel: {author: ada}\n")
    panel = spec_of(changed_repository, environ, panel=("analysers",)).panel
    assert (panel.author.name, panel.chair.name) == ("rules", "rules")
    panel = spec_of(changed_repository, environ, panel=("analysers", "chair=ada")).panel
    assert panel.chair.name == "ada"


def test_a_typed_preset_stands_above_the_files_and_says_so(
    tmp_path: Path, changed_repository: Path
) -> None:
    environ = home(tmp_path, ADA + "participants: [ruff]\nreview: {strategy: review}\n")
    spec = spec_of(changed_repository, environ, settings={"preset": "security"})
    assert spec.options["strategy"] == "red-team"
    assert "diffcheck" in [one.name for one in spec.panel.critics]
    (notice,) = spec.notices
    assert notice.code == "typed_wins"
    assert any(key.startswith("participants (") for key in notice.params["keys"])
    found = load_configuration(
        changed_repository, environ, overrides={"preset": "security"}, workflow="review"
    )
    assert found.source("participants").startswith("preset security")


def test_a_repository_that_forbids_what_is_elsewhere_drops_nobody(
    tmp_path: Path, changed_repository: Path
) -> None:
    far = ADA.replace("http://127.0.0.1:9", "https://llm.example")
    (changed_repository / ".quorate.yaml").write_text("privacy: {allow_external: false}\n")
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-qm", "x")
    with pytest.raises(ConfigurationError, match=r"would leave out ada(.|\n)*--no-external"):
        spec_of(changed_repository, home(tmp_path, far))
    typed = {"privacy.allow_external": False}
    assert not spec_of(changed_repository, home(tmp_path, far), settings=typed).allow_external
    assert not spec_of(changed_repository, home(tmp_path, ADA)).allow_external


def test_those_who_join_do_not_fill_the_places_of_those_who_were_to_answer(
    tmp_path: Path, changed_repository: Path
) -> None:
    (changed_repository / ".quorate.yaml").write_text("participants: [complexity, diffcheck]\n")
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-qm", "x")
    environ = home(tmp_path, "participants: [ruff, bandit]\ngate: {quorum: 2}\n")
    spec = spec_of(changed_repository, environ)
    assert [one.name for one in spec.panel.critics] == ["ruff", "bandit", "complexity", "diffcheck"]
    assert spec.options["quorum"] == 4
    assert [notice.code for notice in spec.notices] == ["project_joins"]
