"""The ir_metadata headers of run files, in YAML, as a table with one row per run. Headers require PyYAML."""

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pdeval.files import file_io
from pdeval.files.lines import BOM, as_utf8
from pdeval.files.tabular import has_header

START, END = "ir_metadata.start", "ir_metadata.end"
PIECE = 1 << 16


def metadata_of(run_files: Iterable[Any], runs: list[str] | None = None) -> pd.DataFrame:
    """Return the headers of run files as metadata: one row per run, one column per value.

    Column names are the keys joined by dots; members of a list are numbered from 1: `method.retrieval.1.name`. Lists of
    plain values become one string. Runs without a header have missing values.

    Parameters
    ----------
    run_files : iterable of RunFile
        The files.
    runs : list of str, optional
        All runs, in the order of their rows.

    Examples
    --------
    >>> import tempfile
    >>> from pdeval.files.reading import RunFile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> lines = ["# ir_metadata.start", "# method:", "#   automatic: true", "# ir_metadata.end", "1 Q0 d 1 2.5 x"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> metadata_of([RunFile(path, "bm25")])
        run  method.automatic
    0  bm25              True
    """
    rows = []
    for file in run_files:
        if str(file.path) == file_io.STDIN or not Path(file.path).is_file():
            raise ValueError(
                f"'{file.path}' can be read only once, but metadata=True requires reading it twice. Pass a file."
            )
        if not has_header(file.path):
            values, tag = header_of(file.path, file.encoding)
            # a key of the header must not replace the name of the run
            renamed = {
                f"ir_metadata.{key}" if key == "run" else key: value
                for key, value in values.items()
            }
            rows.append({"run": file.name or tag, **renamed})
    table = pd.DataFrame(
        rows, columns=list(dict.fromkeys(["run", *(name for row in rows for name in row)]))
    )
    if runs is not None:
        table = table.set_index("run").reindex(pd.Index(runs, name="run")).reset_index()
    return table.infer_objects()


def header_of(path: Path, encoding: str | None = None) -> tuple[dict[str, Any], str]:
    """Return the header of a run file, its keys joined by dots, and the tag of its first line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("# ir_metadata.start\\n# tag: x\\n# ir_metadata.end\\n1 Q0 d 1 2.5 x\\n")
    >>> header_of(path)
    ({'tag': 'x'}, 'x')
    """
    comments, first_row = _comments(path, encoding)
    lines = [text.strip() for _, text in comments]
    starts = [place for place, line in enumerate(lines) if line == START]
    if starts and END not in lines[starts[-1] :]:
        raise ValueError(
            f"'{path}', line {comments[starts[-1]][0]}: '# {START}' has no '# {END}' before the first row."
        )
    header: dict[str, Any] = {}
    for place in starts:
        number, _ = comments[place]
        inside = takewhile(
            lambda comment: comment[1].strip() not in (START, END), comments[place + 1 :]
        )
        for name, value in _flat_block([text for _, text in inside], number, path).items():
            if header.setdefault(name, value) != value:
                raise ValueError(
                    f"'{path}', line {number}: {name} is {value!r} in a second header, but {header[name]!r} in the "
                    "first one. Keep one header."
                )
    tag = "".join(first_row.split()[5:6])
    if "tag" in header and tag and str(header["tag"]) != tag:
        raise ValueError(
            f"'{path}': the tag is {header['tag']!r} in the header, but {tag!r} in the rows. Check that the header "
            "belongs to this run, and correct one of the tags."
        )
    return header, tag


def _comments(path: Path, encoding: str | None) -> tuple[list[tuple[int, str]], str]:
    """Return the comments at the top of a file with their line numbers, and its first row."""
    data = b""
    with pa.input_stream(str(path), compression=file_io.compression(path)) as stream:
        while piece := stream.read(PIECE):
            data += piece
            rows = data.removeprefix(BOM).split(b"\n")[:-1]
            if any(row.strip() and not row.lstrip().startswith(b"#") for row in rows):
                break
    # the last character of a piece may be incomplete
    end = data.rfind(b"\n") + 1 or len(data)
    text = as_utf8(data[:end] if len(data) >= PIECE else data, path=path, encoding=encoding)
    comments: list[tuple[int, str]] = []
    for number, row in enumerate(text.removeprefix(BOM).decode().splitlines(), start=1):
        if row.lstrip().startswith("#"):
            comments.append((number, row.lstrip()[1:].rstrip()))
        elif row.strip():
            return comments, row
    return comments, ""


def _flat_block(lines: list[str], start: int, path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"'{path}' has an ir_metadata header, which needs PyYAML: pip install pyyaml."
        ) from None

    class UniqueKeys(yaml.SafeLoader):  # type: ignore[misc]
        """YAML in which a key that occurs twice is an error."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = set()
            for key_node, _ in node.value:
                if str(key_node.value) in keys:
                    fault = f"the key {key_node.value!r} occurs twice"
                    raise yaml.MarkedYAMLError(problem=fault, problem_mark=key_node.start_mark)
                keys.add(str(key_node.value))
            return super().construct_mapping(node, deep)

    try:
        # one space after '#' belongs to the comment
        content = yaml.load("\n".join(line.removeprefix(" ") for line in lines), UniqueKeys) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = start + 1 + (mark.line if mark else 0)
        fault = getattr(error, "problem", None) or str(error)
        raise ValueError(f"'{path}', line {line}, in the ir_metadata header: {fault}.") from None
    if not isinstance(content, dict):
        raise ValueError(
            f"'{path}', line {start + 1}: an ir_metadata header must have keys and values, not "
            f"{'a list' if isinstance(content, list) else repr(content)}."
        )
    return _flat(content)


def _flat(content: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested keys joined by dots.

    Examples
    --------
    >>> _flat({"method": {"stages": [{"k1": 0.9}, {"k1": 1.2}], "libraries": ["a", "b"]}})
    {'method.stages.1.k1': 0.9, 'method.stages.2.k1': 1.2, 'method.libraries': 'a, b'}
    """
    flat: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
            value = {str(number): one for number, one in enumerate(value, start=1)}
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = (
                ", ".join(map(str, value)) if isinstance(value, list) else value
            )
    return flat
