import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pdeval.tables.dataframes import categorical, from_arrow, text_dtype


def test_text_dictionaries_and_numbers_become_text_categoricals_and_numpy():
    run = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    )
    table = pa.table({"run": run, "doc_id": ["01", "2", "3", "4"], "score": [1.0, 2.0, 3.0, 4.0]})
    frame = from_arrow(table)
    assert frame["run"].tolist() == ["a", "b", "b", "c"]
    assert frame["run"].cat.categories.tolist() == ["a", "b", "c"]
    assert frame["doc_id"].tolist() == ["01", "2", "3", "4"]
    assert frame["doc_id"].dtype == text_dtype()
    assert frame["score"].dtype == np.float64


def test_the_frame_can_be_changed_and_the_table_cannot_be_through_it():
    table = pa.table({"run": pa.array(["a"]).dictionary_encode(), "doc_id": ["d"], "score": [1.0]})
    frame = from_arrow(table)
    frame.loc[0, "score"] = 2.0
    frame.loc[0, "doc_id"] = "e"
    frame.loc[0, "run"] = np.nan
    assert frame["score"].tolist() == [2.0]
    assert table.to_pylist() == [{"run": "a", "doc_id": "d", "score": 1.0}]


@pytest.mark.broad
def test_categoricals_of_127_128_and_129_names_keep_every_name():
    for n in (127, 128, 129, 32767, 32768, 32769):
        names = [str(i) for i in range(n)]
        made = categorical(np.arange(n, dtype=np.int32), names)
        assert made.tolist() == names
        assert made.codes.dtype == pd.Categorical(names).codes.dtype, n
