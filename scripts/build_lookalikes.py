"""Build src/menpai/address/data/lookalikes.txt: what characters of division names resemble.

Usage: python scripts/build_lookalikes.py DATA_FOLDER
The folder holds divisions/quhua_form_similar_v1.json.gz and divisions/quhua_divisions_v1.json.gz.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/menpai/address/data/lookalikes.txt"
MIN_LIKENESS = 0.6
CURATED = dict(
    pair.split(":")
    for pair in (
        "圳:训川 州:洲 区:曲去 汨:汩 衢:瞿 莆:蒲 亳:毫 邳:丕 碚:培 荥:荣 思:恩 濮:仆 歙:翕 婺:"
        "务 睢:濉 浉:狮 "
        "沭:沐 泗:泅 涿:琢 璧:壁 冀:翼 栾:滦 鄱:番 郫:啤 邛:卭 綦:基 禹:禺 番:蕃 鄞:勤 鄄:甄 郯"
        ":炎 瀍:缠 盱:盯 "
        "眙:胎 嵊:乘 枞:纵 颍:颖 濠:壕 澧:醴 醴:澧 酃:灵 濉:睢 芮:苪 隰:湿 忻:析 沁:泌 泌:沁 柞"
        ":榨 盩:周 汶:纹"
    ).split()
)
"""Slips that the source's strokes do not cover but that forms are full of."""


def main(folder: Path) -> None:
    """Write one line a character: the character, then those that look like it."""
    divisions = folder / "divisions"
    table = json.loads(gzip.decompress((divisions / "quhua_form_similar_v1.json.gz").read_bytes()))
    names = gzip.decompress((divisions / "quhua_divisions_v1.json.gz").read_bytes()).decode()
    alike: dict[str, set[str]] = {c: set(others) for c, others in CURATED.items()}
    for char, others in table["table"].items():
        for other, likeness in others:
            if likeness >= MIN_LIKENESS:
                alike.setdefault(char, set()).add(other)
    rows = [c + "".join(sorted(o - {c})) for c, o in sorted(alike.items()) if c in names]
    OUT.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
