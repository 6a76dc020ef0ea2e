"""Who receives: names, phones and postcodes that stand in or are glued to an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

GAP = "\n"
"""Takes the place of what was read already; a normalised text never holds it."""


class Contacts(NamedTuple):
    """What is not address: values with spans, and the text with their places blanked."""

    text: str
    found: dict[str, tuple[str, int, int]]


_PHONE = re.compile(
    r"(?<![\d-])(?:(?:\+|00)?86[- ]{0,2})?"
    r"(?:1[3-9]\d(?:[- ]?\d{4}){2}(?:-\d{1,5}|转\d{1,5})?|\(?0\d{2,3}\)?[- ]?[2-9]\d{6,7}(?:[-"
    r"转]\d{1,5})?|"
    r"400(?:-\d{3}-\d{4}|[- ]?\d{7}|-\d{4}-\d{3}))(?![\d-])"
    r"(?:[/,、 ]+(?:1[3-9]\d{9}|0\d{2,3}-?\d{7,8})(?!\d))*"
)
_LABELLED_PHONE = re.compile(r"(?:电话|手机|联系方式|Tel)[:\s]*(\d[\d-]{6,14}\d)")
_PHONE_LABEL = re.compile(
    r"(?:联系)?(?:手机号码|手机号|手机|电话号码|电话|联系方式|Tel|TEL|tel)[:\s]*"
)
_POSTCODE = re.compile(
    r"(?:(?:邮政编码|邮编)[:\s]*(\d{6})(?!\d))"
    r"|(?<![\d-])(\d{6})(?=[,\s\n)]*$|[,\s\n]+(?!号|室|弄)|[一-鿿]{2,4}\n)"
)
_POSTCODE_LABEL = re.compile(r"(?:邮政编码|邮编)[:\s]*")
_LABEL = re.compile(
    r"(?:[原现新旧老]地址|所在地区|所在区域|所在地|详细地址|收货地址|收件地址|联系地址|家庭住址|通讯地址|"
    r"公司地址|街道地址|地址)[:\s]*"
)
_NAME_LABEL = re.compile(
    r"(?:收货人姓名|收件人姓名|收货人|收件人|联系人|姓名)[:\s]*([一-鿿·]{2,5})?(?=[,\s\n]|$|\d)"
)
_HONORIFIC = re.compile(
    r"(?:^|[,\s\n(]|(?<=[0-9A-Z号室楼层户房]))"
    r"((?![号室楼层户房栋座])[一-鿿]{1,3}(?:先生|女士|小姐|老师|师傅|同学|经理|阿姨))(?:\(?收\)?)?(?=[,\s\n)]|$)"
)
_RECEIVES = re.compile(
    r"(?:^|[,\s\n]|(?<=[0-9A-Z号室楼层户房]))((?![号室楼层户房栋座])[一-鿿]{2,4})\(?(?:亲启|收)\)?(?=[,\s\n]|$)"
)
_TOKEN = re.compile(r"[^,\s\n;:()\[\]/、|]+")
_FULL_PLACE = re.compile(r"[一-鿿]{2,8}?(?:省|市|自治区)[一-鿿]{2}")
_HAN = re.compile(r"[一-鿿·]{2,4}\Z")
_NO_NAME = re.compile(r"[省市区县镇乡村路街道巷弄号栋座楼层室户院园苑店厂里港城厦场团组]")
_GLUED = re.compile(
    r"(?:(?<=[号室楼层房户座栋组元院\n])|(?<=[0-9A-Za-z])(?![号室楼层房户座栋组单元弄门幢期区]))"
    r"([一-鿿]{2,4})[,\s]*\n"
)
_GUARD = re.compile(
    r"\d{6}|\d[- ]\d{4}|姓名|手机|联系|收|电话|地址|所在地|邮编|先生|女士|小姐|老师|师傅|同学|"
    r"经理|阿姨"
)
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛"
    "奚范彭郎鲁韦昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康"
    "伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵"
    "席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁"
    "宣邓郁单杭洪包诸左石崔吉钮龚程嵇邢裴陆荣翁荀羊甄家封储靳段焦巴弓牧车侯班仰秋仲伊宫宁仇栾"
    "甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印宿白怀蒲从鄂索赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳"
    "姬申扶堵冉宰雍桑桂濮牛寿通边扈燕冀浦尚农温别庄晏柴瞿阎充慕连茹习艾鱼容向古易慎戈廖庾终居"
    "衡步都耿满弘匡国文寇广禄东欧沃利蔚越隆师巩聂晁勾敖融冷辛阚那简饶空曾沙养鞠须丰巢关相查后荆"
    "红游竺权盖益桓公付肖闫岳涂代覃佟敬仝佘邝麦屈苟原闪降谌楼亓"
)
_LONG_SURNAMES = frozenset(
    "欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 南宫 夏侯 端木 独孤 长孙 宇文 "
    "轩辕 呼延 司空".split()
)
_LONG_SURNAME = 2


def looks_like_name(token: str) -> bool:
    """Say whether a token of Chinese characters could be a person's name."""
    if not _HAN.match(token) or _NO_NAME.search(token, 1):
        return False
    if token[:2] in _LONG_SURNAMES:
        return len(token) > _LONG_SURNAME
    return token[0] in _SURNAMES and len(token) <= 3


def extract(text: str, is_place: Callable[[str], bool]) -> Contacts:
    """Take names, phones and postcodes out of a normalised text.

    Args:
        text: A normalised text.
        is_place: Says whether a token is a division's name, which no person is called here.

    Returns:
        The text, of the same length, with a gap where something was taken, and what was taken.
    """
    if not _GUARD.search(text):
        return Contacts(text, {})
    found: dict[str, tuple[str, int, int]] = {}
    text = _take_phone(text, found)
    text = _take_postcode(text, found)
    text = _take_name(text, found, is_place)
    text = _blank_all(_LABEL, text)
    return Contacts(text, found)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + GAP * (end - start) + text[end:]


def _blank_all(pattern: re.Pattern[str], text: str) -> str:
    for match in reversed(list(pattern.finditer(text))):
        text = _blank(text, *match.span())
    return text


def _take_phone(text: str, found: dict[str, tuple[str, int, int]]) -> str:
    match = _PHONE.search(text)
    if match is None:
        match = _LABELLED_PHONE.search(text)
        if match is None:
            return text
        span = match.span(1)
    else:
        span = match.span()
    value = re.sub(r"\A(?:\+|00)?86[- ]*(?=1)", "", text[slice(*span)])
    value = re.sub(r"(?<!\d)(1\d\d)[- ]?(\d{4})[- ]?(\d{4})(?!\d)", r"\1\2\3", value)
    found["phone"] = (value.strip(" ,/、"), *span)
    return _blank_all(_PHONE_LABEL, _blank(text, *span))


def _take_postcode(text: str, found: dict[str, tuple[str, int, int]]) -> str:
    match = _POSTCODE.search(text)
    if match is None:
        return text
    group = 1 if match.group(1) else 2
    found["postcode"] = (match.group(group), *match.span(group))
    return _blank_all(_POSTCODE_LABEL, _blank(text, *match.span(group)))


def _take_name(
    text: str, found: dict[str, tuple[str, int, int]], is_place: Callable[[str], bool]
) -> str:
    labelled = _NAME_LABEL.search(text)
    if labelled is not None:
        text = _blank(text, labelled.start(), labelled.start(1) if labelled[1] else labelled.end())
    named = labelled is not None and labelled[1] and not _NO_NAME.search(labelled[1], 1)
    span = labelled.span(1) if labelled is not None and named else None
    span = span or _title_span(text, is_place)
    if span is None and found:
        text = _blank_all(_LABEL, text)
        span = _glued_span(text, found, is_place) or _token_span(text, found, is_place)
    if span is None:
        return text
    found["name"] = (text[slice(*span)], *span)
    return _blank(text, *span)


def _title_span(text: str, is_place: Callable[[str], bool]) -> tuple[int, int] | None:
    match = _HONORIFIC.search(text)
    if match is not None and match[1][0] in _SURNAMES:
        return match.span(1)
    match = _RECEIVES.search(text)
    if match is not None and looks_like_name(match[1]) and not is_place(match[1]):
        return match.span(1)
    return None


def _glued_span(
    text: str, found: dict[str, tuple[str, int, int]], is_place: Callable[[str], bool]
) -> tuple[int, int] | None:
    """A name between a number or a gap and the gap that a phone left."""
    if "phone" not in found:
        return None
    for match in _GLUED.finditer(text):
        if looks_like_name(match[1]) and not is_place(match[1]):
            return match.span(1)
    return None


def _token_span(
    text: str, found: dict[str, tuple[str, int, int]], is_place: Callable[[str], bool]
) -> tuple[int, int] | None:
    """A name that stands alone: with a surname anywhere, without one only beside a gap."""
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) <= 1:
        return None
    beside = _beside(tokens, found)
    free = [m for m in tokens if _HAN.match(m[0]) and not is_place(m[0])]
    free += [m for m in beside if m not in free and _is_namesake(m, tokens)]
    for match in free:
        if looks_like_name(match[0]) and match in (tokens[0], tokens[-1], *beside):
            return match.span()
    last = tokens[-1]
    if last in free and last in beside and not _NO_NAME.search(last[0]):
        return last.span()
    return None


def _is_namesake(match: re.Match[str], tokens: list[re.Match[str]]) -> bool:
    """黄山 beside a phone is a person where another token begins with a full province or city."""
    return any(_FULL_PLACE.match(m[0]) for m in tokens if m is not match)


def _beside(
    tokens: list[re.Match[str]], found: dict[str, tuple[str, int, int]]
) -> list[re.Match[str]]:
    near = []
    for _, start, end in found.values():
        near += [m for m in tokens if 0 <= start - m.end() <= 3 or 0 <= m.start() - end <= 3]
    return near
