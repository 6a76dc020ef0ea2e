"""What every test shares: hypothesis profiles and the folder of shared data."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# CI draws the same examples on every run, so that a red build is about the change and not about
# luck; a desk draws new ones. No deadline: machines differ, and each test has a time limit anyway.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100, database=None)
settings.register_profile("desk", deadline=None, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder named by MENPAI_DATA, with data/ and eval/ in it; without one the test is skipped."""
    folder = os.environ.get("MENPAI_DATA")
    if not folder:
        pytest.skip("needs the shared data sets: set MENPAI_DATA to their folder")
    return Path(folder)
