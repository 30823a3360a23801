"""Packages that few lessons need come when they are first imported, and not before."""

import importlib
import sys
from importlib.machinery import PathFinder

import js


class OnImport:
    """Fetches the archive of a package at its first import, then finds it as any other."""

    @staticmethod
    def find_spec(name: str, path=None, target=None):
        if name not in js.rushPage.onImport:
            return None
        js.rushPage.unpack(name)
        importlib.invalidate_caches()
        return PathFinder.find_spec(name, path, target)


def install() -> None:
    """After everybody else: asked only for what is not there yet."""
    sys.meta_path.append(OnImport)
