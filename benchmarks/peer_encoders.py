"""Run by engine_speed.py with an interpreter that has another encoder: answers a turn at a time.

    python benchmarks/peer_encoders.py NAME FOLDER N_THREADS

NAME is "sentence-transformers" or "infinity", FOLDER holds a model that they can read (made here
if there is only a vocab.txt: a BERT-base with random weights). Each line of stdin is a JSON list of
texts; each line of stdout the seconds that encoding them took.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def make(folder: Path) -> None:
    """Write a random BERT-base and its tokenizer, as a hub would."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    n_words = len((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
    BertModel(BertConfig(vocab_size=n_words)).eval().save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)


def sentence_transformers(folder: Path) -> Callable[[list[str]], Any]:
    """Encode in batches of 32, in fp32."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = 128
    return lambda texts: model.encode(texts, batch_size=32, show_progress_bar=False)


def infinity(folder: Path) -> Callable[[list[str]], Any]:
    """Embed with the torch engine in process."""
    from infinity_emb import AsyncEmbeddingEngine, EngineArgs

    loop = asyncio.new_event_loop()
    engine = AsyncEmbeddingEngine.from_args(
        EngineArgs(model_name_or_path=str(folder), engine="torch", device="cpu", dtype="float32")
    )
    loop.run_until_complete(engine.astart())
    return lambda texts: loop.run_until_complete(engine.embed(sentences=texts))


def main() -> None:
    """Answer until stdin ends."""
    name, folder, n_threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    import torch

    torch.set_num_threads(n_threads)
    if not (folder / "config.json").is_file():
        make(folder)
    encode = {"sentence-transformers": sentence_transformers, "infinity": infinity}[name](folder)
    encode(["北京市朝阳区望澜路88号"] * 32)
    print("ready", flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        started = time.perf_counter()
        encode(texts)
        print(time.perf_counter() - started, flush=True)
    os._exit(0)  # infinity's threads would keep the process for ever


if __name__ == "__main__":
    main()
