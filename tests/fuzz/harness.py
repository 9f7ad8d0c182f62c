"""One target under Atheris: `python -m tests.fuzz.harness TARGET [libFuzzer's own arguments]`."""

import sys
from random import Random

import atheris


def main() -> None:
    """Fuzz until libFuzzer ends the run."""
    with atheris.instrument_imports(include=["protocol", "referee"]):
        from tests.fuzz.mutate import mutate  # noqa: PLC0415 (what is imported here is instrumented)
        from tests.fuzz.targets import TARGETS  # noqa: PLC0415

    def change(data: bytes, max_size: int, seed: int) -> bytes:
        """Mutate bytes one time, whole values the next."""
        random = Random(seed)
        if random.random() < 0.5:
            mutated: bytes = atheris.Mutate(data, max_size)
            return mutated
        return mutate(data, random)[:max_size]

    target, *arguments = sys.argv[1:]
    atheris.Setup([sys.argv[0], *arguments], TARGETS[target], custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
