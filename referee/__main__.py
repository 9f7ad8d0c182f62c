"""The command `referee`, and `python -m referee`."""

import signal


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # while modules are imported; the command line allows it
    from referee.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
