"""The command line, `pdeval` or `python -m pdeval`: see `pdeval.cli`."""

from __future__ import annotations

import gc
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from pdeval.cli import UsageError, commands
from pdeval.cli.parser import PROGRAM, parser, verbs
from pdeval.tables.labels import visible
from pdeval.verbs.spelling import nearest

INTERRUPTED, CLOSED_PIPE = 130, 141


def program() -> int:
    """Run what was typed and return its exit status; the process ends after it."""
    try:
        return main()
    finally:
        gc.freeze()  # Python looks through all that was imported for cycles before it ends: a fifth of the whole time


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 if the data is at fault, 2 if the command is.

    Examples
    --------
    >>> main(["catalog", "uniform"])  # doctest: +ELLIPSIS
    name    family ...
    """
    command_line = parser(sys.argv[1:] if argv is None else argv)
    name = ""
    try:
        _check_command(sys.argv[1:] if argv is None else argv)
        options = command_line.parse_args(argv)
        name = options.command
        if name is None:
            command_line.print_help()
            return 0
        with warnings.catch_warnings():
            _print_warnings(options.quiet)
            return commands.run(options)
    except BrokenPipeError:
        # whoever read has seen enough; nothing more is to be flushed into the closed pipe at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as error:
        command = f"{PROGRAM} {name}".strip()
        _print_message(f"error: {error}\nTry '{command} --help'.")
        return 2
    except (ValueError, KeyError, TypeError, ImportError, OSError, OverflowError) as error:
        _print_message(f"error: {_text(error)}")
        return 1
    except MemoryError:
        _print_message(
            "error: there is not enough memory for this; give fewer runs or queries, or a smaller --depth."
        )
        return 1


def _check_command(words: Sequence[str]) -> None:
    """Raise if no command is typed first, with the one that is meant."""
    known = {*verbs(), *commands.OTHER_COMMANDS, "-h", "--help", "--version"}
    if not words or words[0] in known:
        return
    if (near := nearest(words[0], known)) is not None:
        raise UsageError(f"no command {words[0]!r}. Did you mean {near!r}?")
    # as trec_eval is called: options or files alone
    if words[0].startswith("-"):
        words = [word for word in words if word != "--trec-eval"]
        raise UsageError(
            f"no command. As trec_eval: {PROGRAM} evaluate --trec-eval {' '.join(words)}"
        )
    if len(words) > 1 and Path(words[0]).exists():
        raise UsageError(f"no command. To evaluate runs: {PROGRAM} evaluate {' '.join(words)}")
    raise UsageError(
        f"no command {words[0]!r}. There are: {', '.join([*verbs(), *commands.OTHER_COMMANDS])}."
    )


def _text(error: BaseException) -> str:
    """Return an error's message; that of a KeyError without the quotes that str() puts around it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: '{error.filename}'" if error.filename else f"{error.strerror}."
    if isinstance(error, UnicodeEncodeError):
        return (
            f"the output is {sys.stdout.encoding}, which has no {error.object[error.start]!a}; set "
            "PYTHONIOENCODING=utf-8, or write to a file with -o FILE."
        )
    text = (
        str(error.args[0])
        if isinstance(error, KeyError) and error.args
        else str(error) or type(error).__name__
    )
    # as a shell says it
    text = re.sub(r"\bencoding='([\w-]+)'", r"--encoding \1", text)
    return re.sub(
        r"df\.ireval\(run=\[?(.*?)\]?\)",
        lambda at: "--run " + re.sub(r"'|(?<=,) ", "", at[1]),
        text,
    )


def _print_message(text: str) -> None:
    print(visible(f"{PROGRAM}: {text}", kept="\n\t"), file=sys.stderr)


def _print_warnings(quiet: bool) -> None:
    """Let warnings be one line on standard error, or nothing."""
    if quiet:
        warnings.simplefilter("ignore")
        return
    printed: set[str] = set()

    def print_once(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in printed:
            _print_message(f"warning: {message}")
        printed.add(str(message))

    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = print_once


if __name__ == "__main__":
    sys.exit(program())
