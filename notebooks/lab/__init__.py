"""The workbench that a lesson stands on: `import lab` is all a notebook needs.

A name is fetched from its module when it is first used, so that importing is quick and the page
in the browser never loads what needs a process of its own.
"""

import sys
from importlib import import_module
from types import ModuleType

_HOME = {
    "LabError": "errors",
    "Server": "server",
    "connect": "connect",
    "client": "connect",
    "async_client": "connect",
    "url": "connect",
    "reset": "connect",
    "private_server": "connect",
    "is_private": "connect",
    "server_name": "connect",
    "in_page": "connect",
    "cluster": "connect",
    "took": "clock",
    "rate": "clock",
    "pass_time": "clock",
    "lua": "scripts",
    "show_lua": "scripts",
    "script": "scripts",
    "play": "runs",
    "rounds": "runs",
    "crowd": "crowd",
    "herd": "herd",
    "every": "herd",
    "retry_after": "herd",
    "check": "check",
    "explore": "explore",
    "stage": "stage",
    "charts": None,  # the module itself
}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    """Fetch a name of the workbench from its module, once."""
    if name not in _HOME:
        raise AttributeError(f"lab has no {name!r}; it has {', '.join(__all__)}")
    home = _HOME[name]
    module = import_module(f".{home or name}", __name__)
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Lab(ModuleType):
    """`lab.crowd` is the function, also after somebody imported the module `lab.crowd`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and _HOME.get(name)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Lab


def _install_magics() -> None:
    """In a notebook, `import lab` brings %%redis and %%lua along."""
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        import_module("lab.magics").install()


_install_magics()
