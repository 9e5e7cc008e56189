"""The frame of every HTML report: one file that loads nothing and runs nothing."""

from __future__ import annotations

import html

from pedl2det.report.visible import visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """\
:root { color-scheme: light dark; --line: #8886; --good: #060; --bad: #a00; --warn: #850;
  --less: #fdd; --more: #dfd; --soft: #8882; }
@media (prefers-color-scheme: dark) {
  :root { --good: #6c6; --bad: #f88; --warn: #db6; --less: #622; --more: #253; } }
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body.wide { max-width: 100rem; }
.equal { color: var(--good); } .different, .error { color: var(--bad); }
.warning { color: var(--warn); }
svg { max-width: 100%; height: auto; background: #fff; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
code, .diff { font: 13px/1.4 monospace; }
details { border: 1px solid var(--line); margin: 1rem 0; overflow-x: auto; }
summary { background: var(--soft); padding: .4rem .8rem; cursor: pointer; }
.diff { width: 100%; table-layout: fixed; }
.diff td { padding: 0 .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff col.n { width: 3.5rem; }
.diff td.n { text-align: right; opacity: .6; user-select: none; }
.diff .less { background: var(--less); } .diff .more { background: var(--more); }
.diff .gap td { background: var(--soft); text-align: center; }
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
    return html.escape("".join(one if one in "\t\n" else visible(one) for one in text))
