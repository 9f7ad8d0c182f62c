"""The starter kits, one per language. The files of each are in `templates/LANGUAGE`."""

from typing import Final

from msgspec import Struct


class Tool(Struct, frozen=True):
    """A program that a kit needs on PATH, and how to get it."""

    program: str
    source: str


class Kit(Struct, frozen=True, kw_only=True):
    """The properties of the kit of a language. Its bot.toml says how it is built and started.

    `title` is the name of the language.
    """

    title: str
    tools: tuple[Tool, ...]
    edit: str
    """The file that an author edits."""
    aliases: tuple[str, ...] = ()
    """Other names of the language."""
    shared: dict[str, str] = {}
    """Files of other languages that the kit also has: their paths among the templates, by their paths in the kit."""
    test: tuple[str, ...]
    """The commands that test the bot on `sample.jsonl`, run in its folder one after another after its build."""


MAKE: Final = Tool("make", "the package make; with Xcode's command line tools on macOS")
NODE: Final = Tool("node", "Node.js 18 or newer: https://nodejs.org")
JDK: Final = "a JDK for Java 17 or newer: https://adoptium.net"

KITS: Final = {
    "python": Kit(
        title="Python",
        aliases=("py",),
        tools=(Tool("python3", "Python 3.11 or newer: https://www.python.org"),),
        edit="bot.py",
        test=("python3 -m unittest",),
    ),
    "javascript": Kit(
        title="JavaScript",
        aliases=("js", "node"),
        tools=(NODE,),
        edit="bot.js",
        shared={"messages.d.ts": "typescript/messages.ts"},
        test=("node --test test_bot.js",),
    ),
    "typescript": Kit(
        title="TypeScript",
        aliases=("ts",),
        tools=(NODE, Tool("tsc", "the TypeScript compiler: npm install -g typescript")),
        edit="bot.ts",
        test=("node --test build/test_bot.js",),
    ),
    "java": Kit(
        title="Java",
        tools=(Tool("java", JDK), Tool("javac", JDK)),
        edit="bot/Bot.java",
        test=("java -cp build bot.TestBot",),
    ),
    "c": Kit(
        title="C",
        tools=(Tool("cc", "a C compiler, such as the package gcc or clang"), MAKE),
        edit="bot.c",
        test=("make test",),
    ),
    "cpp": Kit(
        title="C++",
        aliases=("c++", "cxx"),
        tools=(Tool("c++", "a C++ compiler, such as the package g++ or clang"), MAKE),
        edit="bot.cpp",
        test=("make test",),
    ),
    "rust": Kit(
        title="Rust",
        aliases=("rs",),
        tools=(Tool("cargo", "Rust 1.70 or newer: https://rustup.rs"),),
        edit="src/bot.rs",
        test=("cargo test --offline --target-dir build",),
    ),
    "go": Kit(
        title="Go",
        aliases=("golang",),
        tools=(Tool("go", "Go 1.18 or newer: https://go.dev"),),
        edit="bot.go",
        test=("go test",),
    ),
    "csharp": Kit(
        title="C#",
        aliases=("c#", "cs", "dotnet"),
        tools=(Tool("dotnet", "the .NET SDK, 8 or newer (not in Debian): https://dotnet.microsoft.com"),),
        edit="Bot.cs",
        test=("dotnet build/bot.dll test",),
    ),
}
"""By name, as in `referee bot new --language` and as the folder of its templates."""

ALIASES: Final = {alias: name for name, kit in KITS.items() for alias in kit.aliases}
"""Other names for them."""
