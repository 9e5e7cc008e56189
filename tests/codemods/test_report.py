"""Reports of migrate: complete, and well-formed whatever the names."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest

from pedl2det import __version__ as pedl2det_version
from pedl2det.engine import Change, NewFile, Outcome, Result, Status
from pedl2det.engine.migration import Proof
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding, Kind
from pedl2det.report import check_report_path, next_steps, summary, write_report
from pedl2det.visible import is_coloured
from support import SMALL_TRIAL, pedl2det, read_tree, write_tree

VOID = {"br", "col", "input", "meta"}


def found(path: Path, kind: Kind = Kind.LEFT, message: str = "m", rule: str = "P017") -> Finding:
    return Finding(kind, rule, path, 3, message)


def one_of_each(directory: Path) -> Result:
    """A result with everything that a report tells."""
    path, config = directory / "model_def.py", directory / "const.yaml"
    findings = [
        found(path, Kind.NOTE, "a note"),
        found(path, Kind.DIFFERENT, "trains so", "P006"),
        Finding(*(Kind.LEFT, "P017", path, 3, "decide", "so"), 5, 9, "    call(x)"),
        found(config, Kind.BAD_INPUT, "what is that?", "scan"),
    ]
    files = [NewFile(path, b"a\nold\nz\n", b"a\nnew\nmore\nz\n")]
    changes = [Change("P017", path, 2), Change("P001", path, 2), Change("P017", path, 1)]
    outcomes = [
        Outcome(directory, Status.REWRITTEN, True, 3, 0),
        Outcome(directory / "b", Status.BEGUN, False, 4, 1),
        Outcome(directory / "c", Status.REWRITTEN, True, 5, 0),
    ]
    return Result(files, changes, findings, outcomes, rewritten=5, marked=2, suppressed=1)


def written(result: Result, name: str, directory: Path) -> str:
    write_report(directory / name, result)
    return (directory / name).read_text()


class Page(HTMLParser):
    """Reads a page: its text and tags; every tag must be closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


# What each format says.


def test_json_holds_all_of_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    report = json.loads(written(one_of_each(tmp_path), "r.json", tmp_path))

    assert report.pop("tool")["name"] == "pedl2det"
    assert report == {
        "version": 5,
        "outcome": "rewritten",
        "trials": [
            trial(".", "rewritten", True, 3, 0),
            trial("b", "begun", False, 4, 1),
            trial("c", "rewritten", True, 5, 0),
        ],
        "legacy_names": {"rewritten": 5, "left": 2, "suppressed": 1},
        "files": [
            {
                "path": "model_def.py",
                "rules": {"P001": 1, "P017": 2},
                "changes": [
                    {"rule": "P017", "line": 1},
                    {"rule": "P001", "line": 2},
                    {"rule": "P017", "line": 2},
                ],
            }
        ],
        "findings": [
            said("bad_input", "scan", "const.yaml", "what is that?"),
            said("left", "P017", "model_def.py", "decide", help="so", column=5, end_column=9),
            said("different", "P006", "model_def.py", "trains so"),
            said("note", "P017", "model_def.py", "a note"),
        ],
    }


def said(kind: str, rule: str, path: str, message: str, **more: Any) -> dict[str, Any]:
    found = {"kind": kind, "rule": rule, "path": path, "line": 3, "message": message}
    return found | {"cell": None, "column": 0, "end_column": 0, "help": ""} | more


def trial(path: str, status: str, written: bool, places: int, left: int) -> dict[str, Any]:
    return {
        "path": path,
        "status": status,
        "written": written,
        "rewritten_places": places,
        "left_places": left,
        "proof": None,
    }


def test_sarif_has_what_its_specification_requires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    log = json.loads(written(one_of_each(tmp_path), "r.sarif", tmp_path))

    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "pedl2det"
    assert [rule["id"] for rule in driver["rules"]] == ["P001", "P006", "P017", "scan"]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    for result in run["results"]:
        assert result["ruleId"] in {rule["id"] for rule in driver["rules"]}
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] in ("model_def.py", "const.yaml")
        assert place["region"]["startLine"] >= 1
    lines = [one["locations"][0]["physicalLocation"]["region"] for one in run["results"]]
    assert [one["startLine"] for one in lines] == [3, 3, 3, 3, 1, 2, 2]
    assert lines[1] == {"startLine": 3, "startColumn": 5, "endColumn": 9}
    assert [(one["level"], one["message"]["text"]) for one in run["results"]] == [
        ("error", "bad input: what is that?"),
        ("warning", "left for you: decide"),
        ("note", "trains differently: trains so"),
        ("note", "note: a note"),
        ("note", "rewritten by download-data"),
        ("note", "rewritten by trial-class"),
        ("note", "rewritten by download-data"),
    ]


def test_sarif_names_files_by_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    paths = [tmp_path / "here" / "a b#1.py", tmp_path / "there.py"]
    result = Result(findings=[found(path) for path in paths])

    (run,) = json.loads(written(result, "r.sarif", tmp_path))["runs"]

    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in run["results"]]
    assert places == [
        {"uri": "a%20b%231.py", "uriBaseId": "%SRCROOT%"},
        {"uri": f"file://{tmp_path}/there.py"},
    ]


def test_html_shows_counts_findings_and_changes(tmp_path: Path) -> None:
    text = written(one_of_each(tmp_path), "r.html", tmp_path)
    page = Page(text)

    assert "2 of 3 trials rewritten; 8 legacy names: 5 rewritten, 2 left, 1 suppressed" in page.text
    assert "left for you" in page.text
    assert "model_def.py:3" in page.text
    assert "trains differently" in page.text
    assert "P006 in-memory-sequence" in page.text
    assert "P001 trial-class, P017 download-data x2" in page.text
    assert "P001 trial-class Make a trial's constructor take and keep the context" in page.text
    assert '<div class="less">-old</div>\n<div class="more">+new</div>' in text
    assert '<div class="more">+more</div>' in text


def test_html_names_project_version_remedies_and_leads_to_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = written(one_of_each(tmp_path), "r.html", tmp_path)
    page = Page(text)

    assert f"pedl2det migrate: {tmp_path.name}" in page.text
    assert f"pedl2det {pedl2det_version}" in page.text
    assert "<td>decide<pre>so</pre></td>" in text
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert links == ["#file-0"] * 3  # of three findings in one file; the config is not changed
    assert "file-0" in {attrs.get("id") for _, attrs in page.tags}


def test_html_loads_nothing_and_reads_in_the_dark(tmp_path: Path) -> None:
    text = written(one_of_each(tmp_path), "r.html", tmp_path)
    page = Page(text)

    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "img", "iframe"})
    assert not [
        value for _, attrs in page.tags for value in attrs.values() if "//" in (value or "")
    ]
    policies = [attrs["content"] for tag, attrs in page.tags if "http-equiv" in attrs]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert "prefers-color-scheme: dark" in text


def test_html_leaves_out_what_is_far_from_a_change(tmp_path: Path) -> None:
    old = "".join(f"line {number}\n" for number in range(40))
    new = old.replace("line 20\n", "changed\n")
    result = Result([NewFile(tmp_path / "a.py", old.encode(), new.encode())])

    page = Page(written(result, "r.html", tmp_path))

    assert "line 17" in page.text and "line 23" in page.text
    assert "line 16" not in page.text and "line 24" not in page.text
    assert [attrs for _, attrs in page.tags].count({"class": "gap"}) == 1


# Hostile input.

HOSTILE = '<script>alert("x")</script>&amp;\u202e\x1b[31m\n.py'


@pytest.mark.parametrize("name", ["r.json", "r.sarif", "r.html"])
def test_hostile_names_and_messages_stay_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / HOSTILE.replace("/", "\\")
    broken = tmp_path / b"caf\xe9.py".decode("utf-8", "surrogateescape")
    files = [NewFile(path, b"</td>\xe9<b>\n", b"</td>\xe9<i>\n")]
    findings = [found(path, message=HOSTILE), found(broken), found(tmp_path / "x", rule="<b>")]

    text = written(Result(files, [], findings), name, tmp_path)

    if name.endswith(".html"):
        page = Page(text)
        assert {tag for tag, _ in page.tags}.isdisjoint({"script", "b", "i"})
        assert '<script>alert("x")</script>&amp;\\u202e\\x1b[31m' in page.text
        assert "\u202e" not in text and "\x1b" not in text
    else:
        report = json.loads(text)
        said = report["findings"] if name == "r.json" else report["runs"][0]["results"]
        assert HOSTILE in str([one["message"] for one in said]).encode().decode("unicode_escape")


def test_nothing_in_the_summary_hides(tmp_path: Path) -> None:
    result = Result(findings=[found(tmp_path / "a\nb.py", message="x\x1b[2J\ny\u3000\u202e")])

    first, *_ = plain(summary(result, "rewritten"))

    assert first.endswith("a\\nb.py:3: P017 download-data: x\\x1b[2J\\ny\u3000\\u202e")


def plain(lines: Iterable[str]) -> list[str]:
    return [click.unstyle(line) for line in lines]


# The lines for people.


def test_a_finding_shows_its_code_with_carets_and_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = tmp_path / "model_def.py"
    one = Finding(*(Kind.LEFT, "P031", where, 7, "was removed"), "a = f(x)\nb = g(x)", 9, 13)
    result = Result(findings=[dataclasses.replace(one, code="    a = old(x)")])

    assert plain(summary(result, "rewritten"))[:5] == [
        "model_def.py:7:9: P031 old-attributes: was removed",
        "    a = old(x)",
        "        ^^^^",
        "    help: a = f(x)",
        "          b = g(x)",
    ]


def test_a_finding_in_a_notebook_names_its_cell(tmp_path: Path) -> None:
    finding = Finding(Kind.LEFT, "P031", tmp_path / "try.ipynb", 12, "gone", column=5, cell=3)

    first, *_ = plain(summary(Result(findings=[finding]), "rewritten"))

    assert first.endswith("try.ipynb:cell 3:12:5: P031 old-attributes: gone")


def test_each_kind_but_what_is_left_says_what_it_is(tmp_path: Path) -> None:
    kinds = [kind for kind in Kind if kind is not Kind.LEFT]
    result = Result(findings=[found(tmp_path / "a.py", kind) for kind in kinds])

    lines = plain(summary(result, "rewritten"))

    assert [line.partition(" P017 download-data: ")[2] for line in lines[: len(kinds)]] == [
        "defect of pedl2det: m",
        "bad input: m",
        "no trial needs this file: m",
        "trains differently: m",
        "left by your choice: m",
        "note: m",
    ]


def test_the_most_urgent_findings_come_first_and_are_counted_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = (Kind.NOTE, Kind.DIFFERENT, Kind.LEFT, Kind.NOTE, Kind.DIFFERENT, Kind.LEFT)
    findings = [found(tmp_path / f"{number}.py", kind) for number, kind in enumerate(kinds)]
    trial = Outcome(tmp_path, Status.BEGUN, False, 1, 2)
    result = Result(
        findings=[*findings, found(tmp_path / "6.py", Kind.SUPPRESSED)], outcomes=[trial]
    )

    lines = plain(summary(result, "rewritten"))

    assert [line[0] for line in lines[:7]] == ["2", "5", "1", "4", "6", "0", "3"]
    assert lines[-2].startswith("0 of 1 trial rewritten; ")
    assert lines[-1] == "2 left, 2 train differently, 1 left by your choice, 2 notes"


def test_a_file_names_the_rules_that_rewrite_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    lines = plain(summary(one_of_each(tmp_path), "rewritten"))

    assert "model_def.py: rewritten by P001 trial-class, P017 download-data x2" in lines


# What to call next.


def next_of(
    outcomes: list[Outcome], *options: str, writes: bool, proves: bool = False
) -> list[str]:
    result = Result(outcomes=outcomes)
    return [*next_steps(result, [*options, "a b"], writes=writes, proves=proves)]


def test_the_next_command_is_that_of_a_trial_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_tree(tmp_path, {"iris/const.yaml": "", "iris/adaptive.yaml": ""}))
    home, files = tmp_path / "iris", (tmp_path / "iris" / "const.yaml",)
    trial = Outcome(home, Status.REWRITTEN, True, 1, 0, files)
    many = dataclasses.replace(trial, configs=(home / "adaptive.yaml", home / "const.yaml"))
    begun = Outcome(home, Status.BEGUN, False, 1, 1)

    # An old trial is verified; a new one has no old one beside it any more, and is trained.
    assert next_of([trial], writes=False) == ["next: pedl2det verify iris"]
    assert next_of([many], writes=False) == ["next: pedl2det verify iris"]
    assert next_of([trial] * 2, writes=False) == ["next: pedl2det migrate --verify 'a b'"]
    assert next_of([trial], writes=False, proves=True) == ["next: pedl2det migrate 'a b'"]
    assert next_of([trial], writes=True) == ["next: pedl2det run iris"]
    assert next_of([many], writes=True) == ["next: pedl2det run iris"]
    assert next_of([begun], "--cluster", writes=True) == [
        "next: finish what is left, then pedl2det migrate --cluster 'a b'"
    ]
    assert next_of([], writes=True) == []


@pytest.mark.parametrize(
    ("files", "configs", "command"),
    [
        (["iris/iris.yaml"], ["iris/iris.yaml"], "iris"),
        (["iris/iris.yaml", "iris/data.yaml"], ["iris/iris.yaml"], "iris -c iris/iris.yaml"),
        (["iris/const.yaml", "iris/const.yml"], ["iris/const.yaml"], "iris -c iris/const.yaml"),
        (
            ["iris/configs/const.yaml"],
            ["iris/configs/const.yaml"],
            "iris -c iris/configs/const.yaml",
        ),
        (
            ["configs/a.yaml", "configs/b.yaml"],
            ["configs/a.yaml", "configs/b.yaml"],
            "iris -c configs/a.yaml",
        ),
    ],
)
def test_the_next_command_names_the_config_that_a_trial_alone_does_not_say(
    files: list[str],
    configs: list[str],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(write_tree(tmp_path, dict.fromkeys(files, "") | {"iris/model_def.py": ""}))
    paths = tuple(tmp_path / config for config in configs)
    changed = (tmp_path / "iris" / "model_def.py",)
    trial = Outcome(tmp_path / "iris", Status.REWRITTEN, True, 1, 0, changed, paths)

    assert next_of([trial], writes=True) == [f"next: pedl2det run {command}"]
    assert next_of([trial], writes=False) == [f"next: pedl2det verify {command}"]


def test_the_next_run_does_not_meet_the_results_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_tree(tmp_path, {"runs/iris/lock": "", "runs/iris-2/lock": ""}))
    trial = Outcome(tmp_path / "iris", Status.REWRITTEN, True, 1, 0, (tmp_path / "a.py",))

    assert next_of([trial], writes=True) == ["next: pedl2det run iris --out runs/iris-3"]


# The proof of a trial.


def proved(directory: Path) -> Result:
    """A result with a trial that is proved and one that is not."""
    facts = {"date": "2026-11-23 10:00:00+00:00", "versions": "pedl2det 9, tensorflow 2.18.1"}
    equal = Proof(
        *(directory, "equal", "equal: the largest difference is 0", 300, 1200),
        configs=(directory / "const.yaml",),
        **facts,
        commit="c0ffee",
        seed=17,
        seconds=61.23,
        unrun={directory / "net.py": frozenset({3, 4, 5, 9}), directory / "rows.py": frozenset()},
    )
    message = "the new trial does not train: token='abc123'"
    other = Proof(directory / "b", "new does not train", message, 0, None, (), **facts)
    result = one_of_each(directory)
    result.outcomes[:2] = [
        dataclasses.replace(outcome, proof=proof)
        for outcome, proof in zip(result.outcomes, (equal, other), strict=False)
    ]
    return result


def test_the_text_tells_what_was_proved_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    lines = plain(summary(proved(tmp_path), "rewritten"))

    assert lines[lines.index(".: proved: 3 places rewritten") + 1 :][:3] == [
        ".: verify: equal: the largest difference is 0",
        "    300 of 1200 batches; const.yaml; 2026-11-23 10:00:00+00:00; "
        "pedl2det 9, tensorflow 2.18.1",
        "    Not executed: net.py:3-5, net.py:9",
    ]
    assert "b: verify: the new trial does not train: token='********'" in lines


def test_json_and_sarif_hold_the_same_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = {
        "path": ".",
        "outcome": "equal",
        "message": "equal: the largest difference is 0",
        "batches": 300,
        "total_batches": 1200,
        "configs": ["const.yaml"],
        "date": "2026-11-23 10:00:00+00:00",
        "commit": "c0ffee",
        "seed": 17,
        "versions": "pedl2det 9, tensorflow 2.18.1",
        "seconds": 61.2,
        "not_executed": ["net.py:3-5", "net.py:9"],
    }

    report = json.loads(written(proved(tmp_path), "r.json", tmp_path))
    (run,) = json.loads(written(proved(tmp_path), "r.sarif", tmp_path))["runs"]

    first, second, third = (one["proof"] for one in report["trials"])
    assert first == expected
    assert second["message"] == "the new trial does not train: token='********'"
    assert second["batches"] == 0
    assert third is None
    passed, failed = (one for one in run["results"] if one["ruleId"] == "verify")
    assert (passed["kind"], passed["level"], passed["properties"]) == ("pass", "none", expected)
    assert passed["message"]["text"] == "verify: equal: the largest difference is 0"
    assert (failed["kind"], failed["properties"]) == ("fail", second)


def test_html_shows_the_proof_and_leads_to_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    page = Page(written(proved(tmp_path), "r.html", tmp_path))

    assert "equal: the largest difference is 0" in page.text
    assert "Config const.yaml; Not executed net.py:3-5, net.py:9; Seed 17; Versions " in page.text
    assert "the new trial does not train: token='********'" in page.text


def test_each_trial_gets_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    lines = plain(summary(one_of_each(tmp_path), "rewritten"))

    assert lines[-5:-2] == [
        ".: rewritten, not proved: 3 places",
        "b: begun, not written: 4 places can be rewritten, 1 place left; --partial writes it",
        "c: rewritten, not proved: 5 places",
    ]


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_are_for_terminals_unless_the_environment_says(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert is_coloured(io.StringIO()) is coloured


# Where a report goes.


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("r.txt", r"--report .*r\.txt: expected a name ending in \.json, \.html, \.sarif"),
        ("report", r"expected a name ending in"),
        ("missing/r.json", r"no such directory: .*missing"),
        ("d.json", r"d\.json: cannot be written"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused(
    name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "d.json").mkdir()
    with pytest.raises(Pedl2DetError, match=message):
        check_report_path(tmp_path / name)


def test_a_refused_report_leaves_everything_as_it_was(tmp_path: Path) -> None:
    write_tree(tmp_path, SMALL_TRIAL)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path, "--report", tmp_path / "r.pdf")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert read_tree(tmp_path) == before


def test_the_command_line_writes_its_report_and_prints_its_findings(tmp_path: Path) -> None:
    trial = write_tree(
        tmp_path / "trial", SMALL_TRIAL | {"n.py": "import pedl\nN = pedl.get_nothing()\n"}
    )
    (trial / "model_def.py").write_text(f"import n\n{SMALL_TRIAL['model_def.py']}")
    before = read_tree(trial)

    done = pedl2det("migrate", "trial", "--report", "r.json", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stdout == ""
    assert "trial/n.py:2:5: P000 legacy-name: no rule rewrites this use" in done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert [one["status"] for one in report["trials"]] == ["begun"]
    assert [one["path"] for one in report["findings"]] == ["trial/n.py"]
    assert report["files"] == []
    assert read_tree(trial) == before


def test_a_report_is_complete_if_nobody_reads_stdout(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", SMALL_TRIAL | {"n.py": "import pedl\nN = pedl.no()\n"})
    (trial / "model_def.py").write_text(f"import n\n{SMALL_TRIAL['model_def.py']}")
    unread, stdout = os.pipe()
    os.close(unread)

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pedl2det", "migrate", "trial"),
            *("--report", "r.json", "--check", "--partial", "--diff"),
        ],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    os.close(stdout)

    assert done.returncode == 1
    assert [one["path"] for one in json.loads((tmp_path / "r.json").read_text())["trials"]]
    assert "0 of 1 trial would be rewritten" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_a_closed_stderr_is_no_defect(tmp_path: Path) -> None:
    write_tree(tmp_path, SMALL_TRIAL)
    unread, stderr = os.pipe()
    os.close(unread)

    command = [sys.executable, "-m", "pedl2det", "migrate", ".", "--report", "r.json"]
    done = subprocess.run(command, stderr=stderr, cwd=tmp_path, check=False)
    os.close(stderr)

    assert done.returncode in (0, 1)
    assert json.loads((tmp_path / "r.json").read_text())["outcome"] == "rewritten"
