"""Defines the prompts for common jobs: a person picks one from a menu, and a model carries it out with the tools."""

from __future__ import annotations

from ..sdk import Prompt


def cover_module(module: str, framework: str = "pytest") -> str:
    """Cover a module with tests that hold, and say what was found on the way."""
    return (
        f"Cover {module} with {framework} tests.\n"
        f"1. Call plan_tests(request='unit tests for {module}', framework='{framework}') and check that it names the "
        "intended target; take a suggestion where it does not.\n"
        "2. Call generate_tests with the same request. While an answer has status running, call run_status with its "
        "run_id.\n"
        "3. Tell the user, from the answer and get_report: how many tests are kept, what coverage they bring, what was "
        "dropped and why, and every suspected defect with its evidence.\n"
        "4. Ask whether the tests shall join the project, and call apply_tests only when the user says so."
    )


def cover_what_has_no_tests(scope: str = "the project") -> str:
    """Find what has no tests yet, and cover the part that matters most."""
    return (
        f"Find out what in {scope} has no tests, and cover it.\n"
        f"1. Call plan_tests(request='only what has no tests in {scope}').\n"
        "2. Show the user the targets; suggest an order: what is central, branches much, or fails costly comes first.\n"
        "3. Call generate_tests for the targets the user chooses, a few at a time, and report as for one module."
    )


def explain_suspected_defect(run_id: str, defect: str = "") -> str:
    """Explain a suspected defect of a run: what is promised, what happens, who is right."""
    which = f"the suspected defect {defect!r}" if defect else "each suspected defect"
    return (
        f"Explain {which} of run {run_id}.\n"
        f"1. Read testwright://runs/{run_id}/report.json (or call get_report): what is documented, what was observed, "
        "how to reproduce it.\n"
        "2. Read the code at the evidence's lines, and what speaks of it: get_codebase_context for the symbol.\n"
        "3. Say who is right, the documentation or the code, and why; name who depends on the present behaviour.\n"
        "4. Propose the smallest change of code or documentation, and a test that tells them apart. Change nothing yet."
    )


def review_generated_tests(run_id: str) -> str:
    """Review the staged tests of a run as a strict colleague would, before they join the project."""
    return (
        f"Review the tests of run {run_id} before they join the project.\n"
        f"1. Read testwright://runs/{run_id}/report.md and every testwright://runs/{run_id}/tests/… that it names.\n"
        "2. For each test: does its name say what it proves? Is the expectation promised by documentation, or only "
        "observed? Would it break by a change that breaks nothing? Is something important missing?\n"
        "3. List what you would change, worst first, with file and line. For cases that are wrong, edit the spec "
        f"(testwright://runs/{run_id}/specs/…), save it in the project and call generate_tests_from_spec with it.\n"
        "4. Recommend apply_tests or not, in one sentence."
    )


def explain_failing_tests(test_path: str) -> str:
    """Run a test file, and say for each failure whether code, test or environment is to blame."""
    return (
        f"Find out why tests in {test_path} fail.\n"
        f"1. Call run_tests(test_path='{test_path}'); it repeats them in other orders, so that flaky ones show.\n"
        "2. Call analyze_test_results with the results_path of its answer.\n"
        "3. For each failure, read test and code, and say which is to blame and what to change; say so where it is "
        "unclear. Do not weaken a test that finds a defect."
    )


def job_prompts() -> tuple[Prompt, ...]:
    """Builds the prompts of the server."""
    titles = {
        cover_module: "Cover a module",
        cover_what_has_no_tests: "Cover what has no tests",
        explain_suspected_defect: "Explain a suspected defect",
        review_generated_tests: "Review generated tests",
        explain_failing_tests: "Explain failing tests",
    }
    return tuple(Prompt.from_function(prompt, title=title) for prompt, title in titles.items())
