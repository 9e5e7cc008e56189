"""Recognise and mask credentials in configs, texts and Python code, also in that of a notebook.

Pure, and without pydantic, because ``pedl2det migrate`` imports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

Part = tuple[int, int]  # start, end

#: Names of credentials, normalized by :func:`_words`.
_SECRET = re.compile(
    r"passw(?:or)?d|pass_?(?:phrase|code|wd)|secret|credential|bearer|authorization|oauth"
    r"|pwd_|tokens?_|auth_|connection_?string"
    r"|_(?:pg|db|my|sql|mysql|user|ssh|smtp|ftp|ldap|mail|redis|root|admin)?pass_"
    r"|_(?:jwts?|sas|dsn|cookie|creds?)_|^_pat_$"
    r"|(?:access|api|azure|bitbucket|devops|git|github|gitlab)_?pats?_"
    r"|(?:access|account|api|auth|client|decryption|deploy|encryption|gpg|hmac|license|master|pass"
    r"|private|rsa|service|session|shared|signing|ssh|ssl|storage|subscription|tls"
    r"|anthropic|aws|azure|comet|gcp|google|kaggle|neptune|openai|wandb)_?keys?_"
)
#: Harmless names: token counts and special tokens; passes over data; band-pass filters.
_HARMLESS = re.compile(
    r"_(?:n|no|nr|num|number_of|max|min|total|avg|mean)_(?:[a-z]{1,30}_){0,3}tokens?_"
    r"|_tokens?_(?:count|dim|dropout|embeddings?|freq|ids?|index|len|length|limit|size|types?)_"
    r"|^_(?:bos|cls|eos|mask|oov|pad|padding|sep|special|start|end|unk|unknown)_tokens?_$"
    r"|_(?:all|band|backward|by|first|forward|high|low|max|multi|n|num|one|per|second|single|two)"
    r"_pass_|_pass_(?:band|by|count|over|rate|through)_"
)
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VARIABLE = re.compile(r"^(\w+)=(.+)$", re.DOTALL)  # an entry of environment_variables
_ASSIGNMENT = re.compile(r"(?<![\w.-])([\w.-]+)\\?[\"']?[ \t]{0,9}[:=][ \t]{0,9}")
_VALUE = re.compile(r"\\?\"([^\"\r\n]+)|\\?'([^'\r\n]+)|([\[{][^\r\n]*)|((?:(?!, )[^;&\"'\r\n])+)")
_SWITCH = re.compile(r"(?:null|none|true|false|~)\b", re.IGNORECASE)
_OPTION = re.compile(r"(?<!\S)--([\w-]+)[ \t]+(\S+)")
_UNNAMED = (
    re.compile(r"://[^/\s:\"']*:([^/\s\"']+)(?=@)"),
    re.compile(r"https?://([^/\s:@]+)(?=@)"),
    re.compile(
        r"[?&;](?:sig|signature|x-(?:amz|goog)-(?:signature|credential))=([^&;\s\"']+)", re.I
    ),
    re.compile(r"\bBearer[ \t]+([\w.~+/=-]{8,})"),
    re.compile(
        # Documented by those who issue them; detect-secrets has about the same shapes.
        r"(?<![\w-])((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?!\w)"  # AWS
        r"|gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|ft|rt|ptt|cbt)-[\w-]{20,}"
        r"|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}"  # Slack
        r"|sk-(?=[\w-]*[0-9])[\w-]{20,}|[rs]k_(?:live|test)_\w{16,}"  # OpenAI, Anthropic; Stripe
        r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{40,}|AIza[\w-]{35}"
        r"|SG\.[\w-]{16,}\.[\w-]{16,}"  # SendGrid
        r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)"  # JWT
    ),
    re.compile(
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
        r"|webhook\.office\.com/webhookb2)/([\w/@-]{8,})"
    ),
    re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*-----END [A-Z ]*-----|.*))", re.DOTALL),
)
STARS = "********"
_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
_STRING = re.compile(r"([\"'])((?:\\.|(?!\1)[^\\\n])*)\1")
_QUOTE = r"\s{0,99}[rbfuRBFU]{0,2}(\"\"\"|'''|(?:\\\"){3}|\\?[\"'])"  # in a notebook, it is \"
_NEXT = re.compile(_QUOTE)
_LITERAL = re.compile(
    r"(?<![\w.-])([\w.-]+)"  # no name begins within another: time stays linear
    r"(?=(?:\\?[\"']\s{0,9}\]?\s{0,9}[,:]"  # of a mapping; the first of two arguments
    r"|\\?[\"']?\s{0,9}\]?\s{0,9}(?::[ \w.|\[\]]{1,60})?={1,2}|\s{0,9}:)"
    r"\s{0,99}\(?" + _QUOTE + ")"
)


def without_credentials(value: Any, is_inside: bool = False) -> Any:
    """Return a copy of a config with masked credentials; numbers and booleans are kept.

    Args:
        value: the config, or a part of it.
        is_inside: whether a parent key is the name of a credential.
    """
    if isinstance(value, dict):
        return {
            key: without_credentials(child, is_inside or is_secret(key))
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [without_credentials(child, is_inside) for child in value]
    if not isinstance(value, str):
        return value
    return STARS if is_inside else masked(value, secret_parts(value))


def scrubbed(text: str, config: Any) -> str:
    """Mask the credentials of a config in a text."""
    for secret in sorted(set(_secrets(config)), key=len, reverse=True):
        text = text.replace(secret, STARS)
    return text


def masked(text: str, parts: Iterable[Part]) -> str:
    """Mask parts of a text, which may overlap, line by line."""
    shown, done = "", 0
    for start, end in sorted(parts, key=lambda part: (part[0], -part[1])):
        if end > done:
            shown += text[done:start]
            shown += re.sub(r"\S[^\r\n]*", STARS, text[max(start, done) : end])
            done = end
    return shown + text[done:]


def secret_parts(text: str) -> Iterator[Part]:
    """Yield the credentials in a text: values of secret names and options, and unnamed ones."""
    variable = _VARIABLE.match(text)
    if variable and is_secret(variable[1]):
        yield variable.span(2)
    for named in _ASSIGNMENT.finditer(text):
        if is_secret(named[1]) and not _SWITCH.match(text, named.end()):
            value = _VALUE.match(text, named.end())
            if value and value.lastindex:
                yield value.span(value.lastindex)
    for option in _OPTION.finditer(text):
        if is_secret(option[1]):
            yield option.span(2)
    yield from unnamed_parts(text)


def unnamed_parts(text: str) -> Iterator[Part]:
    """Yield credentials without a name: in URLs, tokens of a known shape, private keys."""
    for pattern in _UNNAMED:
        yield from (match.span(1) for match in pattern.finditer(text))


def is_secret(name: object) -> bool:
    """Return whether a name in snake, camel or kebab case is that of a credential."""
    return _SECRET.search(_HARMLESS.sub("_", _words(str(name)))) is not None


def mentions_secret(text: str) -> bool:
    """Return whether a text may contain a credential; a fast check."""
    return _SECRET.search(_words(text)) is not None or next(unnamed_parts(text), None) is not None


def _words(name: str) -> str:
    """Normalize a name to snake case between underscores, without digits."""
    return "_" + re.sub(r"[^a-z]+", "_", _HUMPS.sub("_", name).lower()).strip("_") + "_"


def _secrets(value: Any, is_inside: bool = False) -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _secrets(child, is_inside or is_secret(key))
    elif isinstance(value, list):
        for child in value:
            yield from _secrets(child, is_inside)
    elif isinstance(value, str) and value:
        parts = [(0, len(value))] if is_inside else secret_parts(value)
        yield from (value[start:end] for start, end in parts)


def parts_in_code(text: str) -> Iterator[Part]:
    """Yield the credentials in string literals and comments, and unnamed ones anywhere."""
    for inner in [*_STRING.finditer(text), *_COMMENT.finditer(text)]:
        group = inner.lastindex or 0
        for start, end in secret_parts(inner[group]):
            yield inner.start(group) + start, inner.start(group) + end
    for literal in _LITERAL.finditer(text):  # behind the name of a variable, key or argument
        if is_secret(literal[1]):
            yield literal.end(2), _closing(text, literal.end(2), literal[2])
    yield from unnamed_parts(text)


def _closing(text: str, start: int, quote: str) -> int:
    """Find the end of literals that Python joins; one that is not closed ends with its line."""
    while True:
        line = "." if len(quote.replace("\\", "")) == 3 else r"[^\n]"
        inner = re.compile(rf"(?:(?!{re.escape(quote)})(?:\\.|{line}))*", re.DOTALL)
        found = inner.match(text, start)
        end = found.end() if found else start
        following = _NEXT.match(text, end + len(quote))
        if not text.startswith(quote, end) or following is None:
            return end
        start, quote = following.end(), following[1]
