"""The languages that there are starter kits for. The files of each are in `templates/LANGUAGE`."""

from typing import Final

from msgspec import Struct


class Tool(Struct, frozen=True):
    """A program that a kit needs on PATH, and how one gets it."""

    program: str
    source: str


class Language(Struct, frozen=True, kw_only=True):
    """What is particular about the kit of a language. How it is built and started is in its bot.toml."""

    title: str
    tools: tuple[Tool, ...]
    edit: str
    """The file that an author edits."""
    aliases: tuple[str, ...] = ()
    """Other names that it goes by."""
    test: tuple[str, ...]
    """The commands, run in the folder one after another after its build, that test the bot on `sample.jsonl`."""


MAKE: Final = Tool("make", "the package make; with Xcode's command line tools on macOS")
NODE: Final = Tool("node", "Node.js 18 or newer: https://nodejs.org")
JDK: Final = "a JDK for Java 17 or newer: https://adoptium.net"

LANGUAGES: Final = {
    "python": Language(
        title="Python",
        aliases=("py",),
        tools=(Tool("python3", "Python 3.11 or newer: https://www.python.org"),),
        edit="bot.py",
        test=("python3 -m unittest",),
    ),
    "javascript": Language(
        title="JavaScript",
        aliases=("js", "node"),
        tools=(NODE,),
        edit="bot.js",
        test=("node --test test_bot.js",),
    ),
    "typescript": Language(
        title="TypeScript",
        aliases=("ts",),
        tools=(NODE, Tool("tsc", "the TypeScript compiler: npm install -g typescript")),
        edit="bot.ts",
        test=("node --test build/test_bot.js",),
    ),
    "java": Language(
        title="Java",
        tools=(Tool("java", JDK), Tool("javac", JDK)),
        edit="bot/Bot.java",
        test=("java -cp build bot.TestBot",),
    ),
    "c": Language(
        title="C",
        tools=(Tool("cc", "a C compiler, such as the package gcc or clang"), MAKE),
        edit="bot.c",
        test=("make test",),
    ),
    "cpp": Language(
        title="C++",
        aliases=("c++", "cxx"),
        tools=(Tool("c++", "a C++ compiler, such as the package g++ or clang"), MAKE),
        edit="bot.cpp",
        test=("make test",),
    ),
    "rust": Language(
        title="Rust",
        aliases=("rs",),
        tools=(Tool("cargo", "Rust 1.70 or newer: https://rustup.rs"),),
        edit="src/bot.rs",
        test=("cargo test --offline --target-dir build",),
    ),
    "go": Language(
        title="Go",
        aliases=("golang",),
        tools=(Tool("go", "Go 1.18 or newer: https://go.dev"),),
        edit="bot.go",
        test=("go test",),
    ),
    "csharp": Language(
        title="C#",
        aliases=("c#", "cs", "dotnet"),
        tools=(Tool("dotnet", "the .NET SDK, 8 or newer: https://dotnet.microsoft.com"),),
        edit="Bot.cs",
        test=("dotnet build/bot.dll test",),
    ),
}
"""By the name that `referee bot new --language` takes and the folder of its templates has."""

ALIASES: Final = {alias: name for name, language in LANGUAGES.items() for alias in language.aliases}
"""Other names for them."""
