"""`quorate eval --schema` describes what `quorate eval --json` prints."""

import json

from orchestrator.evaluation.result import EvalResult, PanelOutcomes, evaluated
from orchestrator.evaluation.scoring import ReadingRules
from tests.fixtures.instance import CommandLine


def test_the_schema_knows_every_key_of_the_result(quiet_home: CommandLine) -> None:
    schema = json.loads(quiet_home("eval", "--schema").stdout)
    result: EvalResult = evaluated(
        ("x",), "review", [PanelOutcomes("default", (), ())], ReadingRules()
    )
    printed = {"schema_version", *result.model_dump(mode="json")}
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == printed == set(schema["required"])
    assert schema["properties"]["schema_version"]["const"] == 1
