"""Lint and render the Helm chart with Helm's own engine, in the interpreter that has it (see .ci/run), and look at it.

python chart.py FOLDER < values, a JSON list > what came of each, a JSON list
"""

from __future__ import annotations

import json
import sys
from typing import Any

import kubernetes_validate
import yaml
from cloudcoil.models.keda import v1alpha1 as keda
from helm_python import chart as helm
from helm_python.errors import HelmRenderError

KUBERNETES = "1.30"
UNKNOWN = "monitoring.coreos.com/"


def looked_at(folder: str, values: dict[str, Any]) -> dict[str, Any]:
    """What Helm says of the chart with these values, and the objects that it makes; those that are wrong by name."""
    linted = helm.lint(folder, values, strict=True)
    errors = list(linted["errors"])
    if errors:
        return {"errors": errors, "objects": []}
    try:
        rendered = helm.Chart.load(folder).render(values, name="quorate", namespace="work")
    except HelmRenderError as error:
        return {"errors": [str(error)], "objects": []}
    texts = [text for name, text in rendered.items() if name.endswith(".yaml")]
    objects = [each for text in texts for each in yaml.safe_load_all(text) if each]
    for each in objects:
        try:
            check(each)
        except (ValueError, kubernetes_validate.ValidationError) as error:
            errors.append(f"{each.get('kind')} {each['metadata']['name']}: {error}")
    return {"errors": errors, "objects": objects}


def check(each: dict[str, Any]) -> None:
    """Raises whatever the schema of its kind says against it."""
    if each["apiVersion"].startswith("keda.sh/"):
        getattr(keda, each["kind"]).model_validate(each)
    elif not each["apiVersion"].startswith(UNKNOWN):
        kubernetes_validate.validate(each, KUBERNETES, strict=True)


if __name__ == "__main__":
    print(json.dumps([looked_at(sys.argv[1], values) for values in json.load(sys.stdin)]))
