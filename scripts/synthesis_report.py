"""Compare synthetic addresses with real ones: lengths, elements, runs of characters.

    python scripts/synthesis_report.py --data FOLDER [--n 8000] [--seed 0]

FOLDER holds user_addresses.txt and company_sites.txt; each is compared with the register that its
writers are an example of. Prints a table; no text is printed unless --show asks for what differs.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from menpai.address.elements import ELEMENTS
from menpai.address.parse import parse
from menpai.synthesis.streams import tagged
from menpai.synthesis.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

REGISTERS = {"user_addresses.txt": "shop", "company_sites.txt": "jobs"}
SHARES = (0.1, 0.5, 0.9)
MIXTURE = (0.6, 0.3, 0.09, 0.01)
"""Weights of trigram, bigram, single character and none of them."""
ALPHABET = 8_000


class Model:
    """Probabilities of characters after one or two others, smoothed with fixed weights."""

    def __init__(self, texts: Sequence[str], order: int) -> None:
        self.order = order
        self.counts: list[Counter[str]] = [Counter() for _ in range(order)]
        self.totals: list[Counter[str]] = [Counter() for _ in range(order)]
        for text in texts:
            padded = "\n" * (order - 1) + text + "\n"
            for at in range(order - 1, len(padded)):
                for n in range(order):
                    context = padded[at - n : at]
                    self.counts[n][context + padded[at]] += 1
                    self.totals[n][context] += 1

    def perplexity(self, texts: Sequence[str]) -> float:
        """How many characters the model hesitates between, on average."""
        weights = MIXTURE if self.order == 3 else (*MIXTURE[1:3], MIXTURE[3])
        scale = sum(weights)
        loss, n_characters = 0.0, 0
        for text in texts:
            padded = "\n" * (self.order - 1) + text + "\n"
            for at in range(self.order - 1, len(padded)):
                p = weights[-1] / scale / ALPHABET
                for n in range(self.order):
                    context = padded[at - n : at]
                    total = self.totals[n][context]
                    if total:
                        share = self.counts[n][context + padded[at]] / total
                        p += weights[self.order - 1 - n] / scale * share
                loss -= math.log(p)
                n_characters += 1
        return math.exp(loss / n_characters)


def quantiles(values: Sequence[int]) -> str:
    """Give the tenth, the middle and the ninetieth of a hundred."""
    ordered = sorted(values)
    return "/".join(str(ordered[int(share * len(ordered))]) for share in SHARES)


def elements(texts: Sequence[str]) -> Counter[str]:
    """How many of the texts have each element, as the parser reads them."""
    return Counter(element for text in texts for element in parse(text).spans)


def shape(text: str) -> str:
    """A text with its Chinese characters, digits and letters taken for one each."""
    text = re.sub(r"[一-鿿]", "中", text)
    return re.sub(r"\d+", "0", re.sub(r"[A-Za-z]+", "A", text))


def compare(name: str, real: list[str], made: list[str]) -> None:
    """Print the figures of one file and the register that it is compared with."""
    half = len(real) // 2
    train, test = real[:half], real[half:]
    print(f"\n## {name} ({len(real)}) and register {REGISTERS[name]} ({len(made)})\n")
    print("| | real | synthetic |\n|---|---|---|")
    print(
        f"| length 10/50/90 % | {quantiles([*map(len, real)])} | {quantiles([*map(len, made)])} |"
    )
    sample = real[:: max(1, len(real) // 3000)]
    counts = elements(sample), elements(made[:3000])
    for element in ELEMENTS:
        shares = counts[0][element] / len(sample), counts[1][element] / len(made[:3000])
        print(f"| {element} | {shares[0]:.3f} | {shares[1]:.3f} |")
    print(
        "\n| perplexity | real by real | real by synthetic | synthetic by real |\n|---|---|---|---|"
    )
    for order, word in ((2, "bigrams"), (3, "trigrams")):
        by_real, by_made = Model(train, order), Model(made[: len(train)], order)
        figures = (
            by_real.perplexity(test),
            by_made.perplexity(test),
            by_real.perplexity(made[len(train) : len(train) + len(test)]),
        )
        print(f"| {word} | " + " | ".join(f"{f:.1f}" for f in figures) + " |")


def differences(real: list[str], made: list[str], n: int) -> None:
    """Print which runs of characters one side has far more often than the other."""
    for size in (2, 4):
        counts = []
        for texts in (real, made):
            seen = Counter(g for t in texts for g in {t[i : i + size] for i in range(len(t))})
            counts.append({g: c / len(texts) for g, c in seen.items()})
        keys = sorted(set(counts[0]) | set(counts[1]))
        gaps = sorted((counts[0].get(k, 0) - counts[1].get(k, 0), k) for k in keys)
        print("more in synthetic:", [(k, round(g, 3)) for g, k in gaps[:n]])
        print("more in real:", [(k, round(g, 3)) for g, k in gaps[: -n - 1 : -1]])


def main() -> None:
    """Read real texts, make as many, print the tables."""
    parser = argparse.ArgumentParser(description="Compare synthetic addresses with real ones.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the open texts")
    parser.add_argument("--n", type=int, default=8_000, help="texts of each side, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, help="runs of characters that differ most")
    args = parser.parse_args()
    world = World(args.seed, 50_000)
    for name, register in REGISTERS.items():
        lines = (args.data / name).read_text(encoding="utf-8").splitlines()
        real = [line.strip() for line in lines if line.strip()]
        random.Random(args.seed).shuffle(real)  # noqa: S311  a sample, no secret
        real = real[: args.n]
        made = [form.text for form in tagged(world, args.n, args.seed, register=register)]
        compare(name, real, made)
        if args.show:
            differences(real, made, args.show)


if __name__ == "__main__":
    main()
