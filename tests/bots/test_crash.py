"""The lines shown of the standard error of a bot that crashed: the cause, wherever its language puts it."""

from pathlib import Path

import pytest

from referee.bots.crash import cause_of_crash, crash_advice, stderr_lines
from referee.outcome import Fault
from referee.processes.stderr_log import StderrExcerpt
from tournaments.event.director import format_fault

LOGS = "".join(f"log {number}\n" for number in range(50))
STACK = "".join(f"\tat Main.f(Main.java:{number})\n" for number in range(30))
PYTHON = (
    'Traceback (most recent call last):\n  File "bot.py", line 7, in <module>\n    raise KeyError(3)\nKeyError: 3\n'
)
JAVA = f'Exception in thread "main" java.lang.RuntimeException: x\n{STACK}Caused by: java.io.IOException: no é\n{STACK}'
RUST = "thread 'main' (25) panicked at src/main.rs:1:90:\nindex out of bounds: the len is 0\n" + "note: more\n" * 20
CPP = "terminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\n"
NODE = (
    "/bot/bot.js:3\n  null.x\n       ^\n\nTypeError: Cannot read properties of null\n" + "    at f (bot.js:3:1)\n" * 20
)
GO = "panic: runtime error: index out of range [1] with length 1\n\ngoroutine 1 [running]:\n" + "main.main()\n" * 20
CAUSES = {
    "Python": (PYTHON, "KeyError: 3"),
    "Java": (JAVA, "Caused by: java.io.IOException: no é"),
    "Rust": (RUST, "index out of bounds: the len is 0"),
    "C++": (CPP, "what():  boom"),
    "C": ("a: a.c:2: main: Assertion `c==5' failed.\n", "a: a.c:2: main: Assertion `c==5' failed."),
    "JavaScript": (NODE, "TypeError: Cannot read properties of null"),
    "Go": (GO, "panic: runtime error: index out of range [1] with length 1"),
    "C#": (
        "Unhandled exception. System.NullReferenceException: no object\n" + "   at Bot.Main()\n" * 20,
        "Unhandled exception. System.NullReferenceException: no object",
    ),
    "Ruby": (
        "bot.rb:3:in `f': no key (KeyError)\n" + "\tfrom bot.rb:7:in `<main>'\n" * 20,
        "bot.rb:3:in `f': no key (KeyError)",
    ),
    "none that is known": ("it was\nthe butler\n\n", "the butler"),
}


@pytest.mark.parametrize(("text", "cause"), CAUSES.values(), ids=CAUSES)
@pytest.mark.parametrize("before", ["", LOGS])
def test_the_cause_is_among_a_few_lines_of_beginning_and_end(text: str, cause: str, before: str) -> None:
    assert cause_of_crash(before + text) == cause
    lines = stderr_lines(before + text)
    assert cause in [line.strip() for line in lines]
    assert len(lines) <= 18
    assert lines[0] == (before + text).splitlines()[0]
    assert lines[-1] == (before + text).rstrip().splitlines()[-1]


def test_what_is_left_out_is_marked_and_nothing_else() -> None:
    assert stderr_lines(LOGS) == [*LOGS.splitlines()[:4], "…", *LOGS.splitlines()[-4:]]
    assert stderr_lines(PYTHON) == PYTHON.splitlines()
    assert stderr_lines("same\n" * 3 + "\n…\n" + "same\n" * 3) == ["same"] * 3 + ["…"] + ["same"] * 3
    assert stderr_lines("\n \n") == []
    assert cause_of_crash("\n") is None


NODE_KIT = """\
act 3 (choose_action) of game sample-0:
/bot/wire.js:76
          throw error; // Node writes it to standard error and ends
          ^

TypeError: Cannot read properties of undefined (reading 'x')
    at Array.map (<anonymous>)
    at actionValue (/bot/bot.js:79:16)
"""
NODE_KIT += "    at take (/bot/wire.js:32:27)\n" * 9 + "\nNode.js v20.20.2\n"
JAVA_KIT = """\
act 1 (draft) of game sample-0:
java.lang.IndexOutOfBoundsException: Index 3 out of bounds for length 0
"""
JAVA_KIT += "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)\n" * 5
JAVA_KIT += "\tat bot.Bot.chooseDragon(Bot.java:52)\n" + "\tat bot.Wire.answer(Wire.java:100)\n" * 4
GO_KIT = """\
act 1 (draft) of game sample-0:
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4971b4]

goroutine 1 [running]:
panic({0x4a3f20?, 0x53bb50?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
main.chooseDragon(0xc000012120)
\t/bot/bot.go:52 +0x1d
main.answer(...)
\t/bot/wire.go:80
main.play()
\t/bot/wire.go:60 +0x5f
main.main()
\t/bot/main.go:5 +0x1c
exit status 2
"""
C_KIT = (
    "=================================================================\n"
    "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018\n"
    "READ of size 4 at 0x602000000018 thread T0\n"
    "    #0 0x5570 in choose_dragon bot.c:52\n    #1 0x5571 in main main.c:9\n"
) + "    #2 0x7f3 in __libc_start_call_main\n" * 9
CSHARP_KIT = (
    "Unhandled exception. System.ArgumentOutOfRangeException: Index was out of range.\n"
    "   at System.Collections.Generic.List`1.get_Item(Int32 index)\n"
    "   at Bot.ChooseDragon(DragonAct act) in /bot/Bot.cs:line 52\n"
) + "   at Wire.Answer(String line) in /bot/Wire.cs:line 80\n" * 9
GCC = (
    "bot.c: In function 'choose_dragon':\nbot.c:52:5: error: 'x' undeclared\n   52 |     x = 1;\n      |     ^\n"
    + "make: more\n" * 9
)
PLACES = {
    "JavaScript": (NODE_KIT, "    at actionValue (/bot/bot.js:79:16)"),
    "Java": (JAVA_KIT, "\tat bot.Bot.chooseDragon(Bot.java:52)"),
    "Java, caught and thrown again": (
        JAVA_KIT + "Caused by: java.io.IOException: no\n" + "\tat java.base/java.io.File.f(File.java:1)\n" * 9,
        "\tat bot.Bot.chooseDragon(Bot.java:52)",
    ),
    "Go": (GO_KIT, "\t/bot/bot.go:52 +0x1d"),
    "C": (C_KIT, "    #0 0x5570 in choose_dragon bot.c:52"),
    "C#": (CSHARP_KIT, "   at Bot.ChooseDragon(DragonAct act) in /bot/Bot.cs:line 52"),
    "a compiler": (GCC, "   52 |     x = 1;"),
}


@pytest.mark.parametrize(("text", "place"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("before", ["", LOGS])
def test_the_line_of_the_author_is_shown_whatever_the_library_has_between(text: str, place: str, before: str) -> None:
    lines = stderr_lines(before + text)
    assert place in lines
    assert len(lines) <= 18


ADVICE = {
    "python3: can't open file '/elsewhere/x.py': [Errno 2]": "it can't find /elsewhere/x.py: check the path",
    "Error: Cannot find module '/elsewhere/bot.js'\nRequire": "it can't find /elsewhere/bot.js: check the path",
    "Error: Unable to access jarfile bot.jar": "it can't find bot.jar: check the path",
    "ModuleNotFoundError: No module named 'numpy'": "install numpy for the Python that its command names",
    "./bot: error while loading shared libraries: libx.so.1: cannot open": "install libx.so.1",
}


@pytest.mark.parametrize(("text", "advice"), ADVICE.items(), ids=ADVICE)
def test_what_to_do_about_a_file_that_is_not_found(text: str, advice: str) -> None:
    assert crash_advice(text, sandboxed=False) == advice
    hidden = crash_advice(text, sandboxed=True)
    assert hidden is not None
    assert hidden.startswith(f"{advice}; the sandbox hides what is outside the bot's folder: put it there, or show it")


def test_a_class_that_was_not_compiled() -> None:
    text = "Error: Could not find or load main class Bot\nCaused by: java.lang.ClassNotFoundException: Bot\n"
    assert crash_advice(text, sandboxed=True) == 'compile Bot: build = "javac Bot.java" in bot.toml'
    assert crash_advice(PYTHON, sandboxed=True) is None
    no_source = crash_advice(text.replace("Bot", "Bot.java"), sandboxed=False)
    assert no_source == "it can't find Bot.java: check the path"
    assert crash_advice(text.replace("Bot", "Bot.class"), sandboxed=True) == "write java Bot, without .class"


NOT_FOUND = {
    "Python": PYTHON.replace("KeyError: 3", "FileNotFoundError: [Errno 2] No such file or directory: 'PATH'"),
    "JavaScript": "Error: ENOENT: no such file or directory, open 'PATH'\n    at f (bot.js:3:1)\n  errno: -2\n}\n",
    "Java": f'Exception in thread "main" java.io.FileNotFoundException: PATH (No such file or directory)\n{STACK}',
    "Java, NIO": f'Exception in thread "main" java.nio.file.NoSuchFileException: PATH\n{STACK}',
    "Go": "panic: open PATH: no such file or directory\n\ngoroutine 1 [running]:\nmain.main()\n",
    "C": "PATH: No such file or directory\n",
    "C#": "Unhandled exception. System.IO.FileNotFoundException: Could not find file 'PATH'.\n   at Bot.Main()\n",
    "Ruby": "bot.rb:1:in `read': No such file or directory @ rb_sysopen - PATH (Errno::ENOENT)\n",
    "a shell": "cat: PATH: No such file or directory\n",
}


@pytest.mark.parametrize("text", NOT_FOUND.values(), ids=NOT_FOUND)
def test_a_file_that_the_sandbox_hides(text: str, tmp_path: Path) -> None:
    path = tmp_path / "opening book.txt"
    assert crash_advice(text.replace("PATH", str(path)), sandboxed=True, folder=tmp_path) is None
    path.touch()
    assert crash_advice(text.replace("PATH", str(path)), sandboxed=True) is None, "a stranger may have asked"
    advice = crash_advice(text.replace("PATH", str(path)), sandboxed=True, folder=tmp_path)
    assert advice is not None
    assert advice.startswith(f"{path} exists outside of the sandbox, which hides it: put it into the bot's folder, or")
    assert "--show" in advice
    assert crash_advice(text.replace("PATH", str(path)), sandboxed=False) is None


REFUSED = {
    "PermissionError: [Errno 13] Permission denied: '../log.txt'": "may write to /tmp only",
    "OSError: [Errno 30] Read-only file system: 'log.txt'": "write files to /tmp",
    "Error: EROFS: read-only file system, open 'log.txt'": "write files to /tmp",
    "panic: open log.txt: read-only file system": "write files to /tmp",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution": "no network in the sandbox",
    "OSError: [Errno 101] Network is unreachable": "no network in the sandbox",
    "Error: getaddrinfo EAI_AGAIN example.org": "no network in the sandbox",
    'Exception in thread "main" java.net.UnknownHostException: example.org': "no network in the sandbox",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items(), ids=REFUSED)
def test_what_the_sandbox_refuses(text: str, words: str) -> None:
    assert words in str(crash_advice(text, sandboxed=True))
    assert crash_advice(text, sandboxed=False) is None
    assert crash_advice(f"could not log: {text}\n{LOGS}last words\n", sandboxed=True) is None


def test_a_relative_file_is_told_with_the_folder_in_which_it_was_looked_for(tmp_path: Path) -> None:
    for text in NOT_FOUND.values():
        missing = text.replace("PATH", "books/opening.txt")
        for sandboxed in (False, True):
            advice = str(crash_advice(missing, sandboxed=sandboxed, folder=tmp_path))
            assert advice.startswith(
                f"books/opening.txt was looked for in {tmp_path}, where the bot is started: put it"
            )
        told = str(crash_advice(missing, sandboxed=True))
        assert told == "books/opening.txt was looked for in the folder in which the bot is started: put it there"
    (tmp_path / "books").mkdir()
    (tmp_path / "books/opening.txt").touch()
    advice = str(crash_advice(missing, sandboxed=True, folder=tmp_path))
    assert "of which the sandbox shows only the files that the command names: put the bot and its files into" in advice
    assert crash_advice("Error opening file: No such file or directory\n", sandboxed=True, folder=tmp_path) is None


def test_a_file_in_the_home_folder_which_is_another_one_for_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    text = NOT_FOUND["Python"].replace("PATH", "/tmp/weights of mine.bin")
    assert crash_advice(text, sandboxed=True, folder=tmp_path) is None
    (tmp_path / "weights of mine.bin").touch()
    for sandboxed, show in ((False, False), (True, True)):
        advice = str(crash_advice(text, sandboxed=sandboxed, folder=tmp_path))
        assert advice.startswith(
            f"the home folder of a bot is /tmp, so ~/weights of mine.bin is not {tmp_path}/weights of mine.bin: put it"
        )
        assert ("--show" in advice) is show


VARIABLES = {
    "Python": "  File \"<frozen os>\", line 679, in __getitem__\nKeyError: 'BOT_KEY'\n",
    "Ruby": 'bot.rb:2:in `fetch\': key not found: "BOT_KEY" (KeyError)\n\tENV.fetch\n',
    "a shell": "bot.sh: line 2: BOT_KEY: unbound variable\n",
    "Go": "panic: environment variable BOT_KEY is not set\n\ngoroutine 1 [running]:\n",
    "Java": 'Exception in thread "main" java.lang.IllegalStateException: BOT_KEY must be set (System.getenv)\n',
}


@pytest.mark.parametrize("text", VARIABLES.values(), ids=VARIABLES)
def test_an_environment_variable_that_is_missing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOT_KEY", raising=False)
    given = "a bot gets only what it is given: --env BOT_KEY, or env in a tournament file"
    assert crash_advice(text, sandboxed=False) in (f"BOT_KEY is not set: {given}", None)
    monkeypatch.setenv("BOT_KEY", "x")
    for sandboxed in (False, True):
        assert crash_advice(text, sandboxed=sandboxed, folder=Path()) == f"BOT_KEY is set here, but {given}"
    assert crash_advice(text, sandboxed=True) in (f"BOT_KEY is not set: {given}", None), "a stranger may have asked"


def test_a_key_of_a_dictionary_is_not_taken_for_a_variable() -> None:
    assert crash_advice(PYTHON.replace("KeyError: 3", "KeyError: 'MONK'"), sandboxed=True) is None


THREADS = (
    "RuntimeError: can't start new thread",
    'Exception in thread "main" java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory',
    "bot.sh: fork: retry: Resource temporarily unavailable",
    "ran more than 512 processes and threads at a time; that is the limit (processes)",
)


@pytest.mark.parametrize("text", THREADS)
def test_the_limit_of_processes_counts_threads(text: str) -> None:
    assert "the limit `processes` counts its processes and threads together" in str(crash_advice(text, sandboxed=False))


GPU = (
    "RuntimeError: No CUDA GPUs are available",
    "terminate called: CUDA driver version is insufficient",
    "no NVIDIA driver",
)


@pytest.mark.parametrize("text", GPU)
def test_there_is_no_gpu_in_the_sandbox(text: str) -> None:
    assert "there is no GPU in the sandbox" in str(crash_advice(text, sandboxed=True))
    assert crash_advice(text, sandboxed=False) is None


def test_a_fault_in_a_tournament_is_told_with_its_cause() -> None:
    crash = Fault("crash", "exited with status 1 at act 7")
    kept = StderrExcerpt(path=None, head="", tail=PYTHON)
    assert format_fault(crash, kept) == "crash: exited with status 1 at act 7; its standard error: KeyError: 3"
    assert format_fault(crash, StderrExcerpt(path=None, tail="")) == str(crash)
    assert format_fault(crash, None) == str(crash)
    wrong = Fault("illegal_action", "index 9 is not in 0 to 3 (draft at act 1)")
    assert format_fault(wrong, kept) == str(wrong)


def test_a_program_for_another_processor_is_told_so() -> None:
    told = crash_advice("510: 1: exec: ./arm: Exec format error\n", sandboxed=True)
    assert told == "it is a program for another processor or system: compile it for this one"
