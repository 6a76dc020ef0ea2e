"""Numbers that number something: 十二号 is 12号, while 太原1路 is 太原一路."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from menpai.text.numerals import IDEOGRAPH, NUMERALS, to_chinese, to_digits
from menpai.text.offsets import set_apart, substitute

if TYPE_CHECKING:
    from menpai.text.offsets import Aligned

# 三组路, 八楼乡, 三栋镇, 五号桥, 二队村: the number belongs to a name.
_NO_NAME = r"(?![路街巷桥镇乡屯庄]|村(?!民小?组)|大[街道]|胡同|社区|新村)"
# Will be a number in front of a unit, or is one.
_NUMBERED = rf"第*(?:[0-9]{{1,10}}|[{NUMERALS}]{{1,10}})[号栋幢楼层室单门座房户铺排舍社米]"
_UNIT = (
    r"(?:号(?!线|公馆|码头|高速|公路|公园|国际|工[厂地]|井|渠|矿|[农林牧]场|种畜场|机械林场|基地"
    r"|地村|[卜沟山]|回族)"
    r"|栋|幢|单元|楼(?![梯子区])|层(?![楼岩])|室(?![一二三两]厅)|弄(?!瑶)|(?:村民)?小?组(?!团(?!结))"
    r"|(?:生产)?队"
    r"|期(?!间)|梯|#|座(?=大厦)|房(?=间)|米(?=处|远|左右|[路东西南北])"
    # These end many names: 三座店, 三房巷, 三十铺, 三排镇. A numeral behind them that will be a
    # number ends them as a number does.
    rf"|(?:[座房户排舍社米]|铺(?<!十铺))(?!(?!{_NUMBERED}){IDEOGRAPH})"
    rf"){_NO_NAME}"
)
# 十号湖村, 七栋楼社区
_VILLAGE = re.compile(rf"[号栋楼层](?:(?![{NUMERALS}]){IDEOGRAPH}){{1,2}}(?:村(?!民?小?组)|社区)")
_BEFORE_VILLAGE = re.compile(r"(?:^|[省市县区旗镇乡场处办会\W]|街道)$")
# 四至六层, 三、四、五号
_LIST = (
    rf"(?:[、和及至到~-]第?[0-9{NUMERALS}]{{1,6}}){{1,5}}"
    rf"(?:号|层|楼|室|栋|单元|弄|组|座|期|#){_NO_NAME}"
)
# Two numbers or more: 三四号, 一二层.
_IN_SEQUENCE = frozenset(
    "一二三四五六七八九"[start:end] for start in range(8) for end in range(start + 2, 10)
)
# The first character is tested before what stands left of it: most texts have no numeral at all.
# The number after 之 stays as written, yet 之一二楼 is floor 2.
_NUMERAL = re.compile(
    rf"[{NUMERALS}](?<![0-9{NUMERALS}之].)(?!(?<=壹)号(?!楼))[{NUMERALS}]{{0,9}}(?={_UNIT}|{_LIST})"
    rf"|[{NUMERALS}](?:(?<=[栋楼号].)|(?<=单元.))[{NUMERALS}]{{0,2}}(?=门(?![口诊市面店]))"
    rf"|[{NUMERALS}](?:(?<=[栋座楼层号].)|(?<=单元.))[{NUMERALS}]{{2,3}}(?!{IDEOGRAPH})"
    r"|[一二三四五六七八九](?<=之[一二三四五六七八九].)(?=[楼层])"
)
_ZERO = re.compile("[Oo〇零0]+")
_ZERO_SLIP = re.compile(rf"[Oo〇零]|0(?<=[{NUMERALS}].)")
_NUMERAL_SIGNS, _DIGITS = frozenset(NUMERALS), frozenset("0123456789")
_TO_NUMERAL = str.maketrans("Oo0", "〇〇〇")
_NUMERAL_ON = re.compile(rf"[{NUMERALS}号弄室]")
_ORDINAL = re.compile(
    rf"第(?<!第.)第*(?=B[1-9]层|[一二三四五六七八九十]{{1,3}}组团(?!结)"
    rf"|[0-9]{{1,3}}(?:号楼|栋|座|单元|楼(?![梯子区])|层|(?:村民)?小?组|生产队|期){_NO_NAME})"
)

_ROAD_NUMBER = re.compile(
    rf"[1-9](?<={IDEOGRAPH}.)(?<![号楼栋层室座元弄组之].)[0-9]?"
    r"(?=组团(?!结)|大道|大街|马路|[经纬]路|胡同|路(?!公交|[车口站])|街(?![坊区])|巷|条(?![件例])|道(?![路闸])"
    rf"|环(?!{IDEOGRAPH})|环[路线东西南北内外])"
)


def unify_zeros(aligned: Aligned) -> Aligned:
    """Write the zero of a number as a zero: 2〇3, 1O1, 二O三."""
    if _ZERO_SLIP.search(aligned.text) is None:
        return aligned
    return substitute(aligned, _ZERO, _zero)


def _zero(match: re.Match[str]) -> str:
    """Settle a whole run of zeros at once, by what stands on either side of it."""
    text, run = match.string, match[0]
    left, right = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if left in _NUMERAL_SIGNS and _NUMERAL_ON.match(right):
        return run.translate(_TO_NUMERAL)
    # Zeros at the rim are taken for such only beside a digit: the O of 1O may be a letter.
    inner = run if left in _DIGITS else run.lstrip("Oo〇零")
    before = len(run) - len(inner)
    inner = inner if right in _DIGITS else inner.rstrip("Oo〇零")
    return run[:before] + "0" * len(inner) + run[before + len(inner) :]


def numerals_to_arabic(aligned: Aligned) -> Aligned:
    """Write a numeral before a unit in digits; one that is part of a name stays."""
    return substitute(aligned, _NUMERAL, _to_digits)


def _to_digits(match: re.Match[str]) -> str:
    """Read the longest numeral at the end of a run; what stands before it is a name (八一 十号)."""
    run = match[0]
    if run in _IN_SEQUENCE or _is_village(match):
        return run
    for start in range(len(run)):
        digits = to_digits(run[start:])
        if digits is not None:
            return run[:start] + digits
    return run


def _is_village(match: re.Match[str]) -> bool:
    """Tell 石塘镇十号湖村 from 学院路十号湖村超市."""
    text, (start, end) = match.string, match.span()
    if _VILLAGE.match(text, end) is None:
        return False
    return _BEFORE_VILLAGE.search(text[max(0, start - 2) : start]) is not None


def drop_ordinals(aligned: Aligned) -> Aligned:
    """Drop 第 before a numbered building or a part of one: 第3层 is 3层."""
    return substitute(aligned, _ORDINAL, _nothing)


def _nothing(match: re.Match[str]) -> str:
    """Keep two numbers apart: 56第3层 must not become 563层."""
    return set_apart(match, "")


def road_numbers_to_chinese(aligned: Aligned) -> Aligned:
    """Write the number in a road's name as a numeral."""
    return substitute(aligned, _ROAD_NUMBER, _to_chinese)


def _to_chinese(match: re.Match[str]) -> str:
    return to_chinese(int(match[0]))
