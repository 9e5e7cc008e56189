"""The page of a verification: its curves, and what it takes for the cause of a difference."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path

import pytest

from pedl2det.errors import Pedl2DetError
from pedl2det.verify.page import curves_of, drawing, write_report
from pedl2det.verify.prove import verify_trial, with_circumstances
from pedl2det.verify.verdict import Conclusion, Verdict
from support import write_tree


def polylines(svg: str, style: str) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in points.split())]
        for points in re.findall(rf'<polyline class="{style}" points="([^"]+)"/>', svg)
    ]


def test_a_curve_rises_to_the_right() -> None:
    curve = {50: 1.0, 100: 3.0}

    svg = drawing("loss", curve, curve)

    ((start, end),) = polylines(svg, "old")
    assert start[0] < end[0] and start[1] > end[1]  # y points down
    assert polylines(svg, "new") == [[start, end]]
    ((left, right),) = polylines(svg, "gap")
    assert left[1] == right[1]
    assert "new - old, at most 0<" in svg
    assert ">batch 100<" in svg


def test_the_difference_has_a_scale_of_its_own() -> None:
    old, new = {1: 100.0, 2: 90.0, 3: 80.0}, {1: 100.0, 2: 90.001, 3: 79.999}

    svg = drawing("loss", old, new)

    (gap,) = polylines(svg, "gap")
    assert gap[1][1] < gap[0][1] < gap[2][1]
    assert gap[2][1] - gap[1][1] > 40  # of 50 units
    assert "at most 0.001<" in svg


def test_a_curve_is_broken_where_it_is_no_number() -> None:
    curve = {1: 1.0, 2: math.nan, 3: math.inf, 4: 2.0}

    svg = drawing("loss", curve, {})

    assert len(polylines(svg, "old")) == 2
    assert polylines(svg, "new") == []
    assert "nan" not in svg and "inf" not in svg


def test_a_metric_of_one_trial_has_no_difference() -> None:
    svg = drawing("val_error", {}, {10: 0.5, 20: 0.25})

    assert ">only in the new trial<" in svg
    assert "new - old" not in svg
    assert polylines(svg, "old") == polylines(svg, "gap") == []


def test_the_difference_is_that_of_the_same_batches() -> None:
    svg = drawing("loss", {1: 1.0, 2: 2.0, 3: 3.0}, {2: 2.0, 3: 3.0})

    assert "new - old, at most 0<" in svg


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    curve = {number: float(number) for number in range(1, 10_001)}

    (points,) = polylines(drawing("loss", curve, curve), "old")

    assert len(points) <= 402
    assert (points[0][0], points[-1][0]) == pytest.approx((62, 480), abs=0.1)


def test_names_of_metrics_stay_text() -> None:
    assert "<b>" not in drawing('<b>"x', {1: 1.0}, {})


def test_batches_make_the_curves_of_training_and_reports_those_of_validations(
    tmp_path: Path,
) -> None:
    batches = [
        {"batch": number, "metrics": {"loss": number / 2}, "learning_rates": {"optimizer": 0.1}}
        for number in (1, 2)
    ]
    reports = [
        {"kind": "training", "batches": 2, "epochs": 1.0, "metrics": {"loss": 9.0}},
        {"kind": "validation", "batches": 2, "epochs": 1.0, "metrics": {"val_loss": 3.0}},
    ]
    for name, lines in (("batches.jsonl", batches), ("metrics.jsonl", reports)):
        (tmp_path / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    assert curves_of(tmp_path) == {
        "loss": {1: 0.5, 2: 1.0},
        "learning rate": {1: 0.1, 2: 0.1},
        "val_loss": {2: 3.0},
    }


def committed(directory: Path) -> str:
    write_tree(directory, {".gitignore": "ignored\n", "trial/a.py": "", "ignored/a.py": ""})
    author = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", directory.name]):
        subprocess.run(["git", *command], cwd=directory, check=True)
    head = ["git", "rev-parse", "HEAD"]
    return subprocess.check_output(head, cwd=directory, text=True).strip()


def test_a_proof_names_the_commit_of_the_trial_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a hook of another repository as well; git has no commit of what it ignores."""
    commit, other = committed(tmp_path / "own"), committed(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))

    def named(directory: str) -> str:
        verdict = Verdict(tmp_path / "own" / directory, Conclusion.EQUAL, "")
        return with_circumstances(verdict).commit

    assert commit != other
    assert named("trial") == commit
    assert named("ignored") == ""
    write_tree(tmp_path / "own" / "trial", {"b.py": ""})
    assert named("trial") == f"{commit} with uncommitted changes"


def test_a_page_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    verdict = Verdict(tmp_path, Conclusion.LEFT, "")
    page = tmp_path / "none" / "p.html"

    with pytest.raises(Pedl2DetError, match="none/p.html: cannot be written: No such file"):
        write_report(page, verdict, tmp_path, tmp_path, [])


def test_a_page_of_yesterday_is_no_page_of_a_trial_that_is_not_verified(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text("equal")

    verdict = verify_trial(tmp_path, report=page)

    assert verdict.outcome is Conclusion.NOT_VERIFIED
    assert not page.exists()
    assert "cannot be written" in verify_trial(tmp_path, report=tmp_path).message
