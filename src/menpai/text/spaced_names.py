"""Names that a copy or a scan has cut in two: 石 塘镇, 文昌 南路.

A blank also stands between the columns of a table, so it goes only where what follows it cannot
begin a name of its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.text.numerals import IDEOGRAPH, NUMERALS
from menpai.text.offsets import substitute

if TYPE_CHECKING:
    from menpai.text.offsets import Aligned

# A name is finished after these; what follows the blank is another one.
_ENDINGS = "省市区县旗镇乡村街道路巷弄号楼栋幢座层室户组队处旁侧口"
_BETWEEN_IDEOGRAPHS = re.compile(rf" (?<={IDEOGRAPH} )(?={IDEOGRAPH})")
_UNFINISHED = rf"(?<={IDEOGRAPH} )(?<![{_ENDINGS}] )"
# Not beyond the next of them, or each blank that goes would make way for the one before it.
_NAME = rf"(?:(?![省市区县旗镇乡]){IDEOGRAPH})"
# A number may follow, though no postcode and no phone, and the next road of a crossing.
_LONE = rf"(?!(?![{NUMERALS}与和及交]){IDEOGRAPH}|[0-9]{{6}})"

_SPACED = (
    # The middle and the end of a name that has its beginning before the blank.
    rf" {_UNFINISHED}(?:"
    # 江苏 省丹阳市, 北京 市朝阳区; 市南区 and 市场路 are names.
    rf"(?=[省区县乡村路街号]{_LONE}|市{_LONE}|省(?![道直立城属]){_NAME}{{1,6}}[市县州盟]"
    rf"|市(?![南北中辖场政民委府桥立内郊口头新]|[东西](?!城区|丽区)){_NAME}{{1,5}}[区县镇乡]"
    rf"|区(?![庄间委政府]){_NAME}{{1,5}}(?:[镇乡路村]|街道?|大道)"
    rf"|县(?![前府城学政医中委东西南北后衙河直里]){_NAME}{{1,5}}(?:[镇乡村]|街道)"
    # 镇江, 镇海区, 镇川镇 and 镇西路 are names.
    r"|镇(?![江海平远原宁雄赉巴安坪康沅头东南西北中前后上口])"
    rf"(?!{IDEOGRAPH}{{1,2}}(?:[市县区镇乡]|街道))"
    r"|村(?:民?委会|民委员会|小学)|街道(?!口)"
    rf"|大道{_LONE}|大道[东西南北中](?!{IDEOGRAPH})"
    rf"|[东西南北中](?:路|街){_LONE}))"
    # 灵山县石 塘镇: one character is not the whole name of anything.
    rf"| (?<=[省市区县镇乡]{IDEOGRAPH} )"
    rf"(?<![{_ENDINGS}城内外上下里中东西南北郊级界府委部政民辖] )"
    rf"(?=(?:(?![{_ENDINGS}]){IDEOGRAPH}){{1,3}}(?:[区县市镇乡村路]|街道|大道|街(?!坊)))"
)


def join_spaced_names(aligned: Aligned) -> Aligned:
    """Drop a blank inside a name."""
    if _BETWEEN_IDEOGRAPHS.search(aligned.text) is None:
        return aligned
    return substitute(aligned, _spaced(), "")


@lru_cache(maxsize=1)
def _spaced() -> re.Pattern[str]:
    """Compile on first use: it takes milliseconds, and many texts have no such blank."""
    return re.compile(_SPACED)
