"""How fast does a checkpoint run, beside naive use and other encoders, and does it stay right?

    python benchmarks/engine_speed.py --data FOLDER [--only naive,peers,...]
        [--precisions int8,fp32] [--checkpoint DIR] [--peers-python PYTHON]
        [--out engine_speed.json]

A BERT-base with random weights (or the converted checkpoint DIR) on registered addresses. Both
sides of a ratio take turns in one run, with the same number of threads; medians of the turns.
PYTHON is an interpreter with sentence-transformers and infinity-emb; without it they are left out.
The first precision stands for all where a part takes one only.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from parse_speed import addresses
from report import Row, arguments, emit

from menpai.address.anonymous import anonymous
from menpai.batching.plan import Limits, padding_waste, plan
from menpai.bench import random_bert
from menpai.bench.encoders import compare
from menpai.bench.naive import Naive
from menpai.cache.keys import digest
from menpai.cache.memory import BOOKKEEPING_BYTES
from menpai.engine import engine as engines
from menpai.engine.engine import MAX_ROWS, MAX_TOKENS, WINDOW, Engine, load
from menpai.errors import InputError
from menpai.events import Events, Timings
from menpai.machine import n_cpus, rss_bytes
from menpai.model.batches import pad
from menpai.model.manifest import Manifest
from menpai.model.open import choose_runtime
from menpai.model.tokenizer import FILE, Tokenizer

QUESTION = "How fast does a checkpoint run, beside naive use and other encoders, and stay right?"
TURNS = 3
PEERS = ("sentence-transformers", "infinity")
FORWARD_ROWS = 64
COLUMNS = ("part", "what", "figure", "p99", "baseline", "ratio", "conditions")


def naive(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Pairs a second against the published way of use."""
    pairs = list(zip(texts[0 : 2 * args.pairs : 2], texts[1 : 2 * args.pairs : 2], strict=True))
    for precision in args.precisions:
        for padding in (64, 512):
            found = compare(folder, pairs, baseline="naive", padding=padding, precision=precision)
            yield {
                "what": f"pairs/s by vectors, naive padded to {padding}",
                "figure": found["pairs_per_s"],
                "baseline": found["baseline_pairs_per_s"],
                "ratio": found["ratio"],
                "conditions": f"{precision}, {found['runtime']}, {found['n_threads']} threads, "
                f"{len(pairs)} pairs; naive {found['baseline_n_pairs']}, fp32",
            }


def peers(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Addresses a second against other encoders in their own processes."""
    if args.peers_python is None:
        yield {"what": "addresses/s, other encoders", "conditions": "no --peers-python"}
        return
    with tempfile.TemporaryDirectory() as aside:
        words = random_bert.vocabulary(random_bert.BERT_BASE.vocab_size)
        (Path(aside) / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        for name in PEERS:
            yield from _peer(name, Path(aside), folder, texts[: TURNS * args.peer_texts], args)


def _peer(
    name: str, aside: Path, folder: Path, sample: list[str], args: argparse.Namespace
) -> Iterator[Row]:
    script = Path(__file__).with_name("peer_encoders.py").resolve()
    command = [args.peers_python, str(script), name, str(aside), str(n_cpus())]
    with (
        (aside / f"{name}.log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=aside
        ) as peer,
    ):
        if peer.stdin is None or peer.stdout is None or not _is_ready(peer.stdout):
            peer.kill()  # threads of a library may outlive its failure
            peer.wait()
            log.seek(0)
            last = (log.read().strip().splitlines() or ["no message"])[-1]
            why = "not installed" if "ModuleNotFoundError" in last else f"failed: {last[:200]}"
            yield {"what": f"addresses/s, {name}", "conditions": why}
            return
        for precision in args.precisions:
            engine = load(folder, precision=precision, cache_bytes=0, warm_up=True)
            own, other = [], []
            for turn in range(TURNS):
                part = sample[turn::TURNS]
                own.append(len(part) / _seconds(lambda e=engine, part=part: e.encode(part)))
                peer.stdin.write(json.dumps(part) + "\n")
                peer.stdin.flush()
                other.append(len(part) / float(peer.stdout.readline()))
            yield {
                "what": f"addresses/s, {name}",
                "figure": median(own),
                "baseline": median(other),
                "ratio": median(own) / median(other),
                "conditions": f"{_runs(engine)}, {TURNS} turns of {len(part)}; peer fp32, batch 32",
            }
            engine.close()
        peer.stdin.close()


def _is_ready(lines: Iterator[str]) -> bool:
    return any(line.strip() == "ready" for line in lines)


def repeated(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """New addresses, each against its 10 candidates of the standard ones."""
    standard = texts[: args.standard]
    new = texts[args.standard : args.standard + args.new]
    rng = random.Random(0)  # noqa: S311 - a benchmark needs no secrets
    candidates = [rng.sample(range(len(standard)), 10) for _ in new]
    sample = [(new[i], standard[candidates[i][0]]) for i in range(min(len(new), args.pairs // 10))]
    slow = Naive(folder, padding=64, n_threads=n_cpus())
    slow.similarity(*sample[0])  # what only the first call does is no part of a rate
    naive_s = _seconds(lambda: [slow.similarity(*pair) for pair in sample]) / len(sample)
    slow.close()
    engine = load(folder, precision=args.precisions[0], warm_up=True)
    started = time.perf_counter()
    engine.encode(standard)
    for start in range(0, len(new), 1000):
        vectors = engine.encode(new[start : start + 1000]).vectors
        again = engine.encode(standard).vectors
        for row, chosen in zip(vectors, candidates[start : start + 1000], strict=False):
            again[chosen] @ row
    elapsed_s = time.perf_counter() - started
    n_pairs = 10 * len(new)
    yield {
        "what": f"pairs/s, {len(standard):,} standard, {len(new):,} new, {n_pairs:,} cosines",
        "figure": n_pairs / elapsed_s,
        "baseline": 1.0 / naive_s,
        "ratio": naive_s * n_pairs / elapsed_s,
        "conditions": f"{_runs(engine)}, cache; naive padded to 64, fp32, "
        f"extrapolated from {len(sample)} pairs, not in turns",
    }
    engine.close()


def cache(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """A vector that is cached, from its key and from its text."""
    engine = load(folder, precision=args.precisions[0], warm_up=True)
    kept = engine.cache
    if kept is None:
        return
    sample = texts[: args.standard]
    engine.encode(sample)
    keys = [digest(f"key {i}".encode(), engine.fingerprint.encode()) for i in range(len(sample))]
    kept.put_many(keys, np.ones((len(keys), engine.dim), np.float32))
    yield from _looked_up("from its key", kept.get, keys, engine)
    yield from _looked_up("from its text", lambda text: engine.encode([text]), sample, engine)
    engine.close()


def _looked_up(
    what: str, call: Callable[[Any], object], items: Sequence[Any], engine: Engine
) -> Iterator[Row]:
    times = [_seconds(lambda item=item: call(item)) * 1e6 for item in [*items] * 5][len(items) :]
    yield {
        "what": f"a cached vector {what}, µs",
        "figure": median(times),
        "p99": _p99(times),
        "conditions": f"{len(times):,} calls one by one, dim {engine.dim}",
    }


def invariance(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Texts alone against random batches, and every precision against fp32."""
    sample = texts[: args.sample]
    rng = random.Random(2)  # noqa: S311 - a benchmark needs no secrets
    full, _ = _vectors(folder, "fp32", sample, [sample])
    for precision in args.precisions:
        shuffled = rng.sample(sample, len(sample))
        requests = list(_cut(rng, shuffled))
        alone = [[text] for text in sample[: args.alone]]
        together, runs = _vectors(folder, precision, sample, requests)
        single, _ = _vectors(folder, precision, sample[: args.alone], alone)
        yield {
            "what": "alone against in random batches, least cosine",
            "figure": float(_cosines(single, together[: len(single)]).min()),
            "conditions": f"{runs}, {len(single):,} addresses, requests of 1 to 300",
        }
        if precision != "fp32":
            yield {
                "what": "against fp32, greatest 1 - cosine",
                "figure": float(1.0 - _cosines(together, full).min()),
                "conditions": f"{runs}, {len(sample):,} addresses",
            }


def _cut(rng: random.Random, texts: list[str]) -> Iterator[list[str]]:
    start = 0
    while start < len(texts):
        size = rng.randint(1, 300)
        yield texts[start : start + size]
        start += size


def _cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", left, right, dtype=np.float64)


def _vectors(
    folder: Path, precision: str, texts: list[str], requests: Sequence[list[str]]
) -> tuple[np.ndarray, str]:
    """Vectors in the order of texts, computed in these requests, and how they were."""
    engine = load(folder, precision=precision, cache_bytes=0)
    found: dict[str, np.ndarray] = {}
    for request in requests:
        encoded = engine.encode(request)
        if encoded.errors:  # its zeros would pass for a vector
            raise next(iter(encoded.errors.values()))
        found |= zip(request, encoded.vectors, strict=True)
    engine.close()
    return np.array([found[text] for text in texts]), _runs(engine)


def waste(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Padding of the plan; nothing is run."""
    manifest = Manifest.read(folder)
    tokenizer = Tokenizer.load(folder / FILE, manifest.max_length)
    lengths = [len(tokens.ids) for tokens in tokenizer.texts(texts[: args.waste])]
    limits = Limits(MAX_TOKENS, MAX_ROWS, manifest.max_length, WINDOW)
    yield {
        "what": "padded tokens for one real, less one",
        "figure": padding_waste(plan(lengths, limits), lengths),
        "conditions": f"{len(lengths):,} addresses in one request, mean {np.mean(lengths):.1f} "
        f"tokens, {MAX_TOKENS:,} a batch",
    }


def overhead(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """The engine over the bare runtime; an observer over none, in the same engine."""
    engine = load(folder, precision=args.precisions[0], cache_bytes=0, n_streams=1)
    opened = engine._opened  # noqa: SLF001 - what the engine stands on is what is compared
    tokens = opened.tokenizer.texts(texts)
    counts = [len(item.ids) for item in tokens]
    even = [n for n in set(counts) if n % 2 == 0 and n <= 32]  # these lengths are not padded
    length = max(even, key=counts.count)
    places = [i for i, n in enumerate(counts) if n == length][:FORWARD_ROWS]
    same = [texts[i] for i in places]
    padded = pad([tokens[i] for i in places], length, opened.tokenizer.pad_id, has_segments=False)
    own = Timings()
    events: Events = engine._events  # noqa: SLF001 - two engines differ by more than an observer
    full, single = same, same[:1]
    for what, of, against, texts_in, rounds in (
        (
            "encode over the bare runtime",
            lambda: _told(events, (), engine, full),
            lambda: opened.runtime.run(padded),
            full,
            args.rounds,
        ),
        (
            "one observer over none",
            lambda: _told(events, (own,), engine, single),
            lambda: _told(events, (), engine, single),
            single,
            10 * args.rounds,
        ),
    ):
        left, right = _in_turns(of, against, rounds)
        yield {
            "what": f"{what}, ms; ratio less one",
            "figure": median(left) * 1e3,
            "p99": _p99(left) * 1e3,
            "baseline": median(right) * 1e3,
            "ratio": median(left) / median(right) - 1.0,
            "conditions": f"{_runs(engine)}, {len(texts_in)} texts of {length} tokens, "
            f"medians of {rounds} turns",
        }
    engine.close()


def _in_turns(
    one: Callable[[], object], other: Callable[[], object], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of either side; which comes first changes, and three turns go before."""
    found: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 3):
        for side in (0, 1) if turn % 2 else (1, 0):
            found[side].append(_seconds((one, other)[side]))
    return found[0][3:], found[1][3:]


def _told(events: Events, observers: tuple[Timings, ...], engine: Engine, texts: list[str]) -> None:
    events._observers = observers  # noqa: SLF001 - see overhead
    engine.encode(texts)


def ready(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Seconds until a new process is ready, first and later; first calls against steady ones."""
    del texts
    code = (
        "import sys\nfrom menpai.engine.engine import load\n"
        "load(sys.argv[1], precision=sys.argv[2], compiled=sys.argv[3], warm_up=True)\n"
        "print('ready', flush=True)"
    )
    for precision in args.precisions:
        with tempfile.TemporaryDirectory() as compiled:
            command = [sys.executable, "-c", code, str(folder), precision, compiled]
            took = [_until_ready(command) for _ in range(1 + TURNS)]
        yield {
            "what": "s to loaded and warm, again; baseline: nothing compiled yet",
            "figure": median(took[1:]),
            "baseline": took[0],
            "ratio": median(took[1:]) / took[0],
            "conditions": f"{precision}, from the start of the process, median of {TURNS}",
        }
    yield from _first_calls(folder, args)


def _until_ready(command: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        if process.stdout is None or not _is_ready(process.stdout):
            raise RuntimeError("the process did not get ready; its message is above")
        return time.perf_counter() - started


def _first_calls(folder: Path, args: argparse.Namespace) -> Iterator[Row]:
    engine = load(folder, precision=args.precisions[0], cache_bytes=0, warm_up=True)
    warm_text, lengths = engines._WARM_TEXT, engines._WARM_LENGTHS  # noqa: SLF001 - what is warmed
    for n in lengths:
        text = (warm_text * 2)[:n]
        first = _seconds(lambda text=text: engine.encode([text])) * 1e3
        later = [_seconds(lambda t=text: engine.encode([t])) * 1e3 for _ in range(args.calls)]
        yield {
            "what": f"first call of {n} characters, ms; baseline: p99 of later ones",
            "figure": first,
            "baseline": _p99(later),
            "ratio": first / _p99(later),
            "conditions": f"{_runs(engine)}, {args.calls} later calls",
        }
    engine.close()


def soak(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Memory over many addresses of random lengths in random requests."""
    rng = random.Random(1)  # noqa: S311 - a benchmark needs no secrets
    with tempfile.TemporaryDirectory() as aside:
        whole = args.checkpoint is not None and args.soak_layers == 0
        if not whole:
            small = replace(random_bert.BERT_BASE, n_layers=args.soak_layers or 12)
            random_bert.write(Path(aside), small)
        # The cache is full before the slope begins: its filling is no leak.
        room = max(1, args.soak // 8) * (4 * random_bert.BERT_BASE.width + BOOKKEEPING_BYTES)
        engine = load(
            folder if whole else aside,
            precision=args.precisions[0],
            cache_bytes=room,
            warm_up=True,
        )
        samples: list[tuple[int, int]] = []
        done = failed = 0
        while done < args.soak:
            request = [_of_any_length(rng, rng.choice(texts)) for _ in range(rng.randint(1, 300))]
            failed += len(engine.encode(request).errors)
            done += len(request)
            samples.append((done, rss_bytes() or 0))
        runs, entries = _runs(engine), engine.cache.stats().n_evicted if engine.cache else 0
        engine.close()
    late = [(n / 10_000, rss / 2**20) for n, rss in samples if n > args.soak / 3]
    conditions = (
        f"{runs}, {'the checkpoint' if whole else f'random, {args.soak_layers or 12} layers'}, "
        f"{done:,} addresses in {len(samples):,} requests, {failed} failed, "
        f"cache {room / 2**20:.0f} MiB, {entries:,} evicted"
    )
    slope = float(np.polyfit(*zip(*late, strict=True), 1)[0])
    yield {
        "what": "memory, MB for 10,000 addresses, least squares after the first third",
        "figure": slope,
        "conditions": conditions,
    }
    yield {
        "what": "memory, peak of the samples, MB; baseline: after the first request",
        "figure": max(rss for _, rss in samples) / 2**20,
        "baseline": samples[0][1] / 2**20,
        "ratio": max(rss for _, rss in samples) / samples[0][1],
        "conditions": conditions,
    }


def _of_any_length(rng: random.Random, text: str) -> str:
    return text * 2 if rng.random() < 0.2 else text[: rng.randint(4, max(4, len(text)))]


def _runs(engine: Engine) -> str:
    info = engine.info()
    return f"{info['precision']}, {info['runtime']}, {info['n_threads']} threads"


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _read(texts: Sequence[str]) -> list[str]:
    """Distinct texts as an encoder reads them: without names and phones, none of them blank."""
    found: dict[str, None] = {}
    for text in texts:
        with suppress(InputError):
            found[anonymous(text)] = None
    found.pop("", None)
    return list(found)


def _precisions(folder: Path) -> list[str]:
    """Those that this processor computes by itself and the folder has, and fp32."""
    module = import_module(f"menpai.model.runtimes.{choose_runtime('auto')}")
    has = Manifest.read(folder).precisions
    return [*dict.fromkeys([*(p for p in module.fast_precisions() if p in has), "fp32"])]


PARTS = {
    "naive": naive,
    "peers": peers,
    "repeated": repeated,
    "cache": cache,
    "invariance": invariance,
    "waste": waste,
    "overhead": overhead,
    "ready": ready,
    "soak": soak,
}


def main() -> None:
    """Measure what was asked for."""
    parser = arguments(QUESTION)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--precisions", help="by default what the processor has, fastest first")
    parser.add_argument("--checkpoint", type=Path, help="a converted checkpoint")
    parser.add_argument("--peers-python", help="interpreter that has the other encoders")
    parser.add_argument("--rows", type=int, default=40_000, help="addresses to read")
    parser.add_argument("--pairs", type=int, default=450, help="pairs against naive use")
    parser.add_argument("--peer-texts", type=int, default=400, help="addresses of a peer's turn")
    parser.add_argument("--standard", type=int, default=500, help="addresses that come again")
    parser.add_argument("--new", type=int, default=5000, help="addresses held against them")
    parser.add_argument("--alone", type=int, default=1000, help="addresses that run alone")
    parser.add_argument("--sample", type=int, default=1000, help="addresses held against fp32")
    parser.add_argument("--waste", type=int, default=20_000, help="addresses to plan")
    parser.add_argument("--rounds", type=int, default=60, help="turns for the overheads")
    parser.add_argument("--calls", type=int, default=200, help="later calls of a shape")
    parser.add_argument("--soak", type=int, default=100_000, help="addresses of the soak")
    parser.add_argument("--soak-layers", type=int, default=2, help="0 for the checkpoint itself")
    args = parser.parse_args()
    args.sample = max(args.sample, args.alone)
    chosen = args.only.split(",")
    if not set(chosen) <= set(PARTS):
        parser.error(f"--only takes {', '.join(PARTS)}")
    texts = _read(addresses(args.data, args.rows))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as aside:
        folder = args.checkpoint or Path(aside)
        if args.checkpoint is None:
            random_bert.write(folder)
        args.precisions = args.precisions.split(",") if args.precisions else _precisions(folder)
        for name in chosen:
            for row in PARTS[name](folder, texts, args):
                found = {"part": name, **row}
                rows.append({column: found.get(column) for column in COLUMNS})
                print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    emit(QUESTION, rows, args.out)


if __name__ == "__main__":
    main()
