"""What `import pdeval` costs: no slow package, and little time beside pandas; and the versions that it needs."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pdeval

SLOW = ("scipy", "statsmodels", "matplotlib", "tqdm", "dask", "distributed", "IPython")


def python(code, env=None):
    """Return what a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    return done.stdout.strip()


@pytest.mark.broad
def test_importing_pdeval_imports_no_slow_package():
    loaded = python(
        f"import sys, pdeval; print([name for name in {SLOW!r} if name in sys.modules])"
    )
    assert loaded == "[]"


@pytest.mark.broad
@pytest.mark.parametrize("prompt", ["", "sys.ps1 = '>>> ';"])
def test_importing_pdeval_starts_no_thread(prompt):
    code = (
        "import os, sys, threading, pandas, pyarrow.compute;"
        f"{prompt} count = lambda: (threading.active_count(), len(os.listdir('/proc/self/task')));"
        "before = count(); import pdeval; print(count() == before, 'scipy.special' in sys.modules)"
    )
    assert python(code) == "True False"


@pytest.mark.broad
def test_measures_and_preferences_need_no_slow_package_either():
    code = (
        "import sys, warnings, pdeval; warnings.simplefilter('ignore');"
        "runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels();"
        "runs.ireval.measure(qrels, ['AP', 'nDCG@10', 'bpref']); runs.ireval.prefer(qrels, ['RPP', 'rrLP']);"
        f"print([name for name in {SLOW!r} if name in sys.modules])"
    )
    assert python(code) == "[]"


@pytest.mark.broad
def test_rooms_that_are_rarely_entered_open_on_use():
    rooms = ["studies", "online", "plots", "report", "significance", "judgments"]
    code = f"import pdeval; print([getattr(pdeval, name).__name__ for name in {rooms}])"
    assert python(code) == str([f"pdeval.{name}" for name in rooms])


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        _ = pdeval.nothing


@pytest.mark.broad
def test_importing_pdeval_adds_little_to_pandas(tmp_path):
    # a ratio of processor times of one process, the least of several; with compiled modules kept, as an installed
    # package has them, which the first run makes
    code = (
        "from time import process_time as now; a = now(); import pandas; b = now(); import pdeval;"
        "print((now() - b) / (b - a))"
    )
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    added = min(float(python(code, env=kept)) for _ in range(5))
    assert added <= 0.75


@pytest.mark.broad
def test_what_needs_no_statistics_imports_none(tmp_path):
    pdeval.write_qrels(pdeval.datasets.sample_qrels(), tmp_path / "sample.qrels")
    pdeval.write_run(pdeval.datasets.sample_runs().query("run == 'bm25'"), tmp_path / "sample.run")
    code = f"""
import os, sys, warnings
import pdeval
from pdeval.__main__ import main
warnings.simplefilter("ignore")
os.chdir({str(tmp_path)!r})
runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
for verb in ("measure", "order", "prefer", "check", "summary", "ties"):
    getattr(runs.ireval, verb)(qrels)
main(["evaluate", "--trec-eval", "sample.qrels", "sample.run", "-o", "out.txt"])
print([name for name in ("scipy.stats", "statsmodels") if name in sys.modules])
"""
    assert python(code) == "[]"


# what no part of scipy.special tells: power of noncentral t, tests of counts, order statistics
NEED_STATISTICS = {
    "agreement": "labels",
    "compare_buckets": "clicks",
    "power": "runs judged scores preferences",
    "power.detectable_difference": "runs judged scores preferences",
    "power.sample_size": "runs judged scores preferences",
    "compare_buckets.aa_test": "clicks users",
    "reliability": "runs judged scores",
    "check_order": "clicks",
    "meta_analysis.sample_size": "scores preferences",
    "wins": "credits",
}


@pytest.mark.slow
def test_no_other_verb_of_the_registry_imports_statistics():
    found = python(
        "from tests.needless_imports import importing; print('\\n'.join(importing()))"
    ).split()
    needed = {f"{kind}.{name}" for name, kinds in NEED_STATISTICS.items() for kind in kinds.split()}
    assert set(found) == needed


ROOT = Path(__file__).resolve().parents[1]
BOUNDS = dict(
    text.split(">=")
    for text in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
)


def test_the_lowest_versions_that_are_tested_are_the_bounds_of_the_package():
    file = ROOT / ".ci" / "lowest.txt"
    if not file.exists():
        pytest.skip("needs the checkout: .ci is not part of an installation")
    pinned = dict(
        re.findall(r"^([\w-]+)==([\d.]+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert pinned.keys() == BOUNDS.keys()
    for name, bound in BOUNDS.items():
        length = len(bound.split("."))
        assert pinned[name].split(".")[:length] == bound.split("."), name
        assert set(pinned[name].split(".")[length:]) <= {"0"}, name


def test_no_version_of_numpy_is_allowed_that_a_version_of_pyarrow_cannot_import():
    # pyarrow declares no bound of numpy: 26 fails to import with numpy 1, and 15 with numpy 2
    assert int(BOUNDS["numpy"].split(".")[0]) >= 2
    assert int(BOUNDS["pyarrow"].split(".")[0]) >= 16
