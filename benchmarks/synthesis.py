"""How many synthetic addresses, pairs and groups are made in a second?

python benchmarks/synthesis.py [--places 50000] [--n 20000] [--out synthesis.json]
"""

import time
from collections.abc import Callable, Iterable

from report import arguments, emit, peak_rss_bytes

from menpai.synthesis import Form, Index, World, groups, near_misses, pairs, tagged

QUESTION = "How many synthetic addresses, pairs and groups are made in a second?"


def timed(make: Callable[[], Iterable[object]]) -> tuple[int, float]:
    """Count what is made, and the seconds that it takes."""
    started = time.perf_counter()
    n = sum(1 for _ in make())
    return n, time.perf_counter() - started


def whole(form: Form) -> Form:
    """Have text, tags and the perfect reading computed: they are made when they are asked for."""
    _ = form.tags, form.address, form.implied
    return form


def main() -> None:
    """Make each kind in one thread, from the start of the iteration on."""
    parser = arguments(QUESTION, needs_data=False)
    parser.add_argument("--places", type=int, default=50_000, help="places of the map")
    parser.add_argument("--n", type=int, default=20_000, help="addresses; a tenth of it of others")
    args = parser.parse_args()
    started = time.perf_counter()
    world = World(0, args.places)
    built = time.perf_counter()
    index = Index(world)
    indexed = time.perf_counter()
    tenth = args.n // 10
    made: dict[str, Callable[[], Iterable[object]]] = {
        "texts with tags": lambda: (form.tags for form in tagged(world, args.n)),
        "and what they say and imply": lambda: (whole(form) for form in tagged(world, args.n)),
        "pairs of a search": lambda: pairs(world, tenth, index=index),
        "near misses": lambda: near_misses(world, tenth),
        "groups": lambda: groups(world, tenth, index=index),
    }
    rows: list[dict[str, object]] = [
        {"what": "the map", "n": args.places, "took_s": built - started},
        {"what": "records, indexed", "n": args.places, "took_s": indexed - built},
    ]
    for what, make in made.items():
        n, took = timed(make)
        rows.append({"what": what, "n": n, "took_s": took})
    for row in rows:
        row["n_per_s"] = round(int(str(row["n"])) / float(str(row["took_s"])))
        row["took_s"] = round(float(str(row["took_s"])), 2)
    emit(QUESTION, rows, args.out, peak_rss_bytes=peak_rss_bytes())


if __name__ == "__main__":
    main()
