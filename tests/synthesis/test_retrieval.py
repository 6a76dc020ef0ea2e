"""The search over all records of a map."""

from menpai.address.rarity import bigrams
from menpai.synthesis import Index, World
from menpai.synthesis.writing import Writer


def test_places_have_records(world: World, index: Index) -> None:
    """Records are numbered as places are, and written the same way each time."""
    first = index.places[5]
    assert index.record(first).place == world.places[first]
    assert Index(world, seed=7).record(first).text == index.record(first).text
    other = Index(world, seed=8)
    assert any(other.record(i).text != index.record(i).text for i in index.places[:9])


def test_maps_list_few_flats(world: World, index: Index) -> None:
    """All sites and shops have a record, of flats and rooms only every fourth."""
    flats = [p.index for p in world.places if p.room and not p.tenant]
    listed = set(index.places)
    assert len(index) == len(listed)
    assert {p.index for p in world.places} - set(flats) <= listed
    assert 0.15 < len(listed & set(flats)) / len(flats) < 0.35


def test_records_are_of_one_register() -> None:
    """Who writes the records can be chosen."""
    assert Index(World(1, 60), register="company").record(0).register == "company"


def test_a_record_finds_itself(index: Index) -> None:
    """The text of a record has it among its best."""
    for place in index.places[:500:50]:
        record = index.record(place)
        assert record.text in [found.text for found, _ in index.search(record.text, 10)]


def test_found_records_share_rare_pairs(world: World, index: Index) -> None:
    """What is found has pairs of characters in common with what was searched for."""
    writer = Writer(world, 1)
    for place in world.places[:40]:
        form = writer.write(place, "map")
        for found, score in index.search(form.text, 3):
            assert score > 0
            assert bigrams(found.text) & bigrams(form.text) or any(c.isdigit() for c in form.text)


def test_the_best_come_first(index: Index) -> None:
    """Scores fall, and there are as many as asked for."""
    scores = [score for _, score in index.search(index.record(index.places[3]).text, 7)]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= 7


def test_unknown_words_find_nothing(index: Index) -> None:
    """A text of which nothing is known has no records."""
    assert index.search("龘靐齉", 5) == []
