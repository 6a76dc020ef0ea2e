"""Short and regular popular forms of division names."""

import re
from collections.abc import Iterable

from menpai.address.towns import NATIONS

_SELF_GOVERNING = re.compile(r"自治[区州县旗]\Z")
_STEM = re.compile(rf"(.{{2,}}?)族?(?:(?:{'|'.join(NATIONS)})族?)*")
"""东乡族自治县 is named after a nationality and keeps it."""

_ENDING = re.compile(r"(?:特别行政区|行政委员会|地区|林区|新区|矿区|省|市|区|县|旗|盟)\Z")
_OF_A_NATION = re.compile(rf"(.{{2,}}?)(?:{'|'.join(NATIONS)})族区\Z")
_BANNER = re.compile(r"[左右前后中]旗\Z")

LETTERS = dict(
    zip(
        "京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川蜀贵黔云滇藏陕秦甘陇青宁新台港澳",
        (
            "110000 120000 130000 140000 150000 210000 220000 230000 310000 320000 330000 340000 "
            "350000 360000 370000 410000 420000 430000 440000 450000 460000 500000 510000 510000 "
            "520000 520000 530000 530000 540000 610000 610000 620000 620000 630000 640000 650000 "
            "710000 810000 820000"
        ).split(),
        strict=True,
    )
)
"""One-letter names of provinces."""


def short_form(name: str) -> str | None:
    """Drop the ending of a name; None if what is left would be a single character."""
    if _SELF_GOVERNING.search(name):
        return _ungoverned(name)
    if _BANNER.search(name):
        return None
    nation = _OF_A_NATION.match(name)
    stem = nation[1] if nation else _ENDING.sub("", name)
    return stem if len(stem) > 1 and stem != name else None


def _ungoverned(name: str) -> str | None:
    """Drop 自治县 and the nationalities before it: 积石山保安族东乡族撒拉族自治县 is 积石山."""
    stem = _STEM.fullmatch(_SELF_GOVERNING.sub("", name))
    return stem[1] if stem else None


def regular_aliases(name: str) -> Iterable[str]:
    """Forms that areas of a nationality have: 恭城县, 恩施州, 恭城自治县, 恭城瑶族, 管城区."""
    governed = _SELF_GOVERNING.search(name)
    stem = short_form(name)
    if governed and stem and governed[0] != "自治区":
        yield stem + governed[0][-1]
        yield stem + governed[0]
        yield name.removesuffix(governed[0])
    elif stem and (name.endswith("林区") or _OF_A_NATION.match(name)):
        yield f"{stem}区"
