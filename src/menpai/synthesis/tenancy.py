"""What is inside a site: buildings, floors and rooms, shops and companies, gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from menpai.synthesis.draws import from_quantiles
from menpai.synthesis.places import Place
from menpai.synthesis.regions import short_town

if TYPE_CHECKING:
    from random import Random

    from menpai.synthesis.naming import Namer
    from menpai.synthesis.sites import Site
    from menpai.synthesis.vocabulary import Vocabulary

_LETTERS = "ABCDEF"
_Tenant = tuple[str, str | None, tuple[str, ...]]
"""A shop or company: its name, its branch if it is a chain's, and what it is called for short."""


class Interior:
    """Fills sites with places."""

    def __init__(self, vocabulary: Vocabulary, namer: Namer, rng: Random) -> None:
        self._vocabulary = vocabulary
        self._namer = namer
        self._rng = rng
        self._site: Site
        self._found: list[Place]
        self._first = 0

    def places(self, site: Site, first: int) -> list[Place]:
        """Give the places of a site: itself and what is in it.

        Args:
            site: The site.
            first: Index of the first of them.
        """
        self._site, self._found, self._first = site, [], first
        self._add()
        {
            "compound": self._compound,
            "tower": self._tower,
            "mall": self._mall,
            "park": self._park,
            "institution": self._institution,
            "street": self._street,
            "hamlet": self._hamlet,
            "highway": self._highway,
        }[site.kind]()
        return self._found

    def _add(self, tenant: _Tenant | None = None, **parts: str | None) -> None:
        """Add a place by its parts, named as the fields of `Place`."""
        name, branch, aliases = tenant or (None, None, ())
        place = Place(
            self._first + len(self._found),
            self._site,
            tenant=name,
            branch=branch,
            tenant_aliases=aliases,
            **parts,
        )
        self._found.append(place)

    # Kinds of sites.

    def _compound(self) -> None:
        rng = self._rng
        last = max(2, from_quantiles(rng, self._vocabulary.quantiles("building")))
        top = rng.choice((6, 6, 6, 7, 11, 18, 18, 24, 32))
        units = rng.choice((1, 2, 2, 3, 4))
        for _ in range(rng.choice((1, 2, 2, 3, 4, 5))):
            building = str(rng.randint(1, min(last, 80)))
            draw = rng.random()
            floor = rng.randint(1, top)
            room = f"{floor}0{rng.choice((1, 1, 2, 2, 3, 4))}"
            unit = str(rng.randint(1, units)) if units > 1 else None
            if draw > 0.97:
                self._add(building=building, floor=str(floor), room=rng.choice(("东户", "西户")))
            elif self._site.is_lane:
                self._add(building=building, room=room if draw < 0.75 else None)
            elif draw < 0.12:
                self._add(building=building)
            elif draw < 0.18 and unit:
                self._add(building=building, unit=unit)
            else:
                self._add(building=building, unit=unit, room=room)
        if rng.random() < 0.35:
            shop = str(rng.randint(1, 40)) if rng.random() < 0.4 else None
            self._add(room=shop, tenant=self._shop_tenant())
        if rng.random() < 0.15:
            self._add(gate=rng.choice(self._vocabulary.words["gates"]))
        if rng.random() < 0.12:
            self._add(facility=rng.choice(self._vocabulary.words["facilities"]))

    def _tower(self) -> None:
        rng = self._rng
        top = rng.randint(6, 36)
        letters = rng.choice(("", "", "AB", "ABC", "ABCD", "12", "123456"))
        for _ in range(rng.choice((2, 3, 4, 5))):
            floor = rng.randint(1, top)
            room = f"{floor}{min(1 + int(rng.expovariate(0.17)), 40):02}" + (
                rng.choice("ABC") if rng.random() < 0.08 else ""
            )
            building = rng.choice(letters) if letters else None
            tenant = self._company_tenant() if rng.random() < 0.65 else None
            draw = rng.random()
            if draw < 0.3:
                self._add(building=building, floor=str(floor), tenant=tenant)
            elif draw < 0.6:
                self._add(building=building, room=room, tenant=tenant)
            else:
                self._add(building=building, floor=str(floor), room=room, tenant=tenant)
        if rng.random() < 0.15:
            self._add(floor="1", tenant=self._shop_tenant())

    def _mall(self) -> None:
        rng = self._rng
        for _ in range(rng.choice((3, 4, 5, 6))):
            floor = rng.choice(("1", "1", "2", "2", "3", "4", "5", "B1"))
            storey = floor[-1]
            shops = (
                f"{storey}{rng.randint(1, 60):02}",
                str(rng.randint(1, 60)),
                f"{rng.choice('ABC')}{rng.randint(1, 40)}",
                f"L{storey}{rng.randint(1, 60):02}",
            )
            room = rng.choice(shops)
            draw = rng.random()
            self._add(
                floor=floor if draw < 0.75 else None,
                room=room if draw > 0.5 else None,
                tenant=self._shop_tenant(),
            )
        if rng.random() < 0.3:
            self._add(gate=rng.choice(self._vocabulary.words["gates"]))
        if rng.random() < 0.3:
            self._add(facility=rng.choice(self._vocabulary.words["facilities"]))

    def _park(self) -> None:
        rng = self._rng
        lettered = rng.random() < 0.4
        for _ in range(rng.choice((2, 3, 4))):
            building = rng.choice(_LETTERS) if lettered else str(rng.randint(1, 20))
            floor = str(rng.randint(1, 6)) if rng.random() < 0.5 else None
            room = f"{floor}{rng.randint(1, 20):02}" if floor and rng.random() < 0.5 else None
            self._add(building=building, floor=floor, room=room, tenant=self._company_tenant())

    def _institution(self) -> None:
        rng = self._rng
        for _ in range(rng.choice((0, 1, 1, 2))):
            draw = rng.random()
            if draw < 0.45:
                self._add(facility=rng.choice(self._vocabulary.words["facilities"]))
            elif draw < 0.7:
                self._add(gate=rng.choice(self._vocabulary.words["gates"]))
            else:
                floor = str(rng.randint(1, 6))
                self._add(building=str(rng.randint(1, 12)), room=f"{floor}{rng.randint(1, 30):02}")

    def _street(self) -> None:
        rng = self._rng
        for _ in range(rng.choice((1, 1, 2, 3))):
            self._add(tenant=self._shop_tenant())
        if rng.random() < 0.3:
            floor = str(rng.randint(1, 6))
            self._add(
                floor=floor, room=f"{floor}0{rng.randint(1, 6)}" if rng.random() < 0.7 else None
            )

    def _hamlet(self) -> None:
        rng = self._rng
        for _ in range(rng.choice((1, 2, 3))):
            self._add(house=f"{max(1, int(rng.lognormvariate(3.3, 1)))}号")
        if rng.random() < 0.3:
            self._add(tenant=self._shop_tenant())

    def _highway(self) -> None:
        tenant = self._company_tenant if self._rng.random() < 0.6 else self._shop_tenant
        self._add(tenant=tenant())

    # Who is there.

    def _shop_tenant(self) -> _Tenant:
        rng, site = self._rng, self._site
        if rng.random() < 0.5:
            chain = self._namer.chain()
            town = short_town(site.region.town or site.region.city_key)
            branch = self._namer.branch(chain, site.name, site.road, town)
            return chain, branch, self._namer.aliases(chain)
        name = self._namer.shop()
        return name, None, self._namer.aliases(name)

    def _company_tenant(self) -> _Tenant:
        city = (self._site.region.city_key).rstrip("市")
        city = city if len(city) < 4 else city[:2]
        name = self._namer.company(city)
        return name, None, self._namer.short_company(name, city)
