"""Lets the tests of models import what they share: `reference` and `folders`, next to this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
