"""When do two names mean one place: cores without endings, rarity, brands and branches."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from menpai.address import numbers, rarity
from menpai.address.relations import Relation
from menpai.address.roads import ORDERED
from menpai.address.tokens import GENERIC
from menpai.text.numerals import to_arabic, to_digits
from menpai.text.pinyin import sounds_alike

if TYPE_CHECKING:
    from menpai.address.elements import Address
    from menpai.address.rarity import Rarity

_SUFFIX_WORDS = re.compile(
    r"有限责任公司|股份有限公司|有限公司|分公司|总公司|公司|集团|大厦|大楼|广场|小区|花园|公寓|中心|商店|商行|"
    r"超市|店|\(.*?\)|[()（）·\-\s]"
)
_TENANT = re.compile(
    r"公司|店\Z|事务所|经营部|门市|超市|工作室|商行|银行|支行|诊所|药房|饭店|餐[厅馆]|面馆|网吧|美容|美发|"
    r"培训|俱乐部|专卖|服务[站部]|中介|地产\Z|便利|快递|驿站|厂\Z|部\Z"
)
_BUILDING_TYPE = re.compile(
    r"(?:大厦|大楼|广场|商厦|写字楼|办公楼|国际|中心|SOHO|公寓|商务楼|科技园|产业园|创业园|工业园|园区|[A-Z]座|城|楼)\Z"
)
_BUILDING_END = re.compile(r".{2}(?:大厦|大楼|广场|商厦|写字楼|中心|购物中心|百货|商城)\Z")
_COMPOUND = re.compile(
    r"(?:小区|花园|花苑|新村|公寓|家园|家苑|嘉园|佳园|雅苑|华府|[苑园庭府轩邸郡墅寓庄湾里坊阁]|宿舍(?:[一二三四五六七八九十]|[A-Z]|\d{1,2})?(?:号?楼)?|家属院|大院|"
    r"山庄|别墅|名都|丽都|[A-Z东西南北中]区|\d+期)\Z"
)
_FACILITY = re.compile(
    r"(?<=.{2})[·\-]?(?:地[下上面])?(停车[场库位]|车库|民宿|[大]?酒店|游泳[池馆]|健身[房中心馆]+|充电[站桩]|售楼[处部]|餐厅|"
    r"咖啡[厅馆吧]?|宴会厅|会议[室厅]|卫生[间站]|厕所|幼儿园|公交站|地铁站|居委会|服务站|菜场|物业)\Z"
)
_GATE = re.compile(r"\((?:[东西南北正侧后前]{1,2}\d?|\d)[号]?门|[出入]{1,2}口")
_NO_NAME = re.compile(r"(?:大道|大街|公路|路|街|道|巷|胡同|弄|村|社区|组|屯)\Z")
_NUMBERED = re.compile(r"[A-Za-z]?\d")
_ORDINAL = re.compile(r"第(?=[一二三四五六七八九十\d]+(?:工业|[区期排栋组]))")
"""第二工业区 is 二工业区; 第一小学 has no shorter form."""
_DIGITS = re.compile(r"\d+")
_EQUAL_NAME = 0.9
_SIMILAR_NAME = 0.55
_TELLING = 16.0
"""Summed rarity of a telling name: two bigrams that one address in 3,000 has."""


class Names(NamedTuple):
    """The names in an address below its road: the place, the tenant in it, a branch in brackets."""

    place: str | None
    tenant: str | None
    branch: str


def names_of(side: Address) -> Names:
    """Tell a place's name from its tenant's and its branch: 国泰大厦, 速七网络公司, (江滨店).

    A second name beside a building's or compound's is a tenant, whatever it ends in.
    """
    pieces = [p for p in ((side.poi or ""), *(side.rest or "").split(" ")) if len(p) > 1]
    branch = next((p for p in pieces if p.startswith("(")), "")
    pieces = [p for p in pieces if not (p.startswith("(") or _is_no_name(p, side))]
    places = [p for p in pieces if is_building_type(p) or not _TENANT.search(p)]
    place = next((p for p in places if is_building_type(p)), places[0] if places else None)
    tenants = [p for p in pieces if p != place]
    tenant = max(tenants, key=lambda p: (bool(_TENANT.search(p)), len(p)), default=None)
    return Names(place, tenant, branch)


def _is_no_name(piece: str, side: Address) -> bool:
    if piece == side.poi:
        return False
    return bool(_NO_NAME.search(piece) or _NUMBERED.match(piece) or piece in (side.landmark or ""))


def relate(left: Names, right: Names, weights: Rarity) -> tuple[Relation | None, ...]:
    """Relate places with places and tenants with tenants; a lone name with what it resembles."""
    if _are_crossed(left, right, weights):
        left, right = (Names(None, n.place or n.tenant, n.branch) for n in (left, right))
    elif _are_exchanged(left, right, weights):
        left, right = _exchanged(left, right)
    else:
        left, right = _paired(left, right, weights), _paired(right, left, weights)
    branches = (left.branch, right.branch)
    return (
        _relate_names("poi", (left.place, right.place), branches, weights),
        _relate_names("tenant", (left.tenant, right.tenant), branches, weights),
    )


def _are_crossed(left: Names, right: Names, weights: Rarity) -> bool:
    """Each side has one name, read as a place's here and a tenant's there: 阿福面馆, 阿福面馆店."""
    lone = [(n.place, n.tenant) for n in (left, right)]
    if {tuple(name is None for name in names) for names in lone} != {(True, False), (False, True)}:
        return False
    a, b = ((place or tenant or "") for place, tenant in lone)
    return name_similarity(a, b, weights) >= _SIMILAR_NAME


def _are_exchanged(left: Names, right: Names, weights: Rarity) -> bool:
    """Both have the same two names, and each takes another for the place: 翠湖花园, 嘉澜大厦."""
    if not (left.place and left.tenant and right.place and right.tenant):
        return False
    across = (
        name_similarity(left.place, right.tenant, weights),
        name_similarity(left.tenant, right.place, weights),
    )
    straight = (
        name_similarity(left.place, right.place, weights),
        name_similarity(left.tenant, right.tenant, weights),
    )
    return min(across) >= _SIMILAR_NAME and sum(across) > sum(straight)


def _exchanged(left: Names, right: Names) -> tuple[Names, Names]:
    """Take the same name for the place on both sides, whichever side is the left one."""
    turned = Names(right.tenant, right.place, right.branch)
    pairs = ((left.place, turned.place), (left.tenant, turned.tenant))

    def rank(pair: tuple[str | None, str | None]) -> tuple[int, list[str]]:
        return sum(is_building_type(name) for name in pair), sorted(name or "" for name in pair)

    if rank(pairs[0]) >= rank(pairs[1]):
        return left, turned
    return Names(left.tenant, left.place, left.branch), right


def _paired(names: Names, other: Names, weights: Rarity) -> Names:
    """Take a lone name for the kind of name of the other side that it resembles more."""
    if (names.place is None) == (names.tenant is None):
        return names
    lone = names.place or names.tenant or ""
    to_place = name_similarity(lone, other.place, weights) if other.place else 0.0
    to_tenant = name_similarity(lone, other.tenant, weights) if other.tenant else 0.0
    if to_tenant >= max(to_place, _SIMILAR_NAME):
        return Names(None, lone, names.branch)
    if to_place >= _SIMILAR_NAME or (other.place and not other.tenant):
        return Names(lone, None, names.branch)
    return names


def _relate_names(
    element: str,
    sides: tuple[str | None, str | None],
    branches: tuple[str, str],
    weights: Rarity,
) -> Relation | None:
    a, b = sides
    if a is None and b is None:
        return None
    if a is None or b is None or is_generic(a) != is_generic(b):
        return Relation(element, a, b, "missing", 0.0)
    if is_generic(a):
        return Relation(element, a, b, "equal" if name_key(a) == name_key(b) else "conflict", 0.0)
    kind, similarity = _relate_two(a, b, branches, weights)
    return Relation(element, a, b, kind, similarity)


def _relate_two(a: str, b: str, branches: tuple[str, str], weights: Rarity) -> tuple[str, float]:
    """Relate two telling names: kind and similarity; a sibling is a conflict above 0."""
    a, facility_a = _split_facility(a, branches[0])
    b, facility_b = _split_facility(b, branches[1])
    whole_a, part_a = _split_part(a)
    whole_b, part_b = _split_part(b)
    if _holds_another(whole_a, whole_b) or _holds_another(whole_b, whole_a):
        return "contains", 0.8
    similarity = name_similarity(whole_a, whole_b, weights)
    if similarity < _SIMILAR_NAME or _counted_apart(whole_a, whole_b):
        return "conflict", 0.0
    if _differ(part_a, part_b) or _differ(facility_a, facility_b):
        return "conflict", 0.5
    if similarity < _EQUAL_NAME:
        return ("similar", similarity) if _heads_agree(a, b) else ("conflict", 0.0)
    if facility_a != facility_b:
        return "similar", 0.7
    if _branches_differ(*branches):
        return "conflict", 0.5
    return "equal" if a == b else "alias", similarity


def _branches_differ(a: str, b: str) -> bool:
    """Two branches of one chain: each names its own, and they have nothing in common."""
    if not (a.endswith("店)") and b.endswith("店)")):
        return False
    short, long = sorted((_BRANCH_WORDS.sub("", a), _BRANCH_WORDS.sub("", b)), key=len)
    return short not in long


_BRANCH_WORDS = re.compile(r"[()]|分?店")
_COUNT = re.compile(r"[零〇一二三四五六七八九十百]+|\d+")
_PART = re.compile(
    r"(?<=.{2})(?:([A-Za-z]|[东西南北中]|[一二三四五六七八九十]{1,2}|\d{1,2})(?:期|区|组团))\Z"
)


@lru_cache(maxsize=65536)
def _split_part(name: str) -> tuple[str, str]:
    """Split a compound's phase or section off its name: 景桂 and 2 of 景桂2期."""
    match = _PART.search(name)
    if match is None:
        return name, ""
    return name[: match.start()], "".join(numbers.read(match[1]).parts) or match[1]


def _heads_agree(a: str, b: str) -> bool:
    """A shop's name begins with its brand: 必确健身器材 is not 体楷健身器材."""
    key_a, key_b = name_key(a), name_key(b)
    if key_a[:2] in key_b or key_b[:2] in key_a:
        return True
    return bool(set(key_a[:2]) & set(key_b[:3]) or set(key_b[:2]) & set(key_a[:3]))


def _holds_another(long: str, short: str) -> bool:
    """嘉和大厦星巴克 is a tenant of 嘉和大厦: a building's name and another after it."""
    rest = long[len(short) :] if long.startswith(short) else ""
    return len(rest) > 1 and bool(_BUILDING_END.search(short)) and not _BUILDING_END.search(long)


def _counted_apart(a: str, b: str) -> bool:
    """第十中学 is not 第十一中学: both count, and neither says all that the other says."""
    counts_a, counts_b = _counts(a), _counts(b)
    return not (counts_a <= counts_b or counts_b <= counts_a)


@lru_cache(maxsize=65536)
def _counts(name: str) -> frozenset[str]:
    return frozenset(str(to_arabic(n) or to_digits(n) or n) for n in _COUNT.findall(name))


def _differ(a: str, b: str) -> bool:
    return bool(a and b and a != b)


def _split_facility(name: str, branch: str) -> tuple[str, str]:
    """Split off what lies at a place but is not it: the car park of 翡岚苑停车场, a gate."""
    match = _FACILITY.search(name)
    if match is not None:
        return name[: match.start()], match[1]
    return name, "门" if _GATE.match(branch) else ""


def is_generic(name: str) -> bool:
    """Say whether a name only says what a thing is (停车场, 公共厕所)."""
    return bool(GENERIC.match(name))


@lru_cache(maxsize=262144)
def name_key(name: str) -> str:
    """Give a name without endings that say only what kind of place it is."""
    name = _ORDINAL.sub("", name.upper())
    key = _SUFFIX_WORDS.sub("", name)
    return key if len(key) > 1 else name


def _is_misheard(a: str, b: str) -> bool:
    """Two names that differ in one character that sounds alike: 彭湖山庄, 澎湖山庄."""
    if len(a) != len(b) or len(a) < 3:
        return False
    differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(differing) != 1 or set(differing[0]) & ORDERED:
        return False
    return sounds_alike(*differing[0])


@lru_cache(maxsize=262144)
def _pairs_of(key: str) -> frozenset[str]:
    return frozenset(rarity.bigrams(key))


def name_similarity(a: str, b: str, weights: Rarity) -> float:
    """Give the share of rarity that two names have in common, 0 to 1; 1 for the same core."""
    key_a, key_b = name_key(a), name_key(b)
    if key_a == key_b:
        return 1.0
    left, right = _pairs_of(key_a), _pairs_of(key_b)
    if not left or not right:
        return 0.0
    common = weights.total(left & right)
    total_a, total_b = weights.total(left), weights.total(right)
    dice = 2 * common / (total_a + total_b)
    containment = common / min(total_a, total_b)
    numbers_a, numbers_b = _DIGITS.findall(key_a), _DIGITS.findall(key_b)
    penalty = 0.5 if numbers_a and numbers_b and numbers_a != numbers_b else 1.0
    if dice < _EQUAL_NAME and _is_misheard(key_a, key_b):
        return 0.92
    return penalty * (0.5 * dice + 0.5 * containment)


def is_telling(name: str | None, weights: Rarity) -> bool:
    """Say whether a name is so rare that few places can share it."""
    return name is not None and weights.total(_pairs_of(name_key(name))) >= _TELLING


def is_building_type(name: str | None) -> bool:
    """Say whether a name is a building's or park's, which adds nothing to road and number."""
    return bool(name and (_BUILDING_TYPE.search(name) or _COMPOUND.search(name)))
