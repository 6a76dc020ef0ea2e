"""How well the spans of elements agree with tagged texts: a span is right if both its ends are."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from menpai.errors import InputError, MenpaiError
from menpai.evaluation.conll import Tagged, read_conll
from menpai.evaluation.metrics import Score, score
from menpai.evaluation.spans import Span
from menpai.evaluation.tagsets import TagSet, meaning_of

Predict = Callable[[str], Iterable[Span]]
"""Gives the spans of elements in a text; an element may have several."""


@dataclass(slots=True)
class Tally:
    """Spans of each element: right ones, predicted ones, and those of the truth."""

    hits: Counter[str] = field(default_factory=Counter)
    predicted: Counter[str] = field(default_factory=Counter)
    actual: Counter[str] = field(default_factory=Counter)

    def add(self, gold: Sequence[Span], predicted: Sequence[Span]) -> None:
        """Count the spans of one text."""
        self.actual.update(span.name for span in gold)
        self.predicted.update(span.name for span in predicted)
        self.hits.update(span.name for span in set(gold) & set(predicted))

    def score(self, element: str) -> Score:
        """Score of one element."""
        return score(self.hits[element], self.predicted[element], self.actual[element])

    def micro(self) -> Score:
        """Score of all spans together, whatever their element."""
        return score(self.hits.total(), self.predicted.total(), self.actual.total())


def evaluate_elements(
    path: str | Path,
    *,
    mapping: str | None = None,
    predict: Predict | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> dict[str, object]:
    """Find the elements of tagged texts and measure the agreement with their tags.

    Args:
        path: A CoNLL file, as `read_conll` takes it.
        mapping: What the tags mean: "ccks", "naacl", "menpai", or a file as `tagsets` describes it.
            If None, the first of the three that has all tags of the file.
        predict: What finds the elements; the parser if None.
        progress: Called with the share of texts that are done, in [0, 1], and their number.

    Returns:
        micro_f1, micro_precision and micro_recall (of all spans together); f1, precision, recall
        and support (spans of the truth) of each element; the mapping's name; n_texts; and
        n_skipped: texts left out because they hold nothing but blanks.

    Raises:
        TableError: If there is no such file, or a line of it is malformed; `row` is its number.
        InputError: If no text can be used.
        ConfigError: If the mapping cannot be read or lacks a tag, or no known one has all tags.
    """
    texts = list(read_conll(Path(path)))
    meaning = meaning_of(texts, mapping)
    usable = [tagged for tagged in texts if meaning.text(tagged).strip()]
    if not usable:
        raise InputError(f"{path} holds no text", field="in")
    tally = _count(usable, meaning, predict or parsed, progress)
    counts = {"n_texts": len(usable), "n_skipped": len(texts) - len(usable)}
    return _report(tally, meaning) | counts


def parsed(text: str) -> list[Span]:
    """Give the spans that the parser finds, one for each element at most."""
    from menpai.address.parse import parse  # other taggers need no parser

    return [Span(element, start, end) for element, (start, end) in parse(text).spans.items()]


def tagged_by(checkpoint: Path) -> Predict:
    """Give what finds spans with a tagger alone, without the parser.

    Args:
        checkpoint: A converted folder that tags; types that are no element count for nothing.

    Raises:
        ConfigError: The checkpoint does not tag.
        ModelError: It cannot be used.
    """
    from menpai.engine.engine import load
    from menpai.engine.tags import ELEMENT_OF

    engine = load(checkpoint)

    def predict(text: str) -> list[Span]:
        [found] = engine.tag([text])
        if isinstance(found, MenpaiError):
            raise found
        known = ((ELEMENT_OF.get(span.type), span) for span in found)
        return [Span(name, span.start, span.end) for name, span in known if name is not None]

    predict("")  # refuses a checkpoint of another kind before any text is read
    return predict


def _count(
    texts: Sequence[Tagged],
    meaning: TagSet,
    predict: Predict,
    progress: Callable[[float, int], None] | None,
) -> Tally:
    tally = Tally()
    for number, tagged in enumerate(texts, 1):
        text = meaning.text(tagged)
        tally.add(meaning.gold(tagged), meaning.joined(text, predict(text)))
        if progress is not None:
            progress(number / len(texts), number)
    return tally


def _report(tally: Tally, meaning: TagSet) -> dict[str, object]:
    micro, scores = tally.micro(), {name: tally.score(name) for name in meaning.elements}
    return {
        "micro_f1": micro.f1,
        "micro_precision": micro.precision,
        "micro_recall": micro.recall,
        "f1": {name: found.f1 for name, found in scores.items()},
        "precision": {name: found.precision for name, found in scores.items()},
        "recall": {name: found.recall for name, found in scores.items()},
        "support": {name: tally.actual[name] for name in scores},
        "mapping": meaning.name,
    }
