"""The frame of every HTML report: one file that loads nothing and runs nothing."""

from __future__ import annotations

import html

from pedl2det.visible import visible_lines

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """\
:root { color-scheme: light dark; --line: #8886; --good: #060; --bad: #a00; --warn: #850;
  --less: #fdd; --more: #dfd; --soft: #8882; --word: #0002; --old: #b60; --new: #06c; }
@media (prefers-color-scheme: dark) {
  :root { --good: #6c6; --bad: #f88; --warn: #db6; --less: #622; --more: #253; --word: #fff3;
    --old: #fa5; --new: #6bf; } }
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body.wide { max-width: 100rem; }
h1, h2, p, td { overflow-wrap: break-word; } td code, p code { overflow-wrap: anywhere; }
td > a code { white-space: nowrap; }
.equal { color: var(--good); } .different, .error { color: var(--bad); }
.warning { color: var(--warn); }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
.facts td:first-child { white-space: nowrap; }
code, pre, .diff, .places td:first-child { font: 13px/1.4 monospace; }
pre { margin: .2rem 0; padding: .3rem .5rem; background: var(--soft); white-space: pre-wrap; }
details { border: 1px solid var(--line); margin: 1rem 0; overflow-x: auto; }
details > :not(summary, .diff) { margin: .5rem .8rem; }
summary { background: var(--soft); padding: .4rem .8rem; cursor: pointer; }
.diff { width: 100%; table-layout: fixed; }
.diff td { padding: 0 .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff col.n { width: 3.5rem; }
.diff td.n { text-align: right; opacity: .6; user-select: none; }
.diff .less { background: var(--less); } .diff .more { background: var(--more); }
.diff .gap td { background: var(--soft); text-align: center; }
.diff mark { background: var(--word); color: inherit; border-radius: 2px; }
td:target, details:target > summary { outline: 2px solid var(--new); }
svg { width: 100%; height: auto; font: 12px sans-serif; }
svg text { fill: currentColor; } svg .axis { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 1.5; stroke-linecap: round; }
polyline.old { stroke: var(--old); stroke-width: 5; opacity: .5; }
polyline.new { stroke: var(--new); } polyline.gap { stroke: var(--bad); }
svg text.old { fill: var(--old); } svg text.new { fill: var(--new); }
.curves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 1.5rem; }
@media (max-width: 40rem) {
  body { margin: 1rem auto; padding: 0 .6rem; } td > a code { white-space: normal; }
  .table th { display: none; } .table td { display: block; padding: 0; }
  .table tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .diff col.n { width: 2rem; } .diff, code, pre { font-size: 11px; } }
"""


def page(title: str, body: str, layout: str = "text") -> str:
    """A whole page.

    Args:
        title: its title, as text.
        body: its content, as HTML.
        layout: "text", or "wide" for what stands side by side.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{_STYLE}</style>\n"
        f'<body class="{layout}">\n{body}\n</body>\n</html>\n'
    )


def escaped(text: str) -> str:
    """A text as HTML."""
    return html.escape(visible_lines(text))
