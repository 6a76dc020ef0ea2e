"""How fast does a checkpoint run, beside naive use and other encoders, and does it stay right?

    python benchmarks/engine_speed.py --data FOLDER [--only naive,peers,...]
        [--precisions int8,fp32] [--checkpoint DIR] [--peers-python PYTHON]
        [--out engine_speed.json]

A BERT-base with random weights (or the converted checkpoint DIR) on registered addresses. Both
sides of a ratio take turns in one run, with the same number of threads; medians of three turns.
PYTHON is an interpreter with sentence-transformers and infinity-emb; without it they are left out.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from parse_speed import addresses
from report import Row, arguments, emit

from menpai.batching.plan import Limits, padding_waste, plan
from menpai.bench import random_bert
from menpai.bench.naive import Naive
from menpai.bench.run import compare
from menpai.cache.keys import digest
from menpai.engine.engine import COMPILED, MAX_ROWS, MAX_TOKENS, WINDOW, Engine, load
from menpai.events import Timings
from menpai.machine import n_cpus, rss_bytes
from menpai.model.batches import pad

QUESTION = "How fast does a checkpoint run, beside naive use and other encoders, and stay right?"
TURNS = 3
PEERS = ("sentence-transformers", "infinity")


def naive(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Pairs a second against the published way of use."""
    pairs = list(zip(texts[0:900:2], texts[1:900:2], strict=True))
    for precision in args.precisions:
        for padding in (64, 512):
            found = compare(folder, pairs, baseline="naive", padding=padding, precision=precision)
            yield {
                "what": f"pairs by vectors, naive padded to {padding}",
                "precision": precision,
                "menpai_per_s": found["pairs_per_s"],
                "other_per_s": found["baseline_pairs_per_s"],
                "ratio": found["ratio"],
            }


def peers(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Addresses a second against other encoders in their own processes."""
    if args.peers_python is None:
        return
    sample = texts[:1200]
    with tempfile.TemporaryDirectory() as aside:
        words = random_bert.vocabulary(random_bert.BERT_BASE.vocab_size)
        (Path(aside) / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        for name in PEERS:
            yield from _peer(name, Path(aside), folder, sample, args)


def _peer(
    name: str, aside: Path, folder: Path, sample: list[str], args: argparse.Namespace
) -> Iterator[Row]:
    script = Path(__file__).with_name("peer_encoders.py")
    command = [args.peers_python, str(script), name, str(aside), str(n_cpus())]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as peer:
        if peer.stdin is None or peer.stdout is None or not _is_ready(peer.stdout):
            yield {"what": f"addresses, {name}", "precision": "not installed there"}
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
            engine.close()
            yield {
                "what": f"addresses, {name}",
                "precision": precision,
                "menpai_per_s": median(own),
                "other_per_s": median(other),
                "ratio": median(own) / median(other),
            }
        peer.stdin.close()


def _is_ready(lines: Iterator[str]) -> bool:
    return any(line.strip() == "ready" for line in lines)


def repeated(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """500 standard and 5,000 new addresses, each new one against its 10 candidates."""
    standard, new = texts[:500], texts[500:5500]
    rng = random.Random(0)  # noqa: S311 - a benchmark needs no secrets
    candidates = [rng.sample(range(len(standard)), 10) for _ in new]
    slow = Naive(folder, padding=64, n_threads=n_cpus())
    sample = [(new[i], standard[candidates[i][0]]) for i in range(40)]
    naive_s = _seconds(lambda: [slow.similarity(*pair) for pair in sample]) / len(sample)
    slow.close()
    engine = load(folder, precision=args.precisions[0], warm_up=True)
    started = time.perf_counter()
    engine.encode(standard)
    for start in range(0, len(new), 1000):
        vectors = engine.encode(new[start : start + 1000]).vectors
        again = engine.encode(standard).vectors
        for row, chosen in zip(vectors, candidates[start : start + 1000], strict=True):
            again[chosen] @ row
    elapsed_s = time.perf_counter() - started
    n_pairs = 10 * len(new)
    yield {
        "what": "50,000 pairs of repeated addresses (naive reckoned from 40 pairs)",
        "precision": args.precisions[0],
        "menpai_per_s": n_pairs / elapsed_s,
        "other_per_s": 1.0 / naive_s,
        "ratio": naive_s * n_pairs / elapsed_s,
    }
    yield from _cached(engine, standard)
    engine.close()


def _cached(engine: Engine, texts: Sequence[str]) -> Iterator[Row]:
    if engine.cache is None:
        return
    key = digest(b"key", engine.fingerprint.encode())
    engine.cache.put_many([key], np.ones((1, engine.dim), np.float32))
    for what, call in (
        ("a cached vector from its key, µs", lambda _: engine.cache and engine.cache.get(key)),
        ("a cached vector from its text, µs", lambda text: engine.encode([text])),
    ):
        times = sorted(_seconds(lambda t=t, c=call: c(t)) * 1e6 for t in list(texts) * 4)
        yield {"what": what, "median": median(times), "p99": times[int(0.99 * len(times))]}


def invariance(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Texts alone against random batches, and every precision against fp32."""
    sample = texts[: args.sample]
    full = _vectors(folder, "fp32", sample)
    for precision in dict.fromkeys([*args.precisions, "fp32"]):
        engine = load(folder, precision=precision, cache_bytes=0)
        together = engine.encode(sample).vectors
        alone = np.concatenate([engine.encode([text]).vectors for text in sample[:1000]])
        engine.close()
        yield {
            "what": "alone against in a batch, least cosine",
            "precision": precision,
            "figure": float((alone * together[: len(alone)]).sum(axis=1).min()),
        }
        yield {
            "what": f"against fp32, greatest cosine difference of {len(sample):,}",
            "precision": precision,
            "figure": float(1.0 - (together * full).sum(axis=1).min()),
        }


def _vectors(folder: Path, precision: str, texts: list[str]) -> np.ndarray:
    engine = load(folder, precision=precision, cache_bytes=0)
    found = engine.encode(texts).vectors
    engine.close()
    return found


def overhead(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Padding of the plan; the engine over the bare runtime; observers over none."""
    timings = Timings()
    plain = load(folder, precision=args.precisions[0], cache_bytes=0, warm_up=True, n_streams=1)
    observed = load(
        folder, precision=args.precisions[0], cache_bytes=0, n_streams=1, observers=[timings]
    )
    opened = plain._opened  # noqa: SLF001 - what the engine stands on is what is compared
    lengths = [len(t.ids) for t in opened.tokenizer.texts(texts[:20_000])]
    limits = Limits(MAX_TOKENS, MAX_ROWS, opened.manifest.max_length, WINDOW)
    yield {
        "what": "padding of 20,000 addresses, padded tokens for one real, less one",
        "figure": padding_waste(plan(lengths, limits), lengths),
    }
    same = [t for t, n in zip(texts, lengths, strict=False) if n == 22][:64]
    tokens = opened.tokenizer.texts(same)
    batch = pad(tokens, 22, opened.tokenizer.pad_id, has_segments=False)
    turns: dict[str, list[float]] = {"bare": [], "engine": [], "observed": []}
    for _ in range(args.rounds):
        turns["bare"].append(_seconds(lambda: opened.runtime.run(batch)))
        turns["engine"].append(_seconds(lambda: plain.encode(same)))
        turns["observed"].append(_seconds(lambda: observed.encode(same)))
    bare, engine, told = (median(turns[name]) for name in ("bare", "engine", "observed"))
    yield {"what": "engine over the bare runtime, batches of 64", "figure": engine / bare - 1}
    yield {"what": "one observer over none, batches of 64", "figure": told / engine - 1}


def ready(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Seconds until a new process is ready, first and later; first calls against steady ones."""
    del texts
    code = (
        "import sys, time\nstarted = time.perf_counter()\n"
        "from menpai.engine.engine import load\n"
        "load(sys.argv[1], precision=sys.argv[2], compiled=sys.argv[3], warm_up=True)\n"
        "print(time.perf_counter() - started)"
    )
    for precision in args.precisions:
        with tempfile.TemporaryDirectory() as compiled:
            for start in ("first", "later", "later"):
                command = [sys.executable, "-c", code, str(folder), precision, compiled]
                done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
                yield {
                    "what": f"ready, {start} start, s",
                    "precision": precision,
                    "figure": float(done.stdout),
                }
    yield from _first_calls(folder, args.precisions[0])


def _first_calls(folder: Path, precision: str) -> Iterator[Row]:
    engine = load(folder, precision=precision, cache_bytes=0, warm_up=True)
    text = "浙江省杭州市滨江区望澜路88号3栋1单元502室"
    for n in (10, 16, 22, 27):
        times = [_seconds(lambda n=n: engine.encode([text[:n]])) for _ in range(60)]
        steady = sorted(times[1:])[int(0.99 * 59)]
        yield {
            "what": f"first call of {n} characters against the p99 of later ones",
            "precision": precision,
            "ratio": times[0] / steady,
        }
    engine.close()


def soak(folder: Path, texts: list[str], args: argparse.Namespace) -> Iterator[Row]:
    """Memory over many addresses of random lengths in random requests."""
    del folder
    rng = random.Random(1)  # noqa: S311 - a benchmark needs no secrets
    with tempfile.TemporaryDirectory() as aside:
        small = random_bert.EncoderConfig(
            **{**random_bert.BERT_BASE.to_dict(), "n_layers": args.soak_layers, "channels": ()}
        )
        random_bert.write(Path(aside), small)
        engine = load(aside, precision=args.precisions[0], warm_up=True)
        samples: list[tuple[int, int]] = []
        done = 0
        while done < args.soak:
            request = [_of_any_length(rng, rng.choice(texts)) for _ in range(rng.randint(1, 300))]
            engine.encode(request)
            done += len(request)
            samples.append((done, rss_bytes() or 0))
        engine.close()
    late = [(n / 10_000, rss / 2**20) for n, rss in samples if n > args.soak / 3]
    slope = float(np.polyfit(*zip(*late, strict=True), 1)[0])
    yield {
        "what": f"memory over {done:,} addresses, {args.soak_layers} layers: MB for 10,000",
        "precision": args.precisions[0],
        "figure": slope,
        "peak_rss_mb": max(rss for _, rss in samples) / 2**20,
    }


def _of_any_length(rng: random.Random, text: str) -> str:
    return (text * 3)[: rng.randint(4, 3 * len(text))]


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


PARTS = {
    "naive": naive,
    "peers": peers,
    "repeated": repeated,
    "invariance": invariance,
    "overhead": overhead,
    "ready": ready,
    "soak": soak,
}


def main() -> None:
    """Measure what was asked for."""
    parser = arguments(QUESTION)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--precisions", default="int8,fp32", help="precisions, the fastest first")
    parser.add_argument("--checkpoint", type=Path, help="a converted checkpoint")
    parser.add_argument("--peers-python", help="interpreter that has the other encoders")
    parser.add_argument("--sample", type=int, default=10_000, help="addresses held against fp32")
    parser.add_argument("--rounds", type=int, default=30, help="turns for the overheads")
    parser.add_argument("--soak", type=int, default=100_000, help="addresses of the soak")
    parser.add_argument("--soak-layers", type=int, default=2, help="layers of its encoder")
    args = parser.parse_args()
    args.precisions = args.precisions.split(",")
    texts = list(dict.fromkeys(addresses(args.data, 40_000)))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as aside:
        folder = args.checkpoint or Path(aside)
        if args.checkpoint is None:
            random_bert.write(folder)
        for name in args.only.split(","):
            for row in PARTS[name](folder, texts, args):
                rows.append({"part": name, **row})
                print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    emit(QUESTION, rows, args.out, compiled=COMPILED)


if __name__ == "__main__":
    main()
