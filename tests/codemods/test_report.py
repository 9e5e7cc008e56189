"""Reports of migrate: complete, and well-formed whatever the names."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding, Kind
from pedl2det.engine import NewFile, Result
from pedl2det.plan import Change
from pedl2det.report import check_output, formatted, summary, write_report
from pedl2det.rules import RULES
from pedl2det.verify import Conclusion, Verdict
from pedl2det.verify.compare import Comparison, Difference
from support import SMALL_TRIAL, pedl2det, read_tree, write_tree

VOID = {"meta", "col"}


def found(path: Path, kind: Kind = Kind.LEFT, message: str = "m", rule: str = "P012") -> Finding:
    return Finding(kind, rule, path, 3, message)


def one_of_each(directory: Path) -> Result:
    """A result with everything that a report tells."""
    path, config = directory / "model_def.py", directory / "const.yaml"
    findings = [
        found(path, Kind.NOTE, "a note"),
        found(path, Kind.DIFFERENT, "trains so", "P006"),
        found(path, Kind.LEFT, "decide"),
        found(config, Kind.BAD_INPUT, "what is that?", "scan"),
    ]
    files = [NewFile(path, b"a\nold\nz\n", b"a\nnew\nmore\nz\n")]
    changes = [Change("P012", path, 2), Change("P001", path, 2), Change("P012", path, 1)]
    return Result(files, changes, findings, 3, 1, rewritten=5, refused=2, suppressed=1)


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
        "version": 1,
        "outcome": "rewritten",
        "trials": {"found": 3, "migrated": 1},
        "legacy_names": {"rewritten": 5, "refused": 2, "suppressed": 1},
        "files": [
            {
                "path": "model_def.py",
                "rules": {"P001": 1, "P012": 2},
                "changes": [
                    {"rule": "P012", "line": 1},
                    {"rule": "P001", "line": 2},
                    {"rule": "P012", "line": 2},
                ],
            }
        ],
        "findings": [
            said("bad_input", "scan", "const.yaml", "what is that?"),
            said("person", "P012", "model_def.py", "decide"),
            said("different", "P006", "model_def.py", "trains so"),
            said("note", "P012", "model_def.py", "a note"),
        ],
    }


def said(kind: str, rule: str, path: str, message: str) -> dict[str, Any]:
    return {"kind": kind, "rule": rule, "path": path, "line": 3, "message": message}


def test_json_lines_hold_one_finding_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [json.loads(line) for line in formatted("json", one_of_each(tmp_path))]

    assert len(lines) == 4
    assert lines[0] == said("bad_input", "scan", "const.yaml", "what is that?")


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
    assert [rule["id"] for rule in driver["rules"]] == [*(rule.id for rule in RULES), "scan"]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] in ("model_def.py", "const.yaml")
        assert place["region"]["startLine"] >= 1
    lines = [one["locations"][0]["physicalLocation"]["region"] for one in run["results"]]
    assert lines == [{"startLine": line} for line in (3, 3, 3, 3, 1, 2, 2)]
    assert [(one["level"], one["message"]["text"]) for one in run["results"]] == [
        ("error", "bad input: what is that?"),
        ("warning", "left for you: decide"),
        ("note", "trains differently: trains so"),
        ("note", "note: a note"),
        ("note", "rewritten by imports"),
        ("note", "rewritten by trial-class"),
        ("note", "rewritten by imports"),
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


def test_html_shows_counts_findings_and_changes_side_by_side(tmp_path: Path) -> None:
    text = written(one_of_each(tmp_path), "r.html", tmp_path)
    page = Page(text)

    assert (
        "1 of 3 trials rewritten; 8 legacy names: 5 rewritten, 2 left as they were, 1" in page.text
    )
    assert "left for you" in page.text
    assert "model_def.py:3" in page.text
    assert "trains differently" in page.text
    assert "P006 in-memory-sequence" in page.text
    assert "P001 trial-class, P012 imports x2" in page.text
    assert "P001 trial-class A trial's constructor takes the context instead" in page.text
    assert (
        '<tr><td class="n">2</td><td class="less">old</td>'
        '<td class="n">2</td><td class="more">new</td></tr>'
    ) in text
    assert (
        '<tr><td class="n"></td><td></td><td class="n">3</td><td class="more">more</td></tr>'
    ) in text


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
    assert [attrs for _, attrs in page.tags].count({"class": "gap"}) == 2


def test_annotations_are_encoded_as_github_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = Result(
        findings=[
            found(tmp_path / "a,b:c%.py", Kind.LEFT, "50% of: a, b\r\n::error::forged"),
            found(tmp_path / "n.py", Kind.NOTE),
            found(tmp_path / "d.py", Kind.DIFFERENT),
            found(tmp_path / "bad.py", Kind.BAD_INPUT, rule="scan"),
        ]
    )

    assert list(formatted("github", result)) == [
        "::error file=bad.py,line=3,title=pedl2det (scan)::bad input: m",
        "::warning file=a%2Cb%3Ac%25.py,line=3,title=pedl2det (P012)::"
        "left for you: 50%25 of: a, b%0D%0A::error::forged",
        "::notice file=d.py,line=3,title=pedl2det (P012)::trains differently: m",
        "::notice file=n.py,line=3,title=pedl2det (P012)::note: m",
    ]


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


def test_the_summary_is_one_line_a_finding_whatever_it_says(tmp_path: Path) -> None:
    result = Result(findings=[found(tmp_path / "a\nb.py", message="x\x1b[2J\ny\u3000\u202e")])

    first, _ = summary(result, "rewritten")

    assert first.endswith("a\\nb.py:3: left for you: x\\x1b[2J\\ny\u3000\\u202e [P012]")


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
        check_output(tmp_path / name, "text", diff=False)


def test_a_refused_report_leaves_everything_as_it_was(tmp_path: Path) -> None:
    write_tree(tmp_path, SMALL_TRIAL)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path, "--report", tmp_path / "r.pdf")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert read_tree(tmp_path) == before


def test_two_things_do_not_share_stdout(tmp_path: Path) -> None:
    with pytest.raises(Pedl2DetError, match="--format json: --diff prints its patch on stdout too"):
        check_output(None, "json", diff=True)


def test_the_command_line_writes_its_report_and_formats_its_findings(tmp_path: Path) -> None:
    trial = write_tree(
        tmp_path / "trial", SMALL_TRIAL | {"n.py": "import pedl\nN = pedl.get_nothing()\n"}
    )

    done = pedl2det("migrate", "trial", "--report", "r.json", "--format", "github", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stdout.startswith("::warning file=trial/n.py,line=1,title=pedl2det (scan)::")
    assert "trial/n.py:2: left for you" in done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["trials"] == {"found": 1, "migrated": 0}
    assert [one["path"] for one in report["findings"]] == ["trial/n.py", "trial/n.py"]
    assert report["files"] == []
    assert read_tree(trial) == {name: text.encode() for name, text in SMALL_TRIAL.items()} | {
        "n.py": b"import pedl\nN = pedl.get_nothing()\n"
    }


def test_the_report_of_verify_is_one_safe_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from pedl2det.verify import html

    trial = write_tree(tmp_path / "<b>trial", {"const.yaml": "secret_key: hunter2\n"})
    line = json.dumps({"kind": "training", "batches": 1, "epochs": 0.5, "metrics": {"<i>": 1.0}})
    runs = [write_tree(tmp_path / name, {"metrics.jsonl": f"{line}\n"}) for name in ("old", "new")]
    comparison = Comparison(differences=(Difference("first at batch 1: <script>", 1),))
    verdict = Verdict(Conclusion.DIFFERENT, "<script>", trial, comparison)

    html.write_report(tmp_path / "v.html", verdict, runs[0], runs[1])

    text = (tmp_path / "v.html").read_text()
    tags = {tag for tag, _ in Page(text).tags}
    assert tags.isdisjoint({"script", "b", "i"})
    assert "prefers-color-scheme: dark" in text
    assert "hunter2" not in text
