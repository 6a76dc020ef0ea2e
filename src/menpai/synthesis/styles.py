"""Who writes: how often the writers of each register write what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from menpai.synthesis.draws import Weighted

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Style:
    """The habits of one kind of writer; shares are of the places that have the thing at all.

    Attributes:
        headings: Which divisions are written, by letter: pcdt is province, city, district, town.
        anchors: What leads to the place, by letter: R road and number, N name, X crossing. NR is
            the name first.
        full: Divisions by their whole official names.
        doubled: Divisions written twice, beside the region that a portal puts before.
        numbered: The number at a road that is written.
        bare_anchor: Nothing of what is inside written.
        town: A town is added that the heading lacks.
        village: The community of a place that has a road.
        zone: The development zone.
        alias: Another name of the place.
        short_tenant: The shop or company for short.
        branch: The branch of a chain.
        tenant: The shop or company at all.
        tenant_first: The shop or company before its address.
        landmark: What is near.
        dashed: 3-2-1001.
        shallow: Unit, floor or room left out.
        bare_room: The room without a unit.
        bare_number: The road number without 号.
        several: Several floors or rooms where there is one: 1001-1003室.
        han_number: The road number in Chinese numerals.
        han_inner: Buildings, units, floors in Chinese numerals.
        contact: A person's name or a telephone number.
        remark: A wish or remark.
        remarks: Which remarks, a key of the words.
        typo: A typing mistake.
        separated: Blanks or commas between parts.
    """

    headings: Weighted[str]
    anchors: Weighted[str]
    full: float = 0.95
    doubled: float = 0.01
    numbered: float = 0.96
    bare_anchor: float = 0.08
    town: float = 0.1
    village: float = 0.1
    zone: float = 0.5
    alias: float = 0.15
    short_tenant: float = 0.2
    branch: float = 0.8
    tenant: float = 0.9
    tenant_first: float = 0.2
    landmark: float = 0.05
    dashed: float = 0.2
    shallow: float = 0.1
    bare_room: float = 0.3
    bare_number: float = 0.02
    several: float = 0.0
    han_number: float = 0.005
    han_inner: float = 0.02
    contact: float = 0.0
    remark: float = 0.0
    remarks: str = "remarks"
    typo: float = 0.02
    separated: float = 0.05


def _w(text: str) -> Weighted[str]:
    """Read weights written as ``pcd:25 cd:20 -:5``; a dash stands for nothing."""
    pairs = (item.split(":") for item in text.split())
    return Weighted((name.strip("-"), float(weight)) for name, weight in pairs)


STYLES: Mapping[str, Style] = {
    "map": Style(
        headings=_w("pcdt:8 pcd:24 cdt:7 cd:20 dt:6 d:12 c:8 t:4 -:11"),
        anchors=_w("RN:30 NR:18 R:16 N:14 X:7 XN:8 NX:7"),
        tenant_first=0.35,
        landmark=0.06,
        typo=0.01,
    ),
    "poi": Style(
        headings=_w("pcd:12 cd:16 d:22 -:40 pcdt:4 dt:6"),
        anchors=_w("NR:62 NX:30 N:8"),
        tenant_first=1.0,
        landmark=0.05,
        alias=0.1,
        branch=0.9,
        tenant=1.0,
        typo=0.005,
    ),
    "shop": Style(
        headings=_w("pcd:78 pcdt:14 cd:3 d:4 cdt:1"),
        anchors=_w("RN:34 N:50 R:15 NR:1"),
        numbered=0.4,
        full=0.35,
        town=0.35,
        village=0.12,
        zone=0.3,
        alias=0.2,
        tenant=0.6,
        landmark=0.08,
        dashed=0.72,
        shallow=0.08,
        bare_room=0.5,
        bare_anchor=0.02,
        bare_number=0.06,
        han_number=0.02,
        han_inner=0.08,
        contact=0.06,
        remark=0.04,
        typo=0.05,
        separated=0.12,
    ),
    "company": Style(
        headings=_w("pcd:42 pcdt:24 cd:16 cdt:8 c:4 pd:3 d:3"),
        anchors=_w("RN:48 R:42 N:10"),
        full=0.98,
        town=0.2,
        village=0.2,
        zone=0.6,
        alias=0.05,
        tenant=0.25,
        dashed=0.08,
        bare_room=0.15,
        several=0.05,
        remark=0.05,
        remarks="company_remarks",
        typo=0.01,
        separated=0.01,
    ),
    "jobs": Style(
        headings=_w("pcd:28 cd:20 d:14 c:13 -:17 pcdt:4 cdt:3 dt:1"),
        anchors=_w("RN:58 R:18 N:19 X:2 XN:3"),
        numbered=0.88,
        bare_anchor=0.16,
        full=0.88,
        town=0.05,
        village=0.02,
        zone=0.75,
        tenant=0.08,
        tenant_first=0.1,
        landmark=0.04,
        dashed=0.12,
        bare_room=0.42,
        several=0.03,
        han_inner=0.03,
        contact=0.01,
        typo=0.02,
        separated=0.08,
    ),
    "courier": Style(
        headings=_w("pcdt:46 pcd:20 cdt:10 cd:8 dt:8 d:4 t:4"),
        anchors=_w("RN:34 N:36 R:24 NR:4 XN:2"),
        doubled=0.05,
        full=0.8,
        town=0.4,
        village=0.5,
        alias=0.25,
        landmark=0.1,
        dashed=0.4,
        bare_room=0.45,
        bare_number=0.05,
        han_inner=0.05,
        contact=0.12,
        remark=0.05,
        typo=0.05,
        separated=0.1,
    ),
    "query": Style(
        headings=_w("-:40 c:18 d:14 cd:10 t:5 dt:4 pcd:9"),
        anchors=_w("N:46 R:22 RN:17 NR:8 X:4 XN:3"),
        full=0.6,
        town=0.03,
        village=0.05,
        zone=0.15,
        alias=0.35,
        short_tenant=0.45,
        branch=0.5,
        tenant=0.95,
        tenant_first=0.6,
        landmark=0.04,
        dashed=0.3,
        shallow=0.2,
        bare_number=0.06,
        typo=0.05,
        separated=0.1,
    ),
}
