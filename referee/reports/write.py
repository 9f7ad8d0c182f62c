"""Writes a report: as a folder for any web server or a disk, or as one file."""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import jinja2
import msgspec
from markupsafe import Markup
from msgspec import Struct

from referee.files import is_folder, is_there, why_not_written, write_file
from referee.pages.html import PAGE_CSS, PAGE_JS, asset, content_hash, morph_script, shared_assets
from referee.printable import without_paths
from referee.reports.model import Page, Report
from referee.reports.needed import ReportError
from referee.reports.plots import icon
from referee.reports.replays import GamePage, Kind
from referee.version import __version__

REPORT_CSS: Final = "report.css"
REPORT_JS: Final = "report.js"
FIRST_PAGE: Final = "index.html"
STATE: Final = "report.json"
"""Lists the contents of a folder, so that the next report there replaces them, and draws only new games."""
MAX_STATE: Final = 64 << 20
MAX_REPLAYS: Final = 20_000_000
"""Bytes of the games in one file."""
POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"
CHANGING: Final = "; connect-src 'self'"
"""The further policy of a page that refreshes itself."""
REFRESH_SECONDS: Final = 20
BOT_PAGE: Final = re.compile(r"\d+(-[a-z0-9-]+)?\.html", re.ASCII)
"""The names of pages of bots: no others are removed."""
BESIDE: Final = "file:"
"""Begins the target of a link to a file beside the report, by its path from there."""
NOT_A_NAME: Final = re.compile(r"[^a-z0-9]+")


class Drawn(Struct, frozen=True, kw_only=True):
    """A game whose page is in a folder."""

    shown: str
    """The hash of its record, and its note."""
    slowest: dict[int, int]


class State(Struct, frozen=True, kw_only=True):
    """The contents of STATE."""

    referee: str
    replays: Kind
    with_paths: bool = False
    games: dict[str, Drawn]


# -- a folder -------------------------------------------------------------------------------------------------


class ReportFolder:
    """A folder for a report, which may hold an earlier one."""

    def __init__(self, path: Path, kind: Kind, *, with_paths: bool) -> None:
        """Raises ReportError if it holds anything else."""
        self.path = path
        self._kind = kind
        self._with_paths = with_paths
        self._before: dict[str, Drawn] = {}
        self.drawn: dict[str, Drawn] = {}
        if is_there(path) and not is_folder(path):
            raise ReportError(
                f"{path} is a file; give a folder, or a name that ends with .html for a report as one file"
            )
        if is_there(path) and any(path.iterdir()):
            self._before = self._earlier()

    def _earlier(self) -> dict[str, Drawn]:
        """The games of an earlier report, whose pages are kept if they are still those that are wanted."""
        try:
            state = msgspec.json.decode((self.path / STATE).read_bytes()[:MAX_STATE], type=State)
        except (OSError, msgspec.MsgspecError):
            raise ReportError(f"{self.path} is not empty and not a report; choose another folder with -o") from None
        same = state.referee == __version__ and (state.replays, state.with_paths) == (self._kind, self._with_paths)
        for game_id in state.games:
            if not same:
                self._remove("replays", _page(game_id))
        return state.games if same else {}

    def missing(self, shown: Mapping[str, str]) -> list[str]:
        """The ids of the games that are to be drawn. `shown`: by id what each is drawn from; pages of others are
        removed."""
        for game_id, drawn in self._before.items():
            if shown.get(game_id) == drawn.shown and is_there(self.path / "replays" / _page(game_id)):
                self.drawn[game_id] = drawn
            else:
                self._remove("replays", _page(game_id))
        return [game_id for game_id in shown if game_id not in self.drawn]

    def add(self, page: GamePage, shown: str) -> None:
        self._write("replays", _page(page.game_id), page.html)
        self.drawn[page.game_id] = Drawn(shown=shown, slowest=page.slowest)

    def finish(self, report: Report) -> Path:
        """Write all other files, the first page last, so that readers meanwhile find everything that it links to."""
        state = State(referee=__version__, replays=self._kind, with_paths=self._with_paths, games=self.drawn)
        self._write("", STATE, msgspec.json.encode(state).decode())
        assets = {REPORT_CSS: _template_file(REPORT_CSS), REPORT_JS: _script()}
        for name, content in {**assets, **(shared_assets() if self.drawn else {})}.items():
            self._write("assets", name, content)
        files = {page.target: _file_of(page) for page in report.pages}
        with self._open("bots") as bots:
            old = {name for name in os.listdir(bots) if BOT_PAGE.fullmatch(name)}  # noqa: PTH208 (no path)
        for name in old - {file.removeprefix("bots/") for file in files.values()}:
            self._remove("bots", name)
        for page in reversed(report.pages):
            folder, _, name = files[page.target].rpartition("/")
            self._write(folder, name, self._page_html(report, page, files))
        return self.path / FIRST_PAGE

    def _page_html(self, report: Report, page: Page, files: Mapping[str, str]) -> str:
        up = "../" if "/" in files[page.target] else ""

        def link(target: str) -> str:
            if (game := _game_of(target)) is None:
                return _beside(target) or (f"{up}{files[target]}" if target in files else "")
            game_id, seat = game
            if game_id not in self.drawn:
                return ""
            step = self.drawn[game_id].slowest.get(seat)
            return f"{up}replays/{game_id}.html" + ("" if step is None else f"#{step}")

        return render(
            report,
            "script-src 'self'; style-src 'self'",
            pages=[page],
            link=link,
            replay=lambda target: Markup(""),
            head=f'<link rel="stylesheet" href="{up}assets/{REPORT_CSS}">',
            foot=f'{_names(report)}\n<script defer src="{up}assets/{REPORT_JS}"></script>',
        )

    def _write(self, folder: str, name: str, content: str) -> None:
        with self._open(folder) as opened:
            draft = f".{name}.new"
            write_file(draft, content.encode(), opened)
            os.replace(draft, name, src_dir_fd=opened, dst_dir_fd=opened)  # in one step: a web server may be reading

    def _remove(self, folder: str, name: str) -> None:
        with self._open(folder) as opened, contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=opened)

    @contextlib.contextmanager
    def _open(self, folder: str) -> Iterator[int]:
        """A descriptor of a folder in this one, or of this one itself; what is missing is made. Raises ReportError.

        Not through links in it: an earlier report may come from strangers.
        """
        path = self.path / folder
        with contextlib.ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                opened = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, opened)
                if folder:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(folder, dir_fd=opened)
                    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=opened)
                    stack.callback(os.close, opened)
                yield opened
            except OSError as error:
                why = "it is a link" if folder and path.is_symlink() else why_not_written(error)
                raise ReportError(f"can't write to {path}: {why}; choose a place with -o") from None


def _page(game_id: str) -> str:
    return f"{Path(game_id).name}.html"


def _file_of(page: Page) -> str:
    if page.target == "home":
        return FIRST_PAGE
    number = int(page.target.partition(":")[2]) + 1
    name = NOT_A_NAME.sub("-", page.title.lower())[:40].strip("-")
    return f"bots/{number}-{name}.html" if name else f"bots/{number}.html"


# -- one file -------------------------------------------------------------------------------------------------


def write_one_file(report: Report, games: Iterable[GamePage]) -> tuple[str, int]:
    """The report as one HTML file, and how many of the games it holds: the first ones, up to MAX_REPLAYS in all."""
    held: dict[str, GamePage] = {}
    size = 0
    for page in games:
        size += len(page.data)
        if size > MAX_REPLAYS:
            break
        held[page.game_id] = page

    def link(target: str) -> str:
        if (game := _game_of(target)) is None:
            return _beside(target) or f"#{target.replace(':', '-')}"
        return f"#replay-{game[0]}" if game[0] in held else ""

    def replay(target: str) -> Markup:
        game = _game_of(target)
        if game is None or game[0] not in held:
            return Markup("")
        step = held[game[0]].slowest.get(game[1])
        at = "" if step is None else f' data-step="{step}"'
        return Markup(f' target="_blank" data-replay="{escape(game[0])}"{at}')

    style, script = _template_file(REPORT_CSS), _script()
    hashes = [content_hash(script)]
    styles = [content_hash(style)]
    foot = [_names(report)]
    if held:
        hashes.append(content_hash(asset(PAGE_JS)))
        styles.append(content_hash(asset(PAGE_CSS)))
        foot += [_text_block("replay-style", asset(PAGE_CSS)), _text_block("replay-script", asset(PAGE_JS))]
        foot += [_text_block(f"replay-{page.game_id}", page.data, page.title) for page in held.values()]
    html = render(
        report,
        f"script-src {_sources(hashes)}; style-src {_sources(styles)}",
        pages=report.pages,
        link=link,
        replay=replay,
        head=f"<style>{style}</style>",
        foot="\n".join([*foot, f"<script>{script}</script>"]),
    )
    return html, len(held)


def _sources(hashes: Sequence[str]) -> str:
    return " ".join(f"'{found}'" for found in hashes)


def _text_block(key: str, content: str, title: str = "") -> str:
    titled = f' data-title="{escape(title)}"' if title else ""
    return f'<script type="text/plain" id="{escape(key)}"{titled}>{content}</script>'


# -- both -----------------------------------------------------------------------------------------------------


def _game_of(target: str) -> tuple[str, int] | None:
    """The id of the game to which a link leads, and the seat whose slowest decision it is to show, or -1."""
    kind, _, name = target.partition(":")
    game_id, _, seat = name.partition(":")
    return (game_id, int(seat or -1)) if kind in ("game", "slowest") else None


def _beside(target: str) -> str:
    """Where a link to a file beside the report leads; empty for any other."""
    return quote(target.removeprefix(BESIDE)) if target.startswith(BESIDE) else ""


def render(report: Report, sources: str, **parts: Any) -> str:
    """`sources`: of scripts and styles, for the policy; `parts`: what the template names besides."""
    policy = f"{POLICY}{CHANGING if report.changes else ''}; {sources}"
    html: str = _template(with_paths=report.with_paths).render(
        home_title=report.pages[0].title,
        footer=report.footer,
        icon=icon,
        policy=policy,
        refresh=REFRESH_SECONDS if report.changes else 0,
        **parts,
    )
    return html


def _names(report: Report) -> str:
    """The names of bots for filters, as JSON in which nothing can be read as HTML."""
    names = msgspec.json.encode(list(report.bots)).decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="bots">{names}</script>'


@cache
def _template(*, with_paths: bool) -> Any:
    def shown(value: Any) -> Any:
        if type(value) is not str:
            return value
        number = f"−{value[1:]}" if value[:1] == "-" and value[1:2].isdigit() else value
        return number if with_paths else without_paths(number)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__ or ""),
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("page.html")


def _script() -> str:
    return morph_script() + _template_file(REPORT_JS)


@cache
def _template_file(name: str) -> str:
    return Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")
