"""Fixtures of the tests that open the site: it is built once for all workers, and served."""

import os
from collections.abc import Iterator

import pytest
from website import Site, built_once, chromium

from tools.served import served


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """This project's site, built strictly and served on loopback."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker's folder lies in the run's own
        shared = shared.parent
    folder = built_once(shared)
    with served(folder) as url:
        yield Site(folder, url)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A headless Chromium; the test is skipped where none is installed."""
    with chromium() as running:
        yield running
