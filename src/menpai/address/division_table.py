"""The packaged division table: what a row is, how it is written, how it is read.

Two text files make up the table. ``divisions.tsv`` has a line for each current division from
province to district, ``readings.tsv`` one for each written name with its meanings. Towns and
villages are read by `menpai.address.towns` and `menpai.address.villages`.
"""

from typing import Final, NamedTuple

from menpai.errors import DataError

HEADER: Final = "menpai divisions 1"
LEVELS: Final = {"p": "province", "c": "city", "d": "district"}
KINDS: Final = {
    "o": "official",
    "s": "short",
    "a": "alias",
    "l": "letter",
    "f": "former",
    "m": "split",
}


class Division(NamedTuple):
    """A current division.

    Attributes:
        code: 6 digits for province, city and district, 9 for a town.
        name: Official full name.
        level: ``province``, ``city``, ``district`` or ``town``.
        province: Official name of the province it lies in, or is.
        city: Official name of the city; None where there is no such level.
        district: Official name of the district; None where there is no such level.
        parent: Code of the next level above that exists; None for a province.
        official: False if the code is our own because no official one exists (below Taiwan,
            where 710000 is the code to report).
    """

    code: str
    name: str
    level: str
    province: str
    city: str | None
    district: str | None
    parent: str | None
    official: bool = True


class Reading(NamedTuple):
    """One meaning of a written name.

    Attributes:
        code: Code of the division meant; of a former name, of what it became.
        level: Level of that division.
        kind: ``official``, ``short`` (朝阳), ``alias`` (内蒙), ``letter`` (京), ``former`` or
            ``split`` (a former name, or a name of a once larger division, with several successors).
        year: Last year in which a former name was official, 0 for a current one.
        successors: All successors of a split name, the main one first.
        written_parent: Code of the current division that a former name was written under.
        main: Whether all of a split division but a few towns went to `code`.
    """

    code: str
    level: str
    kind: str
    year: int
    successors: tuple[str, ...]
    written_parent: str | None
    main: bool = False


def body(text: str, name: str) -> str:
    """Strip the header line of a packaged text.

    Raises:
        DataError: If the text does not start with it.
    """
    header, _, rest = text.partition("\n")
    if not header.startswith(HEADER):
        raise DataError(f"the packaged file {name} is broken: it has no header; reinstall menpai")
    return rest


def parse_divisions(text: str) -> dict[str, Division]:
    """Read the rows of ``divisions.tsv``; each stands after the one it lies in."""
    table: dict[str, Division] = {}
    for line in text.splitlines():
        code, name, letter, parent, mark = line.split("\t")
        level = LEVELS[letter]
        above = table[parent] if parent else None
        table[code] = Division(
            code,
            name,
            level,
            above.province if above else name,
            name if level == "city" else above.city if above else None,
            name if level == "district" else None,
            parent or None,
            not mark,
        )
    return table


def parse_readings(packed: str, divisions: dict[str, Division]) -> tuple[Reading, ...]:
    """Read the meanings of one name, such as ``o110105;s211300``."""
    return tuple(_reading(entry, divisions) for entry in packed.split(";"))


def _reading(entry: str, divisions: dict[str, Division]) -> Reading:
    meaning, *more = entry.split(":")
    code = meaning[1:7]
    kind = KINDS[meaning[0]]
    if not more:
        return Reading(code, divisions[code].level, kind, 0, (), None)
    year, parent, successors = more
    main = "+" in successors
    several = tuple(successors.replace("+", ",").split(",")) if successors else ()
    level = divisions[code].level
    return Reading(code, level, kind, int(year), several, parent or None, main)


def pack_reading(reading: Reading) -> str:
    """Write one meaning the way `parse_readings` reads it."""
    letter = next(letter for letter, kind in KINDS.items() if kind == reading.kind)
    if not reading.year:
        return letter + reading.code
    successors = ("+" if reading.main else ",").join(reading.successors)
    return f"{letter}{reading.code}:{reading.year}:{reading.written_parent or ''}:{successors}"
