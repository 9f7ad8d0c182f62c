"""A position as one SVG that needs nothing else, light or dark by the viewer's setting."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Final

from msgspec import structs

from referee.games.renderer import ATTRIBUTES, TAGS, Node, Panel, Sprite
from referee.pages.document import Document

PICTURE_WIDTH: Final = 860
"""Width of the picture without its margin, which a panel fills; half panels leave a gap between them."""
PANEL_GAP: Final = 20
MARGIN: Final = 20
PANEL_TITLE_HEIGHT: Final = 28
SMALL_HEIGHT: Final = 0.7 * PICTURE_WIDTH
"""From this height on, a small picture has no further row of panels."""
_unprintable: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_rule: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_declared: Final = re.compile(r"(--[\w-]+)\s*:\s*([^;]+?)\s*(?:;|$)")
_used: Final = re.compile(r"var\((--[\w-]+)\)")


def write_svg(panels: Sequence[Panel], title: str, css: str = "") -> str:
    """The panels as one SVG document. `css`: that of the renderer. Raises ValueError for a shape that isn't allowed."""
    drawn: list[str] = []
    y = MARGIN
    for row in _rows(panels):
        heading = PANEL_TITLE_HEIGHT if any(panel.title and panel.heading for panel in row) else 0
        slot = _slot(row)
        height = 0.0
        for column, panel in enumerate(row):
            scale = _scale(panel, slot)
            x = MARGIN + column * (slot + PANEL_GAP)
            if panel.title and panel.heading:
                drawn.append(f'<text class="t16 bold" x="{x:g}" y="{y + 17}">{_text(panel.title)}</text>')
            shapes = "".join(write_sprite(sprite) for sprite in sorted(panel.sprites, key=lambda sprite: sprite.z))
            drawn.append(
                f'<svg overflow="visible"'
                f' x="{x + (slot - panel.width * scale) / 2:g}" y="{y + heading}" width="{panel.width * scale:g}"'
                f' height="{panel.height * scale:g}"'
                f' viewBox="{panel.left:g} {panel.top:g} {panel.width:g} {panel.height:g}">'
                f"{shapes}</svg>"
            )
            height = max(height, panel.height * scale)
        y += heading + int(height) + PANEL_GAP
    width = PICTURE_WIDTH + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene" role="img" width="{width}" height="{y}"'
        f' viewBox="0 0 {width} {y}">\n<title>{_text(title)}</title>\n<style>{_style(css)}</style>\n'
        f'<rect class="paper" width="{width}" height="{y}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def panels_at(document: Document, number: int) -> list[Panel]:
    """The panels of a step, as its first audience sees them."""
    sprites: dict[str, dict[str, Sprite]] = {}
    order: list[int] = []
    for step in document.steps[: number + 1]:
        for view in step.views[:1]:
            for change in view.changes:
                frame = document.frames[change.frame]
                shown = sprites.setdefault(frame.key, {})
                for key in change.gone:
                    del shown[key]
                shown |= {document.sprites[index].key: document.sprites[index] for index in change.put}
            order = order if view.order is None else view.order
    frames = {document.frames[index].key: document.frames[index] for index in order}
    return [
        Panel(**structs.asdict(frame), sprites=list(sprites.get(key, {}).values())) for key, frame in frames.items()
    ]


def main_panels(panels: Sequence[Panel]) -> list[Panel]:
    """The first rows of a table: as many as a small picture shows."""
    found: list[Panel] = []
    height = 0.0
    for row in _rows(panels):
        if height < SMALL_HEIGHT:
            found += row
            height += max(panel.height * _scale(panel, _slot(row)) for panel in row)
    return found


def _slot(row: Sequence[Panel]) -> float:
    """The width of each panel of a row."""
    return (PICTURE_WIDTH - PANEL_GAP) / 2 if row[0].half else PICTURE_WIDTH


def _scale(panel: Panel, slot: float) -> float:
    return min(slot / panel.width, PICTURE_WIDTH / panel.height)


def _rows(panels: Sequence[Panel]) -> Iterator[list[Panel]]:
    """The panels row by row: two halves side by side, or one panel."""
    row: list[Panel] = []
    for panel in panels:
        if row and not panel.half:
            yield row
            row = []
        row.append(panel)
        if len(row) == 2 or not panel.half:
            yield row
            row = []
    if row:
        yield row


def write_sprite(sprite: Sprite) -> str:
    label = f"<title>{_text(sprite.label)}</title>" if sprite.label else ""
    shape = "".join(write_node(node) for node in sprite.shape)
    return f'<g transform="translate({sprite.x:g} {sprite.y:g})">{label}{shape}</g>'


def write_node(node: Node) -> str:
    """An element with its children. Raises ValueError if `renderer.TAGS` and `ATTRIBUTES` don't allow it."""
    check_node(node)
    attributes = "".join(f' {name}="{_value(value)}"' for name, value in node.attributes.items())
    children = "".join(_text(child) if isinstance(child, str) else write_node(child) for child in node.children)
    return f"<{node.tag}{attributes}>{children}</{node.tag}>" if children else f"<{node.tag}{attributes}/>"


def check_node(node: Node) -> None:
    """Raises ValueError if `renderer.TAGS` and `ATTRIBUTES` don't allow this element; its children aren't looked at."""
    if node.tag not in TAGS:
        raise ValueError(f"a drawing can't contain <{node.tag}>; allowed: {', '.join(sorted(TAGS))}")
    if not node.attributes.keys() <= ATTRIBUTES:
        wrong = ", ".join(sorted(node.attributes.keys() - ATTRIBUTES))
        raise ValueError(f"<{node.tag}> can't have {wrong}; allowed: {', '.join(sorted(ATTRIBUTES))}")


def _value(value: str | float) -> str:
    return _text(value) if isinstance(value, str) else f"{value:g}"


def _text(text: str) -> str:
    """Escaped, without characters that XML doesn't allow."""
    return escape(_unprintable.sub("\N{REPLACEMENT CHARACTER}", text))


@cache
def _style(css: str) -> str:
    """The style of an SVG on its own.

    Colours are written where they are used, as many programs that show SVG know no variables. The rules for dark paper
    depend on the viewer's setting instead of a class, which nobody could set.
    """
    light: list[tuple[str, str]] = []
    dark: list[tuple[str, str]] = []
    scene = resources.files(__package__).joinpath("scene.css").read_text(encoding="utf-8")
    for selector, declarations in _rule.findall(re.sub(r"/\*.*?\*/", "", scene + css, flags=re.DOTALL)):
        (dark if ".dark" in selector else light).append((selector.strip(), declarations.strip()))
    on_light = {name: value for _, declarations in light for name, value in _declared.findall(declarations)}
    on_dark = on_light | {name: value for _, declarations in dark for name, value in _declared.findall(declarations)}

    def written(rules: Sequence[tuple[str, str]], values: dict[str, str]) -> Iterator[str]:
        for selector, declarations in rules:
            rest = _used.sub(lambda used: values.get(used[1], used[0]), _declared.sub("", declarations)).strip()
            if rest:
                yield f"{selector}{{{rest}}}"

    again = [(selector, declarations) for selector, declarations in light if "var(" in declarations]
    own = [(re.sub(r"\.dark\s+|\.dark", "", selector), declarations) for selector, declarations in dark]
    by_setting = "\n".join([*written(again, on_dark), *written(own, on_dark)])
    always = "\n".join(written(light, on_light))
    return escape(f"{always}\n@media (prefers-color-scheme:dark){{\n{by_setting}\n}}", quote=False)
