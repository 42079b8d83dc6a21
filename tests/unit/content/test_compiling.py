"""The compile check: what a text comes to, that nothing of it runs, and that nothing outlasts its bounds."""

import sys
from pathlib import Path

import pytest

from skillsvc.content.compiling import MOST_BYTES, Compilation, CompileCheck

COMPILES, BROKEN, UNCHECKED = Compilation

SOUND = {
    "nothing": b"",
    "a function": b"def fold(x):\n    return x\n",
    "a BOM": b"\xef\xbb\xbfx = 1\n",
    "letters": "h\u00f6he = '\U0001f6a2'\n".encode(),
    "an encoding that is a module": b"# coding: rot13\nx = 1\n",
    "an import of what is nowhere": b"import nowhere_at_all\n",
    "a power that would never end": b"x = 9**9**9**9\n",
    "a text that would fill all memory": b"x = 'a' * 10**15\n",
    "an escape that Python warns of": b"x = '\\d'\n",
    "an end of the process": b"raise SystemExit(1)\n",
}
FAULTY = {
    "no Python": (b"x = 1\ndef f(:\n", "line 2"),
    "a return outside": (b"return 1\n", "line 1"),
    "a NUL": (b"x = 1\0", "NUL"),
    "no UTF-8": (b"x = '\xff'\n", "byte 5"),
    "open brackets": (b"(" * 100_000, "line 1"),
    "braces that cost the parser its time": (b"{" * 60, "line 1"),
    "a number of too many digits": (b"x = " + b"9" * 100_000, "no Python"),
    "indents": (b"".join(b" " * depth + b"if 1:\n" for depth in range(200)), "line 101"),
}
TOO_MUCH = {
    "signs": b"-" * 1_000_000 + b"1",
    "sums": b"+".join([b"1"] * 400_000),
    "attributes": b"a" + b".b" * 600_000,
    "calls": b"a" + b"()" * 600_000,
    "lambdas": b"lambda:" * 100_000 + b"1",
    "branches": b"if 1: pass\n" + b"elif 1: pass\n" * 100_000,
    "a large literal": b"x = {" + b"1:2," * 450_000 + b"}",
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_what_is_python_compiles(text: bytes) -> None:
    assert CompileCheck().check(text).came_to is COMPILES


@pytest.mark.parametrize(("text", "why"), FAULTY.values(), ids=FAULTY)
def test_what_is_none_is_broken_and_told_by_its_place(text: bytes, why: str) -> None:
    verdict = CompileCheck().check(text)
    assert (verdict.came_to, why in verdict.why) == (BROKEN, True), verdict


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_deep_or_too_much_ends_without_harm(text: bytes) -> None:
    # Which of the two depends on the version of Python: never is it taken for sound, unless the compiler can do it.
    verdict = CompileCheck(within_s=30).check(text)
    assert verdict.came_to in {BROKEN, UNCHECKED, COMPILES}
    assert bool(verdict.why) is (verdict.came_to is not COMPILES)


def test_nothing_of_a_text_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nclass C(print(open({str(mark)!r}, 'w'))): pass\n"
    assert CompileCheck().check(text.encode()).came_to is COMPILES
    assert not mark.exists()


def test_what_is_larger_than_a_host_imports_is_not_compiled() -> None:
    verdict = CompileCheck(program=("/nowhere",)).check(b"#" * (MOST_BYTES + 1))
    assert (verdict.came_to, verdict.passes) == (UNCHECKED, False)
    assert str(MOST_BYTES) in verdict.why


def test_a_compiler_that_never_ends_is_killed_and_its_time_counts_for_all() -> None:
    check = CompileCheck(program=(sys.executable, "-c", "while True: pass"), within_s=0.2, in_all_s=0.1)
    late, unasked = check.check(b"x"), check.check(b"x")
    assert (late.came_to, late.passes) == (UNCHECKED, False)
    assert (unasked.came_to, unasked.passes) == (UNCHECKED, True)


@pytest.mark.parametrize(
    ("program", "came_to", "passes"),
    [
        (("/nowhere/at/all",), UNCHECKED, True),
        ((sys.executable, "-c", "pass"), UNCHECKED, True),
        ((sys.executable, "-c", "print('line 1' * 1000)"), UNCHECKED, True),
        ((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"), UNCHECKED, True),
        ((sys.executable, "-c", "import os; os.kill(os.getpid(), 11)"), BROKEN, False),
        ((sys.executable, "-c", "import os; os.kill(os.getpid(), 6)"), BROKEN, False),
    ],
)
def test_a_compiler_that_dies_takes_nobody_with_it(
    *, program: tuple[str, ...], came_to: Compilation, passes: bool
) -> None:
    verdict = CompileCheck(program=program).check(b"x = 1\n")
    assert (verdict.came_to, verdict.passes) == (came_to, passes)
