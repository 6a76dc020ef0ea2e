"""Texts that name no place: form fillers, keyboard noise, bare numbers; and places abroad."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from menpai.address.details import Piece

_FILLERS = frozenset(
    "无 暂无 没有 不详 不知道 未知 未填写 未填 空 同上 见备注 地址不详 其他 其它 测试 测试地址 "
    "测试数据 "
    "详见附件 保密 到付 自提 待定 待补充 请填写 请输入地址 收货地址 详细地址 地址 中国 本市 全国 "
    "null none nan n/a na test undefined".split()
)
_HAN_OR_LETTERS = re.compile(r"[一-鿿]|[A-Za-z]{2,}")
_REPEATED = re.compile(r"(.{1,4}?)\1{2,}\Z")
_BARE = re.compile(r"[\d\s\W]*(?:中国|先生|女士)?[\d\s\W]*\Z")
_SIGNS = (
    "road",
    "roadno",
    "landmark",
    "village",
    "group",
    "zone",
    "building",
    "unit",
    "floor",
    "room",
    "town",
)
_ABROAD = re.compile(
    r"美国|日本|韩国|英国|法国|德国|加拿大|澳大利亚|新加坡|马来西亚|泰国|越南|俄罗斯|纽约|东京都|伦敦|巴黎|首尔|洛杉矶"
)
_PLACE_NAME = re.compile(
    r"(?:小区|花园|[苑园庭府轩寓村庄城厦场楼馆店厂院校站桥港湾山寺庙]|中心|大厦|广场|公寓|家园|市场|大学|中学|小学|医院|"
    r"银行|酒店|宾馆|公司|超市|学院|基地|支行|分局|派出所|幼儿园|国际|SOHO|世纪|[一二三四]期|[A-Z]区)"
)
_ORGAN_ONLY = re.compile(r"(?:[省市县区]?[一-鿿]{0,6}[局厅委办部处会](?:[、,]|\Z))+\Z")


def is_junk(text: str) -> bool:
    """Say whether a normalised text cannot be an address whatever it is read as."""
    if not _HAN_OR_LETTERS.search(text) or _BARE.match(text):
        return True
    return text.lower() in _FILLERS or _REPEATED.match(text) is not None


def names_a_place(text: str, found: Mapping[str, Piece], levels: Mapping[str, object]) -> bool:
    """Say whether something that was read is a place: a division, a road, a named place."""
    if any(level in levels for level in ("province", "city", "district", "town", "zone")):
        return True
    if any(sign in found for sign in _SIGNS):
        return True
    poi = found.get("poi")
    if poi is None or _ORGAN_ONLY.match(text):
        return False
    return len(poi.value) > 2 or _PLACE_NAME.search(poi.value) is not None


def is_foreign(text: str) -> bool:
    """Say whether a text begins with a country or city abroad."""
    return _ABROAD.match(text) is not None
