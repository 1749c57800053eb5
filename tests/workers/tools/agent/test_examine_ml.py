"""Machine learning is found by imports and calls: seeds, versions, data, weights, notebooks and evaluation."""

from __future__ import annotations

import json

import pytest

from shared.models.agent import RepositoryExamination
from tests.workers.tools.agent.examined import examine, rows

GOOD = {
    "pyproject.toml": '[project]\nname = "m"\ndependencies = ["scikit-learn==1.5.0"]\n',
    "train.py": """\
        import numpy as np
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import accuracy_score
        from sklearn.model_selection import train_test_split

        np.random.seed(7)
        noise = np.random.rand(3)
        parts = train_test_split(x, y, random_state=7)
        model = LogisticRegression().fit(x, y)
        print(accuracy_score(y, model.predict(x)))
        """,
}


def kinds(examination: RepositoryExamination) -> dict[str, str]:
    return {item.item.partition(":")[0]: item.state for item in examination.items}


def test_a_careful_project_has_no_points_and_its_entry_points_are_named() -> None:
    seen = examine("ml", GOOD)
    assert rows(seen) == set()
    assert kinds(seen) == {
        "model": "unknown",
        "dataset": "unknown",
        "training": "met",
        "inference": "met",
        "evaluation": "met",
        "seed": "met",
    }
    assert seen.facts[0].params == {
        "name": "sklearn",
        "version": "==1.5.0",
        "path": "train.py",
        "line": 2,
    }


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("import torch\nx = torch.rand(3)\n", "unseeded", 2),
        ("import sklearn\nimport random\nrandom.shuffle(x)\n", "unseeded", 3),
        ("from sklearn.model_selection import train_test_split\ntrain_test_split(x)\n", "split-unseeded", 2),
        ("from sklearn.svm import SVC\nSVC().fit(x, y)\n", "no-evaluation", 2),
        ("from transformers import AutoModel\nAutoModel.from_pretrained('a/b')\n", "revision", 2),
        ("import torch\ntorch.load('w.pt', weights_only=False)\n", "unsafe-load", 2),
        ("import sklearn, joblib\njoblib.load('w')\n", "unsafe-load", 2),
        ("from datasets import load_dataset\nload_dataset('a/b', revision='1', trust_remote_code=True)\n",
         "remote-code", 2),
    ],
)  # fmt: skip
def test_what_makes_a_result_unsure_is_named(text: str, rule: str, line: int) -> None:
    assert rows(examine("ml", {"m.py": text})) == {(rule, "m.py", line)}


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.load('w.pt')\ntorch.load('v.pt', weights_only=True)\n",
        "from sklearn.model_selection import KFold\nKFold(5)\n",
        "from transformers import AutoModel\nAutoModel.from_pretrained('./here')\nAutoModel.from_pretrained(path)\n",
        "import random\nrandom.shuffle(x)\n",
        "import sklearn\nfrom random import Random\nRandom(7).shuffle(x)\n",
        "class Curve:\n    def go(self):\n        self.fit(1)\n",
    ],
)
def test_what_may_be_right_is_no_point(text: str) -> None:
    assert rows(examine("ml", {"m.py": text})) == set()


def test_a_framework_without_a_version_is_named_unless_a_lock_fixes_it() -> None:
    files = {"requirements.txt": "torch>=2\nrich\n", "m.py": "import torch\nimport rich\n"}
    assert rows(examine("ml", files)) == {("unpinned", "requirements.txt", 1)}
    assert (
        rows(
            examine(
                "ml",
                {**files, "uv.lock": 'version = 1\n[[package]]\nname = "torch"\nversion = "2.1"\n'},
            )
        )
        == set()
    )


def test_a_notebook_s_state_is_read() -> None:
    def cell(source: str, count: int | None, **output: object) -> dict[str, object]:
        outputs = [output] if output else []
        return {
            "cell_type": "code",
            "source": [source],
            "execution_count": count,
            "outputs": outputs,
        }

    cells = [
        cell("%matplotlib inline\nimport torch\n", 3),
        cell("torch.manual_seed(1)\ntorch.rand(2)", 2, output_type="error", ename="KeyError"),
        cell("print()", None),
    ]
    seen = examine("ml", {"n.ipynb": json.dumps({"cells": cells}), "w.safetensors": ""})
    assert rows(seen) == {
        ("notebook-order", "n.ipynb", 1),
        ("notebook-error", "n.ipynb", 1),
        ("weights-in-repository", "w.safetensors", 1),
    }
    assert kinds(seen)["seed"] == "met"
    tidy = [cell("import torch", 1), cell("torch.manual_seed(1)", 2)]
    assert rows(examine("ml", {"n.ipynb": json.dumps({"cells": tidy})})) == set()


def test_a_project_without_frameworks_says_so() -> None:
    seen = examine("ml", {"a.py": "import numpy\nnumpy.random.rand(3)\n"})
    assert [fact.code for fact in seen.facts] == ["exam_ml_none"]
    assert (seen.points, seen.items) == ((), ())
