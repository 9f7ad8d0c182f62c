"""The types of messages in the languages of kits, an emitter in each module.

Kits in Python, C and C++ have theirs among the templates, where `make generate` writes them, as bots can use these kits
in place, in the folder that `{kits}` stands for.
"""

from pkgutil import resolve_name


def message_types(emitter: str) -> str:
    """The file of types that an emitter writes. They are imported only here, as they take long."""
    emit, model = resolve_name(f"{__name__}.{emitter}:emit"), resolve_name(f"{__name__}.model:model")
    return str(emit(model()))
