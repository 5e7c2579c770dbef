"""Data inside a page: compressed text, and JSON that no id can break out of."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np

# what could end a script or begin a comment, and the two line ends that JSON allows and old scripts do not
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def json_text(value: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever the texts in it.

    Examples
    --------
    >>> json_text(["</script>", 0.5])
    '["\\u003c/script\\u003e",0.5]'
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)


def packed(value: Any) -> str:
    """Return JSON, compressed, as text of letters and digits; the page unpacks it on use.

    Examples
    --------
    >>> import zlib, base64
    >>> zlib.decompress(base64.b64decode(packed([0, 0.5])))
    b'[0,0.5]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode("ascii")


def numbers(values: np.ndarray) -> list[Any]:
    """Return numbers as JSON holds them: every digit, null for what is missing, texts for what is infinite.

    Examples
    --------
    >>> numbers(np.array([0.1, 2.0, np.nan, np.inf]))
    [0.1, 2, None, 'inf']
    """
    return [_number(value) for value in np.asarray(values, dtype=float).ravel().tolist()]


def _number(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def rounded(values: np.ndarray, digits: int = 6) -> list[Any]:
    """Return numbers to so many significant digits.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.0, np.nan]), 3)
    [0.333, 0, None]
    """
    return numbers(np.array([float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).ravel()]))
