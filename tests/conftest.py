"""Fixtures of the tests that open the site: it is built once for a worker, and served."""

from collections.abc import Iterator

import pytest
from website import Site, built_and_served, chromium


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """This project's site, built strictly and served on loopback."""
    with built_and_served(tmp_path_factory.mktemp("site")) as built:
        yield built


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A headless Chromium; the test is skipped where none is installed."""
    with chromium() as running:
        yield running
