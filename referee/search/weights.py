"""A policy with other weights: the constants of its module that are written in capitals and are floats."""

import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

from referee.games.policy import Policy


def weights_of(policy: type[Policy]) -> dict[str, float]:
    """The weights of a policy by name; empty for one without."""
    constants = vars(sys.modules[policy.__module__])
    return {name: value for name, value in constants.items() if name.isupper() and isinstance(value, float)}


def with_weights(policy: type[Policy], weights: Mapping[str, float]) -> type[Policy]:
    """The policy from a separate copy of its module, in which these weights are changed.

    Raises ValueError if it has no such weight.
    """
    known = weights_of(policy)
    for name in weights.keys() - known.keys():
        raise ValueError(f"{policy.__name__} has no weight {name}; it has {', '.join(known) or 'none'}")
    spec = importlib.util.find_spec(policy.__module__)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(weights)
    changed: type[Policy] = getattr(module, policy.__name__)
    return changed
