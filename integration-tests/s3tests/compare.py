"""Compares a run of s3tests with the failures that are expected, and records the numbers.

compare.py [--record] RESULT.XML DIRECTORY

failures.txt has a line for each test that fails: file and function, a tab, and the reason. result.txt gets the numbers of a
whole run with --record. Exit code 1 if a test fails that is not expected to, or passes although it is.
"""

import datetime
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def name_of(case) -> str:
    """Returns file and function, since functions of two files have the same name."""
    file = next(part for part in case.get("classname").split(".") if part.startswith("test_s3_"))
    return file + "." + case.get("name")


def main() -> int:
    record = "--record" in sys.argv
    result, directory = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    expected = {}
    for line in pathlib.Path(directory, "failures.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split("\t", 1)
            expected[name] = reason
    outcomes = {}
    for case in ElementTree.parse(result).iter("testcase"):
        if case.get("name"):
            name = name_of(case)
            kinds = {child.tag for child in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            # A failure of the teardown is a case of its own.
            if outcomes.get(name) != "failed":
                outcomes[name] = outcome
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    passed = {name for name, outcome in outcomes.items() if outcome == "passed"}
    skipped = len(outcomes) - len(failed) - len(passed)
    print(f"{len(passed)} of {len(outcomes)} pass, {len(failed)} fail, {skipped} are skipped")
    for name in sorted(failed - expected.keys()):
        print(f"fails unexpectedly: {name}")
    for name in sorted(passed & expected.keys()):
        print(f"passes unexpectedly: {name}")
    if record:
        day = datetime.date.today().isoformat()
        pathlib.Path(directory, "result.txt").write_text(
            f"date {day}\npassed {len(passed)}\nfailed {len(failed)}\nskipped {skipped}\n")
    return 1 if failed - expected.keys() or passed & expected.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
