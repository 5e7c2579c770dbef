"""The command line, `pdeval` or `python -m pdeval`: see `pdeval.cli`."""

import gc
import os
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

from pdeval.cli import UsageError, commands
from pdeval.cli.parser import MEANINGS, PROGRAM, parser, repeat_measure_option, verbs
from pdeval.tables import visible
from pdeval.verbs import nearest

INTERRUPTED, CLOSED_PIPE = 130, 141


def program() -> int:
    """Run the command line and return its exit status, before the process ends."""
    try:
        return main()
    finally:
        gc.freeze()  # no garbage collection at exit, which takes a fifth of the total time


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 for an error in the data, 2 for an error in the command.

    Status 1 of 'gate' is its result, so that all its errors have status 2.

    Examples
    --------
    >>> main(["catalog", "uniform"])  # doctest: +ELLIPSIS
    name    family ...
    """
    words = repeat_measure_option(sys.argv[1:] if argv is None else argv)
    command_line = parser(words)
    name, fault = "", 1
    try:
        _check_command(words)
        options = command_line.parse_args(words)
        name = options.command
        fault = 2 if name == "gate" else 1
        if name is None:
            command_line.print_help()
            return 0
        with warnings.catch_warnings():
            _print_warnings(options.quiet)
            return commands.run(options)
    except BrokenPipeError:
        # the reader closed the pipe: nothing may be flushed to it at exit
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
        return fault
    except MemoryError:
        _print_message("error: not enough memory. Use fewer runs or queries, or a smaller --depth.")
        return fault
    except Exception:
        if fault == 1:
            raise
        traceback.print_exc()
        return fault


def _check_command(words: Sequence[str]) -> None:
    """Raise if the first word is not a command, with a suggestion."""
    known = {*verbs(), *commands.OTHER_COMMANDS, "-h", "--help", "--version"}
    if not words or words[0] in known:
        return
    names = {**MEANINGS, **{name: name for name in known}}
    if (near := nearest(words[0], names)) is not None:
        raise UsageError(f"no command {words[0]!r}. Did you mean {near!r}?")
    # called like trec_eval: only options or files
    if words[0].startswith("-"):
        words = [word for word in words if word != "--trec-eval"]
        raise UsageError(
            f"no command. For the format of trec_eval, use: {PROGRAM} evaluate --trec-eval {' '.join(words)}"
        )
    if len(words) > 1 and Path(words[0]).exists():
        raise UsageError(f"no command. To evaluate runs, use: {PROGRAM} evaluate {' '.join(words)}")
    raise UsageError(
        f"no command {words[0]!r}. Commands are: {', '.join([*verbs(), *commands.OTHER_COMMANDS])}."
    )


def _text(error: BaseException | str) -> str:
    """Return the message of an error or a warning; that of a KeyError without the quotes of str()."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: '{error.filename}'" if error.filename else f"{error.strerror}."
    if isinstance(error, UnicodeEncodeError):
        return (
            f"the output encoding {sys.stdout.encoding} has no character {error.object[error.start]!a}. Set "
            "PYTHONIOENCODING=utf-8, or write to a file with -o FILE."
        )
    text = (
        str(error.args[0])
        if isinstance(error, KeyError) and error.args
        else str(error) or type(error).__name__
    )
    # options in the form of the shell
    text = re.sub(r"\b(encoding|replicate)='([\w-]+)'", r"--\1 \2", text)
    return re.sub(
        r"df\.ireval\(run=\[?(.*?)\]?\)",
        lambda at: "--run " + re.sub(r"'|(?<=,) ", "", at[1]),
        text,
    )


def _print_message(text: str) -> None:
    print(visible(f"{PROGRAM}: {text}", kept="\n\t"), file=sys.stderr)


def _print_warnings(quiet: bool) -> None:
    """Print each warning once, in one line on standard error, or none."""
    if quiet:
        warnings.simplefilter("ignore")
        return
    printed: set[str] = set()

    def print_once(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in printed:
            _print_message(f"warning: {_text(message)}")
        printed.add(str(message))

    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = print_once


if __name__ == "__main__":
    sys.exit(program())
