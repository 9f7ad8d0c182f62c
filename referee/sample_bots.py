"""The sample bots of a checkout, which are as trustworthy as the referee beside them."""

from pathlib import Path
from typing import Final

SAMPLE_BOTS_FOLDER: Final = Path(__file__).resolve().parents[1] / "bots"
"""Where the sample bots are in a checkout. A wheel has none."""
SAMPLE_BOTS: Final = (
    "foresight-python",
    "gtp-python",
    "llm-python",
    "mason-python",
    "quick-cpp",
    "random-python",
    "recruiter-python",
    "searcher-python",
    "steady-python",
    "uci-python",
)
"""Listed by name, because organisers may put other people's folders beside them."""


def is_sample_bot(folder: Path) -> bool:
    """Whether this folder, without symbolic links, holds a sample bot."""
    return folder.parent == SAMPLE_BOTS_FOLDER and folder.name in SAMPLE_BOTS
