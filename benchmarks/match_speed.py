"""How fast does `match` find messy queries in a large library, and how often is it right?

    python benchmarks/match_speed.py --data FOLDER [--rows 100000] [--queries 10000]
        [--naive 100] [--out match_speed.json]

The library is the first distinct registered addresses; queries are rows of it, disturbed with a
fixed seed. Right means that the best record is the row that the query was made from. The baseline
is what a plain fuzzy search does: rapidfuzz's ratio against every row.
"""

import random
import re
import time
from collections.abc import Callable

from parse_speed import addresses
from rapidfuzz import fuzz, process
from report import arguments, emit, peak_rss_bytes

QUESTION = "How fast and how well does match find disturbed rows in a library?"
SEED = 7

DIVISION = re.compile(r"^[\u4e00-\u9fff]{2,8}?(?:省|自治区|市|自治州|地区)")
DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")
NUMERALS = str.maketrans("0123456789", "〇一二三四五六七八九")

Disturbance = Callable[[str, random.Random], str]


def _drop_division(text: str, _: random.Random) -> str:
    return DIVISION.sub("", text, count=1) or text


def _drop_character(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    kept = text[:place] + text[place + 1 :]
    return text if text[place].isdigit() or not kept else kept


def _blanks(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    return f"{text[:place]} {text[place:]}"


def _division_last(text: str, _: random.Random) -> str:
    division = DIVISION.match(text)
    return f"{text[division.end() :]}，{division[0]}" if division else text


def _with_contact(text: str, rng: random.Random) -> str:
    return f"{text} 收货人林小满 1380000{rng.randint(0, 9999):04d}"


DISTURBANCES: tuple[Disturbance, ...] = (
    _drop_division,
    lambda text, rng: _drop_division(_drop_division(text, rng), rng),
    _division_last,
    _with_contact,
    _drop_character,
    _blanks,
    lambda text, _: text.translate(DIGITS),
    lambda text, _: text.replace("栋", "幢") if "栋" in text else text.replace("幢", "栋"),
    lambda text, _: re.sub(r"(?<!\d)\d(?=号)", lambda m: m[0].translate(NUMERALS), text),
    lambda text, _: re.sub("[（(].*?[）)]", "", text) or text,
)


def disturb(text: str, rng: random.Random) -> str:
    """Disturb a row in one to three ways."""
    for change in rng.sample(DISTURBANCES, rng.randint(1, 3)):
        text = change(text, rng)
    return text


def ours(queries: list[str], truth: list[int], rows: list[str]) -> dict[str, object]:
    """Build the library and match all queries."""
    from menpai.matching.library import Library
    from menpai.matching.matcher import load

    matcher = load()
    matcher.parse(rows[0])
    started = _clocks()
    library = Library.build(rows)
    built = _clocks()
    matches = matcher.match(queries, library, top_k=5)
    done = _clocks()
    ranked = [[hit.text for hit in match.matches] for match in matches]
    right = [
        rows[i] == texts[0] if texts else False for i, texts in zip(truth, ranked, strict=True)
    ]
    found = [rows[i] in texts for i, texts in zip(truth, ranked, strict=True)]
    peak = peak_rss_bytes()
    return {
        "what": "menpai match",
        "n_rows": len(rows),
        "n_queries": len(queries),
        "build_s": built[0] - started[0],
        "build_cpu_s": built[1] - started[1],
        **_rates(len(queries), built, done),
        "top1_percent": round(100 * sum(right) / len(right), 2),
        "top5_percent": round(100 * sum(found) / len(found), 2),
        "peak_rss_mb": None if peak is None else round(peak / 2**20),
    }


def naive(queries: list[str], truth: list[int], rows: list[str]) -> dict[str, object]:
    """Find the row of the greatest ratio by looking at all of them."""
    started = _clocks()
    best = [process.extractOne(query, rows, scorer=fuzz.ratio) for query in queries]
    done = _clocks()
    right = sum(rows[i] == hit[0] for i, hit in zip(truth, best, strict=True))
    return {
        "what": "rapidfuzz ratio, every row",
        "n_rows": len(rows),
        "n_queries": len(queries),
        **_rates(len(queries), started, done),
        "top1_percent": round(100 * right / len(queries), 2),
    }


def _clocks() -> tuple[float, float]:
    """Wall clock and processor time of this process: on a shared machine the two differ."""
    return time.perf_counter(), time.process_time()


def _rates(n: int, start: tuple[float, float], end: tuple[float, float]) -> dict[str, float]:
    wall, cpu = end[0] - start[0], end[1] - start[1]
    return {"match_s": wall, "match_cpu_s": cpu, "queries_per_cpu_s": round(n / cpu, 1)}


def main() -> None:
    """Disturb rows and search for them."""
    parser = arguments(QUESTION)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the library")
    parser.add_argument("--queries", type=int, default=10_000, help="queries to match")
    parser.add_argument("--naive", type=int, default=100, help="queries for the baseline")
    args = parser.parse_args()
    rows = list(dict.fromkeys(addresses(args.data, 2 * args.rows)))[: args.rows]
    rng = random.Random(SEED)  # noqa: S311 - a benchmark needs no secrets
    truth = [rng.randrange(len(rows)) for _ in range(args.queries)]
    queries = [disturb(rows[i], rng) for i in truth]
    figures = [ours(queries, truth, rows)]
    if args.naive:
        figures.append(naive(queries[: args.naive], truth[: args.naive], rows))
    emit(QUESTION, figures, args.out)


if __name__ == "__main__":
    main()
