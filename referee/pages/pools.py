"""What the steps of a page share, stored once: frames of panels, sprites, texts and legal actions."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

import msgspec

from referee.games.renderer import Choice, Node, Panel, PanelFrame, Sprite
from referee.pages.document import Ghost, LegalAction, PanelChange
from referee.pages.svg import check_node
from referee.printable import without_paths

_encode: Final = msgspec.json.Encoder().encode


class Pools:
    """The pools of one page. Each index stays the same when more is added. Texts are `without_paths`, unless asked."""

    def __init__(self, *, with_paths: bool = False) -> None:
        self.cut: Callable[[str], str] = str if with_paths else without_paths
        """What is done with each text from outside."""
        self.frames: list[PanelFrame] = []
        self.sprites: list[Sprite] = []
        self.texts: list[str] = []
        self.actions: list[LegalAction] = []
        self._index: dict[Hashable, int] = {}

    def text(self, text: str) -> int:
        return self._place(("text", text), self.cut(text), self.texts)

    def sprite(self, sprite: Sprite) -> int:
        """The index of a sprite. Raises ValueError if a drawing can't contain its shape."""
        before = len(self.sprites)
        index = self._place(_encode(sprite), sprite, self.sprites)
        if index == before:
            for node in sprite.shape:
                check_tree(node)
        return index

    def action(self, choice: Choice) -> int:
        """The index of a legal action."""
        ghost = None if choice.ghost is None else Ghost(panel=choice.panel, sprite=self.sprite(choice.ghost))
        action = LegalAction(label=self.text(choice.label), targets=list(choice.targets), ghost=ghost)
        return self._place(("action", _encode(action)), action, self.actions)

    def frame(self, panel: Panel) -> int:
        frame = PanelFrame(**{field: getattr(panel, field) for field in PanelFrame.__struct_fields__})
        return self._place(("frame", _encode(frame)), frame, self.frames)

    def _place(self, key: Hashable, value: Any, pool: list[Any]) -> int:
        index = self._index.setdefault(key, len(pool))
        if index == len(pool):
            pool.append(value)
        return index


class ShownPanels:
    """The panels that an audience was shown last, to find out what has changed."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self._order: list[int] = []
        self._sprites: dict[str, dict[str, tuple[Sprite, int]]] = {}

    def update(self, panels: Sequence[Panel]) -> tuple[list[PanelChange], list[int] | None]:
        """The changes, and the order of the frames if it differs. Raises ValueError for two sprites with one key."""
        changes = []
        order = [self._pools.frame(panel) for panel in panels]
        for panel, frame in zip(panels, order, strict=True):
            before = self._sprites.get(panel.key, {})
            after = {}
            put = []
            for sprite in panel.sprites:
                if sprite.key in after:
                    raise ValueError(f"two sprites of panel {panel.key} have the key {sprite.key}")
                known = before.get(sprite.key)
                if known is not None and (known[0] is sprite or known[0] == sprite):
                    index = known[1]
                else:
                    index = self._pools.sprite(sprite)
                after[sprite.key] = (sprite, index)
                if known is None or known[1] != index:
                    put.append(index)
            gone = [key for key in before if key not in after]
            if put or gone:
                changes.append(PanelChange(frame=frame, put=put, gone=gone))
            self._sprites[panel.key] = after
        if order == self._order:
            return changes, None
        self._order = order
        return changes, order


def check_tree(node: Node) -> None:
    """Raises ValueError if a drawing can't contain this element or one within it."""
    check_node(node)
    for child in node.children:
        if isinstance(child, Node):
            check_tree(child)
