"""Machine learning: models, data, weights, training and inference, seeds, versions, notebooks, evaluation."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from shared.models.agent import CheckedItem, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.distribution_names import distributions_of, normalised
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.lock_files import is_lock, lock_files
from workers.tools.agent.manifests import DeclaredDependency, is_manifest, manifests
from workers.tools.agent.notebooks import read_notebook
from workers.tools.agent.python_imports import bound_names, dotted_name
from workers.tools.agent.repository_files import (
    RepositoryFiles,
    is_foreign,
    is_sample,
    is_test,
    parsed,
)
from workers.tools.registry import ToolContext

RULES = {
    "ml.unseeded": Severity.MINOR,
    "ml.split-unseeded": Severity.MINOR,
    "ml.no-evaluation": Severity.MINOR,
    "ml.unpinned": Severity.MINOR,
    "ml.revision": Severity.INFO,
    "ml.unsafe-load": Severity.MAJOR,
    "ml.remote-code": Severity.MAJOR,
    "ml.notebook-order": Severity.MINOR,
    "ml.notebook-error": Severity.MINOR,
    "ml.weights-in-repository": Severity.INFO,
}
FRAMEWORKS = frozenset(
    "torch tensorflow keras jax flax sklearn xgboost lightgbm catboost transformers datasets diffusers accelerate "
    "peft lightning pytorch_lightning sentence_transformers timm torchvision torchaudio onnxruntime onnx spacy gensim "
    "fastai statsmodels optuna mlflow wandb huggingface_hub vllm llama_cpp trl evaluate".split()
)
_CALLS = {
    "model": frozenset({"from_pretrained", "load_model", "create_model"}),
    "dataset": frozenset(
        "load_dataset DataLoader read_csv read_parquet image_dataset_from_directory".split()
    ),
    "training": frozenset("fit fit_transform partial_fit backward train_on_batch".split()),
    "inference": frozenset("predict predict_proba generate pipeline InferenceSession LLM".split()),
    "evaluation": frozenset(
        "accuracy_score f1_score precision_score recall_score roc_auc_score classification_report confusion_matrix "
        "mean_squared_error mean_absolute_error r2_score log_loss cross_val_score cross_validate evaluate score "
        "compute_metrics GridSearchCV RandomizedSearchCV average_precision_score silhouette_score eval".split()
    ),
}
"""Which calls, in a file that imports a framework, show what a file does."""
_SEEDS = frozenset(
    "manual_seed manual_seed_all seed set_seed seed_everything set_random_seed default_rng PRNGKey RandomState "
    "enable_determinism key Random".split()
)
_SPLITS = frozenset(
    "train_test_split KFold StratifiedKFold ShuffleSplit StratifiedShuffleSplit random_split".split()
)
_SHUFFLES_WHEN_ASKED = frozenset({"KFold", "StratifiedKFold"})
_RANDOM = (
    "random.",
    "numpy.random.",
    "torch.rand",
    "torch.randn",
    "torch.randint",
    "torch.randperm",
    "tensorflow.random.",
)
_PRETRAINED = frozenset("from_pretrained load_dataset hf_hub_download snapshot_download".split())
_PICKLES = frozenset(
    "pickle.load pickle.loads joblib.load dill.load cloudpickle.load torch.load numpy.load".split()
)
_WEIGHTS = (".pth", ".ckpt", ".onnx", ".safetensors", ".h5", ".keras", ".tflite", ".gguf")
_DATA = (".csv", ".tsv", ".parquet", ".jsonl", ".arrow", ".npz", ".npy", ".feather")
_KINDS = (*_CALLS, "seed")
MOST_ITEMS = 20


def wanted(path: str) -> bool:
    """Python, notebooks, manifests and locks."""
    return path.endswith((".py", ".ipynb")) or is_manifest(path) or is_lock(path)


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on the use of models and data. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


@dataclass
class MlUse:
    """What the files do: places by kind, and the modules of frameworks with where they are imported first."""

    frameworks: dict[str, Place] = field(default_factory=dict)
    places: defaultdict[str, list[tuple[str, Place]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    random: list[tuple[str, Place]] = field(default_factory=list)

    def note(self, kind: str, name: str, call: NamedCall) -> None:
        """Keep the place of a call of that kind."""
        self.places[kind].append((name, Place(path=call.path, line=_line(call))))


@dataclass(frozen=True)
class NamedCall:
    """A call with the dotted name that imports make of it."""

    name: str
    last: str
    path: str
    node: ast.Call

    @property
    def keywords(self) -> Collection[str | None]:
        """The names of its keyword arguments; None for `**`."""
        return [each.arg for each in self.node.keywords]

    @property
    def text(self) -> str:
        """Its first argument, where that is a text."""
        first = next(iter(self.node.args), None)
        value = first.value if isinstance(first, ast.Constant) else None
        return value if isinstance(value, str) else ""


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Read imports and calls of what uses a framework."""
    points = Points(RULES)
    use = MlUse()
    for path, tree in _sources(points, files):
        nodes = list(ast.walk(tree))
        bound = bound_names(nodes)
        imported = {name.partition(".")[0] for name in bound.values()} & FRAMEWORKS
        for top in imported:
            use.frameworks.setdefault(top, Place(path=path, line=_import_line(nodes, top)))
        for call in _calls(path, nodes, bound):
            _note_randomness(use, call)
            if imported:
                _note_kind(use, call)
                for check in (_check_split, _check_pretrained, _check_load):
                    check(points, call)
    if not use.frameworks:
        return points.examination([notice("exam_ml_none")])
    _check_whole(points, files, use)
    _check_versions(points, files, use)
    return points.examination(_facts(files, use), _items(use))


def _sources(points: Points, files: RepositoryFiles) -> Iterator[tuple[str, ast.Module]]:
    """Python files, and the code of notebooks; lines of a notebook are not those of its file."""
    for path, text in files.texts.items():
        if is_foreign(path) or is_sample(path):
            continue
        if path.endswith(".py"):
            tree = files.tree(path) if any(name in text for name in FRAMEWORKS) else None
            if tree is not None:
                yield path, tree
        elif path.endswith(".ipynb"):
            tree = _notebook(points, path, text)
            if tree is not None:
                yield path, tree


def _notebook(points: Points, path: str, text: str) -> ast.Module | None:
    state = read_notebook(text)
    if state is None:
        return None
    if state.counts and not state.in_order:
        shown = ", ".join(map(str, state.counts[:12]))
        points.add("ml.notebook-order", path, counts=shown, unexecuted=state.unexecuted)
    for name in dict.fromkeys(state.errors):
        points.add("ml.notebook-error", path, name=name)
    return parsed(state.code)


def _import_line(nodes: Iterable[ast.AST], top: str) -> int:
    for node in nodes:
        if isinstance(node, ast.Import) and any(
            each.name.partition(".")[0] == top for each in node.names
        ):
            return node.lineno
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == top:
            return node.lineno
    return 1


# ---- calls --------------------------------------------------------------------------------------


def _calls(path: str, nodes: Iterable[ast.AST], bound: Mapping[str, str]) -> Iterator[NamedCall]:
    for node in nodes:
        if isinstance(node, ast.Call):
            parts = dotted_name(node.func)
            last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = ".".join((bound.get(parts[0], parts[0]), *parts[1:])) if parts else last
            yield NamedCall(name, name.rpartition(".")[2], path, node)


def _note_randomness(use: MlUse, call: NamedCall) -> None:
    if call.last in _SEEDS:
        use.note("seed", call.name, call)
    elif call.name.startswith(_RANDOM) and not is_test(call.path):
        use.random.append((call.name, Place(path=call.path, line=_line(call))))


def _note_kind(use: MlUse, call: NamedCall) -> None:
    for kind, names in _CALLS.items():
        if call.last in names:
            use.note(kind, f"{call.last}({call.text})" if call.text else call.last, call)


def _line(call: NamedCall) -> int:
    return 1 if call.path.endswith(".ipynb") else call.node.lineno


def _check_split(points: Points, call: NamedCall) -> None:
    seeds = {"random_state", "generator", None}
    if call.last not in _SPLITS or seeds & set(call.keywords):
        return
    if call.last in _SHUFFLES_WHEN_ASKED and "shuffle" not in call.keywords:
        return
    points.add("ml.split-unseeded", call.path, _line(call), name=call.last)


def _check_pretrained(points: Points, call: NamedCall) -> None:
    if call.last not in _PRETRAINED or not call.text or call.text.startswith((".", "/", "~")):
        return
    if not {"revision", None} & set(call.keywords):
        points.add("ml.revision", call.path, _line(call), name=call.text, call=call.last)
    for keyword in call.node.keywords:
        if keyword.arg == "trust_remote_code" and _is_true(keyword.value):
            points.add("ml.remote-code", call.path, _line(call), name=call.text)


def _check_load(points: Points, call: NamedCall) -> None:
    """What runs code that a file holds: pickles always, torch and numpy where they are told to."""
    if call.name not in _PICKLES or is_test(call.path):
        return
    given = {keyword.arg: keyword.value for keyword in call.node.keywords}
    if call.name == "numpy.load":
        unsafe = "allow_pickle" in given and _is_true(given["allow_pickle"])
    elif call.name == "torch.load":
        unsafe = "weights_only" in given and not _is_true(given["weights_only"])
    else:
        unsafe = True
    if unsafe:
        points.add("ml.unsafe-load", call.path, _line(call), name=call.name)


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


# ---- the repository as a whole ------------------------------------------------------------------


def _check_whole(points: Points, files: RepositoryFiles, use: MlUse) -> None:
    """A seed anywhere counts for all, and so does an evaluation."""
    if not use.places["seed"]:
        for name, place in use.random:
            points.add("ml.unseeded", place.path, place.line, name=name)
    if use.places["training"] and not use.places["evaluation"]:
        name, place = use.places["training"][0]
        points.add("ml.no-evaluation", place.path, place.line, name=name)
    for path in filter(lambda path: path.endswith(_WEIGHTS), _own(files)):
        points.add("ml.weights-in-repository", path)


def _check_versions(points: Points, files: RepositoryFiles, use: MlUse) -> None:
    """A framework whose version nothing fixes gives other results on another day."""
    locked = {name for lock in lock_files(files) for name in lock.versions}
    for row in _declared(files, use):
        is_open = "<" not in row.specifier and not row.specifier.lstrip("=^~ ")[:1].isdigit()
        if is_open and normalised(row.name) not in locked:
            specifier = row.specifier or "*"
            points.add("ml.unpinned", row.path, row.line, name=row.name, specifier=specifier)


def _declared(files: RepositoryFiles, use: MlUse) -> Iterator[DeclaredDependency]:
    names = {name for top in use.frameworks for name in (*distributions_of(top), normalised(top))}
    for manifest in manifests(files):
        for row in manifest.dependencies:
            if normalised(row.name) in names:
                yield row


def _own(files: RepositoryFiles) -> Iterator[str]:
    for path in files.paths:
        if not (is_foreign(path) or is_sample(path) or is_test(path)):
            yield path


def _facts(files: RepositoryFiles, use: MlUse) -> Iterator[Notice]:
    versions = {row.name: row.specifier or "*" for row in _declared(files, use)}
    for top, place in sorted(use.frameworks.items()):
        names = (*distributions_of(top), normalised(top))
        version = next(filter(None, map(versions.get, names)), "-")
        yield notice(
            "exam_ml_framework", name=top, version=version, path=place.path, line=place.line
        )
    yield from _stored(files)


def _stored(files: RepositoryFiles) -> Iterator[Notice]:
    data = [path for path in _own(files) if path.endswith(_DATA)]
    if data:
        yield notice("exam_ml_data", n=len(data), names=", ".join(data[:5]))
    notebooks = sum(path.endswith(".ipynb") for path in files.texts)
    if notebooks:
        yield notice("exam_ml_notebooks", n=notebooks)


def _items(use: MlUse) -> Iterator[CheckedItem]:
    """What was looked for, and where it is; a kind without a place is left to whoever reads."""
    for kind in _KINDS:
        known = [row for row in use.places[kind] if not is_test(row[1].path)]
        names = ", ".join(dict.fromkeys(name for name, _ in known[:MOST_ITEMS]))
        places = tuple(dict.fromkeys(place for _, place in known))[:MOST_ITEMS]
        yield CheckedItem(
            item=f"{kind}: {names}" if names else kind,
            state="met" if places else "unknown",
            places=places,
            reason=None if places else notice("exam_ml_not_seen"),
        )
