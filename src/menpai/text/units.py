"""One way to write buildings, floors, towers, phases and number signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from menpai.text.numerals import IDEOGRAPH, to_arabic
from menpai.text.offsets import set_apart, substitute

if TYPE_CHECKING:
    from menpai.text.offsets import Aligned

_BUILDING = re.compile(
    r"[幢橦](?<=[0-9A-Za-z一二三四五六七八九十百东西南北中甲乙丙丁].)(?![村镇路街])|[憧懂冻](?<=[0-9A-Za-z].)(?![库品结肉])"
)

_FLOOR_NUMBER = "([1-9一二三四五六七八九])"
_FLOOR = r"(?:层|楼|[Ff](?![0-9A-Za-z]))"
_BASEMENT = re.compile(
    "[负地Bb-](?:"
    rf"(?<!负.)(?<!地下.)(?:(?<=负)|(?<=地)下)[Bb]?{_FLOOR_NUMBER}{_FLOOR}"
    # The blank set before B1 would turn the next one, in 负1负1, into another.
    rf"|(?<=负)(?<![0-9].){_FLOOR_NUMBER}(?!\w)"
    r"|(?<=[Bb])(?<![0-9A-Za-z].)([1-9])(?:层|[Ff](?![0-9A-Za-z]))"
    # B1楼 with storeys or entrances of its own is a building.
    r"|(?<=[Bb])(?<![0-9A-Za-z].)([1-3])楼(?!第|[0-9一二三四五六七八九十]+(?:单元|层|楼|-[0-9]))"
    # 5号楼-3层 is floor 3 of that building, 1层-2层 a range; else -1层 and -2层 are basements.
    rf"|(?<=-)(?<![0-9A-Za-z层].)(?:([1一]){_FLOOR}|([2二])层"
    rf"|(?<![^ ,(\[、].)([2-6二三四五六]){_FLOOR}))"
)

_TOWER_NUMBER = "([1-9][0-9]?|[一二三四五六七八九十])"
# 15号塔坛新区 has no tower.
_TOWER_END = rf"(?!{IDEOGRAPH}(?<![第单座东西南北层]))"
_TOWER = re.compile(
    # 白塔, 铁塔, 雁塔 … are pagodas; 东塔22 is a floor of the eastern tower.
    # After a digit a blank would be set, which would turn the next one, in 塔1塔1, into another.
    r"(?<![白铁宝雁灯水石古金银砖木佛炮钟高双东西南北中主副裙0-9])"
    rf"塔{_TOWER_NUMBER}(?![\w、]|-[0-9])"
    # After a road it is a house number: 青年路12号塔楼.
    rf"|(?<![0-9A-Za-z一二三四五六七八九十路街道巷弄-])(?<!胡同){_TOWER_NUMBER}号塔(?:楼(?!楼)|(?![塔楼])){_TOWER_END}"
    rf"|(?<![0-9A-Za-z])[Tt]([1-9][0-9]?)塔(?:楼(?!楼)|(?![塔楼])){_TOWER_END}"
    r"|(?<![0-9A-Za-z])(?ai:tower) ?([1-9][0-9]?)(?![0-9A-Za-z])"
)

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
# ASCII: İ and ı are an I in another case, too.
_PHASE = re.compile(r"(?<![0-9A-Za-z])(?ai:I{1,3}|IV|VI{0,3}|IX|X)(?=期)")

# After a road (长江路88#), a village's house number and from three digits on it is 号; so it is
# before a noun (13#厂房). Before a part of a building, and where nothing follows, it is 号楼.
_NUMBER_SIGN = re.compile(
    r"(?P<road>[路街巷道弄][0-9]{1,5}(?:-[0-9]{1,5})?[A-Za-z]?)#(?![号楼栋座幢])"
    r"|#(?<=[0-9A-Za-z].)(?:(?P<building>[楼栋座幢])|号)"
    r"|#(?<=[组村镇乡队社][0-9].)|#(?<=[组村镇乡队社][0-9]{2}.)|#(?<=[0-9]{3}.)"
    rf"|#(?<=[0-9].)(?={IDEOGRAPH}(?<![单室层房户门第东西南北甲乙]))"
    r"|(?P<bare>#)(?<=[0-9].)"
)

_RANGE = re.compile(
    r"号?[~至到](?<=[0-9][号~至到])(?=[0-9]{1,6}(?:号|层|楼|室|栋|弄|#))"
    r"|号[~至到](?<=[0-9]号.)(?=[0-9]{1,6}号)"
)

_LEADING_ZERO = re.compile(
    r"0(?<![0-9A-Za-z-].)0*(?=[1-9][0-9]{0,3}(?:、[0-9]{1,4}){0,4}(?:栋|座|号楼|单元|层|楼|期|梯))"
)


def unify_buildings(aligned: Aligned) -> Aligned:
    """Write 栋 for 幢 and for its typing slips behind a number."""
    return substitute(aligned, _BUILDING, "栋")


def unify_basements(aligned: Aligned) -> Aligned:
    """Write B1层 for a floor below the ground, however it is called."""
    return substitute(aligned, _BASEMENT, _basement)


def _basement(match: re.Match[str]) -> str:
    floor = "层" if match[0][-1] in "层楼Ff" else ""
    return set_apart(match, f"B{_number(match)}{floor}")


def unify_towers(aligned: Aligned) -> Aligned:
    """Write T1 for 塔1, 1号塔, Tower 1."""
    return substitute(aligned, _TOWER, lambda match: set_apart(match, f"T{_number(match)}"))


def _number(match: re.Match[str]) -> str:
    """Give the one group that took part as digits."""
    written = match[match.lastindex or 0]
    return str(to_arabic(written) or written)


def unify_phases(aligned: Aligned) -> Aligned:
    """Write 2期 for II期."""
    return substitute(aligned, _PHASE, lambda match: str(_ROMAN.index(match[0].upper()) + 1))


def unify_number_signs(aligned: Aligned) -> Aligned:
    """Write 号 or 号楼 for #, whichever it stands for."""
    return substitute(aligned, _NUMBER_SIGN, _number_sign)


def _number_sign(match: re.Match[str]) -> str:
    if match["road"]:
        return match["road"] + "号"
    return "号楼" if match["building"] or match["bare"] else "号"


def unify_ranges(aligned: Aligned) -> Aligned:
    """Write a hyphen between the first and the last number of a range."""
    return substitute(aligned, _RANGE, "-")


def drop_leading_zeros(aligned: Aligned) -> Aligned:
    """Write 8栋 for 08栋; the zeros of rooms and house numbers stay."""
    return substitute(aligned, _LEADING_ZERO, "")
