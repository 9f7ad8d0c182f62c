"""JUnit XML, which CI systems read: a test suite for each level, and a test case for each check."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from referee.conformance.finding import CheckResult, Report, count, format_details
from referee.printable import printable


def write_junit(report: Report, path: Path) -> None:
    """Write a report to a file. Raises OSError.

    A failed check has a `failure`, a skipped one `skipped`; a warning is a test case that passes and says in its
    `system-out` what it is about, as JUnit has no warnings. If the checks were interrupted, there is an `error`.
    """
    tree = ElementTree.ElementTree(junit(report))
    ElementTree.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def junit(report: Report) -> Element:
    """The root element of the XML of a report. Everything in it is printable, so that it is well-formed."""
    root = Element("testsuites", name=printable(f"referee bot check {report.bot}"))
    add_counts(root, report.checks, errors=int(report.interrupted))
    del root.attrib["skipped"]  # some readers allow it in a suite only
    for level, group in groupby(report.checks, key=lambda result: result.level):
        results = list(group)
        level_suite = SubElement(root, "testsuite", name=level)
        add_counts(level_suite, results)
        for result in results:
            add_case(level_suite, result)
    if report.interrupted:
        rest = SubElement(root, "testsuite", name="interrupted")
        add_counts(rest, [], errors=1)
        case = SubElement(rest, "testcase", classname="interrupted", name="interrupted", time="0.000")
        SubElement(case, "error", type="interrupted", message="interrupted before all checks were run")
    return root


def add_counts(element: Element, results: Sequence[CheckResult], errors: int = 0) -> None:
    counts = count(results)
    element.set("tests", str(len(results) + errors))
    element.set("failures", str(counts.failed))
    element.set("errors", str(errors))
    element.set("skipped", str(counts.skipped))
    element.set("time", f"{sum(result.seconds for result in results):.3f}")


def add_case(parent: Element, result: CheckResult) -> None:
    name = result.id.removeprefix(f"{result.level}.")
    case = SubElement(parent, "testcase", classname=result.level, name=name, time=f"{result.seconds:.3f}")
    message = printable(result.message)
    text = "\n".join([message, *(printable(line) for line in format_details(result))])
    if result.status == "fail":
        SubElement(case, "failure", type="fail", message=message).text = text
    elif result.status == "skipped":
        SubElement(case, "skipped", message=message)
    elif result.status == "warn":
        SubElement(case, "system-out").text = f"warning: {text}"
    else:
        SubElement(case, "system-out").text = text
