"""Places: what an address can mean, from a whole compound to one shop or flat in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from menpai.synthesis.sites import Site


@dataclass(frozen=True, slots=True)
class Place:
    """A site, or something in it.

    Attributes:
        index: Its place in `World.places`.
        site: The site that it is, or lies in.
        building: Number or letter of the building, without its unit: 3, A.
        unit: Number of the staircase.
        floor: Number of the floor; B1 for a basement.
        room: Number of the room or shop.
        house: Number of a house in a village, such as 12号.
        tenant: The shop or company.
        branch: Which of a chain's shops it is, in brackets: (凯旋路店).
        tenant_aliases: What the tenant is called for short.
        facility: A part of the site that has no number: 停车场.
        gate: A gate of the site: 北1门.
    """

    index: int
    site: Site
    building: str | None = None
    unit: str | None = None
    floor: str | None = None
    room: str | None = None
    house: str | None = None
    tenant: str | None = None
    branch: str | None = None
    tenant_aliases: tuple[str, ...] = ()
    facility: str | None = None
    gate: str | None = None

    @property
    def roadno(self) -> str | None:
        """The number at the road; in a lane with the house's: 299弄5号."""
        site = self.site
        if site.is_lane and self.building and site.number:
            return f"{site.number}{self.building}号"
        return site.number if site.road else None
