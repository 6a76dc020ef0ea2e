"""HTML that was copied along with an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from menpai.text.offsets import substitute

if TYPE_CHECKING:
    from menpai.text.offsets import Aligned

# "&amp;nbsp;" was escaped twice or more: the inner "&amp;" are part of one entity.
_AMPERSAND = "(?:amp|AMP|#0{0,4}38|#[xX]0{0,4}26);"
_ENTITY = re.compile(
    rf"&(?:{_AMPERSAND})*(?:#(?:[0-9]{{1,7}}|[xX][0-9A-Fa-f]{{1,6}})|[A-Za-z][A-Za-z0-9]{{1,31}});|&nbsp"
)
_DOUBLY_ESCAPED = re.compile(rf"(?:{_AMPERSAND})+(?=[#A-Za-z])")
# A tag starts with a letter, a slash or "!--": "<" alone is a comparison or a slip.
_TAG = re.compile(r"<(?:[/!]?[A-Za-z]|!--)[^<>]*>")


def strip_markup(aligned: Aligned) -> Aligned:
    """Decode entities, then put a blank in place of each tag."""
    if "&" not in aligned.text and "<" not in aligned.text:
        return aligned
    return substitute(substitute(aligned, _ENTITY, _decode), _TAG, " ")


def _decode(match: re.Match[str]) -> str:
    from html import unescape

    return unescape(_DOUBLY_ESCAPED.sub("", match[0]))
