"""Do the packaged models decide in int8 as they do in fp32?

    python benchmarks/precision.py --data FOLDER [--limit N] [--out precision.json]

On labelled public pairs: macro-F1 in both, labels that differ, and the greatest difference of two
scores. None of their rows is in this repository.
"""

from itertools import islice

import numpy as np
from accuracy import PairSet, pair_sets
from report import arguments, emit

from menpai.evaluation.metrics import confusion, macro_f1
from menpai.evaluation.pairs import LabelledPair, PairReader
from menpai.matching.decide import is_settled, weigh
from menpai.matching.evidence import share_of
from menpai.matching.matcher import Matcher, load
from menpai.matching.results import LABELS

QUESTION = "Do the packaged models decide in int8 as they do in fp32?"


def compared(pairs: PairSet, limit: int | None) -> dict[str, object]:
    """Figures of one set."""
    reader = PairReader(pairs.left, pairs.right, "label")
    read = [reader.read(row) for row in islice(pairs.rows, limit)]
    usable = [pair for pair in read if isinstance(pair, LabelledPair)]
    sides = [pair.left for pair in usable], [pair.right for pair in usable]
    full, small = (
        load(policy=pairs.policy, precision=precision).compare_batch(*sides)
        for precision in ("fp32", "int8")
    )
    wanted = [pair.label for pair in usable]
    labels = [[found.label for found in some] for some in (full, small)]
    scores = np.array([[found.score for found in some] for some in (full, small)])
    f1 = [macro_f1(confusion(LABELS, wanted, some)) for some in labels]
    return {
        "set": pairs.name,
        "policy": pairs.policy,
        "n": len(usable),
        "macro_f1_fp32": round(f1[0], 4),
        "macro_f1_int8": round(f1[1], 4),
        "share_flipped": round(float(np.mean(np.array(labels[0]) != np.array(labels[1]))), 5),
        "max_score_difference": round(float(np.abs(scores[0] - scores[1]).max()), 4),
        **decided(load(policy=pairs.policy), usable),
    }


def decided(matcher: Matcher, pairs: list[LabelledPair]) -> dict[str, object]:
    """How often no model is asked, and how often structure is wrong then."""
    share_of_model = share_of(matcher.engine_for("pairs"), matcher.policy)
    wrong = []
    for pair in pairs:
        found = weigh(matcher.parse(pair.left), matcher.parse(pair.right), matcher.policy)
        if is_settled(found, share_of_model):
            wrong.append(found.verdict.label != pair.label)
    share = len(wrong) / len(pairs)
    error = float(np.mean(wrong)) if wrong else None
    return {"share_decided_by_elements": round(share, 4), "error_of_those": error}


def main() -> None:
    """Compare on every set."""
    parser = arguments(QUESTION)
    parser.add_argument("--limit", type=int, help="read only the first rows of each set")
    args = parser.parse_args()
    emit(QUESTION, [compared(pairs, args.limit) for pairs in pair_sets(args.data)], args.out)


if __name__ == "__main__":
    main()
