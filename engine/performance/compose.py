"""Composes a performance spec of Python calls, valid against its schema, from what was measured."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...utils.names.case_names import snake_case
from ...utils.python_names import assigned_names, names_of, unique_name
from ...utils.python_source import parse_python
from ..python.facts.names import ImportNames, imported_from_origin
from ..python.judge.oracle import OracleVerdict
from ..python.model.model import ModuleFacts, Trial
from ..python.model.spec_case import SpecExpectation
from .growth import TOLERANCE
from .helpers import OWN_MODULES, OWN_NAMES
from .model import Cost, Growth, Repeat, ScaledForm, with_names
from .plan import timed

SCHEMA_VERSION = "1.0.0"
REPETITIONS = 9
NUMBERS = {2: "two", 4: "four", 8: "eight", 16: "16", 64: "64"}
_MOST_NOT_REACHED = 1000


@dataclass(slots=True)
class Measured:
    """What was learnt of one callable; a part that was not is None.

    Attributes:
        trial: its everyday call, `verdict` what it returns.
        form, source: the form with a size, and the trial it comes from.
        large: what the larger call returns.
        before: what makes a call a first one.
    """

    subject: str
    trial: Trial
    verdict: OracleVerdict | None
    cost: Cost | None = None
    growth: Growth | None = None
    form: ScaledForm | None = None
    source: Trial | None = None
    large: OracleVerdict | None = None
    repeat: Repeat | None = None
    before: tuple[str, ...] = ()
    line: int = 0
    notes: list[str] = field(default_factory=list)


def compose_performance_spec(
    facts: ModuleFacts, measured: Sequence[Measured], reasons: Mapping[str, str]
) -> dict[str, Any]:
    """Composes the spec of one module. Where `cases` is empty, `not_reached` has the reasons.

    Args:
        reasons: why a callable has no case, by its qualified name.
    """
    texts = [text for one in measured for text in _imports(one)]
    makers = assigned_names(one.form.helper for one in measured if one.form is not None)
    names = ImportNames(texts, own_names=OWN_NAMES | makers, own_modules=OWN_MODULES)
    composer = _Composer(facts, names)
    cases = [case for one in measured for case in composer.cases_of(one)]
    covered = {str(case["subject"]) for case in cases}
    lines = {one.qualname: one.lines[0] for one in facts.callables()}
    missing = [
        {"subject": name, "reason": reason or "it was not measured", "line": max(1, lines.get(name, 1))}
        for name, reason in reasons.items()
        if name not in covered
    ]
    if not cases and not missing:
        missing = [{"subject": facts.module, "reason": "it defines no public function or method", "line": 1}]
    missing.sort(key=lambda row: (row["line"], str(row["subject"])))
    return {
        "schema_version": SCHEMA_VERSION,
        "test_type": "performance",
        "title": f"Performance tests of {facts.module}",
        "language": "python",
        "framework": "pytest",
        "target": {
            "name": facts.module,
            "path": facts.path,
            "module": {
                "path": facts.path,
                "module": facts.module,
                "import_root": facts.import_root,
                "digest": facts.digest,
            },
        },
        "imports": composer.names.statements(),
        "cases": cases,
        "suspected_defects": [],
        "not_reached": missing[:_MOST_NOT_REACHED],
    }


def _imports(one: Measured) -> tuple[str, ...]:
    verdicts = [verdict for verdict in (one.verdict, one.large) if verdict is not None]
    source = one.source.imports if one.source is not None else ()
    return (*one.trial.imports, *source, *(text for verdict in verdicts for text in verdict.imports))


class _Composer:
    def __init__(self, facts: ModuleFacts, names: ImportNames) -> None:
        self.facts = facts
        self.names = names
        self._used: set[str] = set()

    def cases_of(self, one: Measured) -> list[dict[str, Any]]:
        """The cases of one callable: how it grows, what it costs, what its cache saves."""
        cases = []
        if one.growth is not None and one.form is not None and one.large is not None and one.source is not None:
            cases.append(self._growth(one, one.growth, one.form, one.source, one.large))
        if one.repeat is not None and one.verdict is not None:
            cases.append(self._repeat(one, one.repeat, one.verdict))
        elif one.cost is not None and one.verdict is not None:
            cases.append(self._cost(one, one.cost, one.verdict))
        return cases

    def _growth(
        self, one: Measured, growth: Growth, form: ScaledForm, source: Trial, large: OracleVerdict
    ) -> dict[str, Any]:
        small_size, large_size = growth.sizes
        few, many = _variables(form, _names_in((*form.setup(), form.act)))
        if form.inlined:
            statements, calls = form.setup(), [form.act_with(form.value_of(size)) for size in growth.sizes]
        else:
            statements = (
                *form.setup(),
                f"{few} = {form.value_of(small_size)}",
                f"{many} = {form.value_of(large_size)}",
            )
            calls = [form.act_with(few), form.act_with(many)]
        calls = [f"list({call})" if source.mode == "iterate" else call for call in calls]
        factor = NUMBERS[large_size // small_size]
        words = _spoken(one.subject)
        outcome = {
            "constant": f"takes the same time for any number of {form.noun}",
            "logarithmic": f"takes hardly longer for more {form.noun}",
            "linear": f"grows linearly with the {form.noun}",
            "n log n": f"grows little faster than linearly with the {form.noun}",
            "quadratic": f"grows no faster than the square of the {form.noun}",
            "cubic": f"grows no faster than the cube of the {form.noun}",
        }[growth.name or "linear"]
        about = max(1, round(growth.ratio))
        title = f"{words} {outcome}"
        expected = (
            f"A call with {factor} times as many {form.noun} takes less than {growth.limit:g} times the processor "
            f"time; it took {about} times when it was measured ({growth.spread[0]:.2g} to {growth.spread[1]:.2g})."
        )
        limit = {
            "metric": "growth_ratio",
            "operator": "less",
            "value": growth.limit,
            "unit": "ratio",
            "growth": growth.name,
            "sizes": list(growth.sizes),
            "measured": [_rounded(value) for value in growth.spread],
        }
        return self._case(
            one, title, "scalability", statements, calls[1], large, [limit], source.imports, expected, compared=calls[0]
        )

    def _cost(self, one: Measured, cost: Cost, verdict: OracleVerdict) -> dict[str, Any]:
        title = f"{_spoken(one.subject)} costs at most {cost.limit} additions"
        expected = (
            f"One call lasts no longer than {cost.limit} additions of plain Python; it was {cost.additions:.2g} "
            f"when it was measured ({cost.spread[0]:.2g} to {cost.spread[1]:.2g}); {TOLERANCE:g} times that is allowed."
        )
        limit = _cost_limit(cost)
        act = timed(one.trial)
        return self._case(
            one, title, "benchmark", one.trial.arrange, act, verdict, [limit], one.trial.imports, expected
        )

    def _repeat(self, one: Measured, repeat: Repeat, verdict: OracleVerdict) -> dict[str, Any]:
        title = f"a repeated {_spoken(one.subject)} comes from the cache"
        expected = (
            f"A repeated call takes at most {100 * repeat.limit:.0f} % of the time of a first one; "
            f"it took {100 * repeat.share:.2g} % when it was measured."
        )
        costs = [_cost_limit(one.cost)] if one.cost is not None else []
        limit = {
            "metric": "repeat_share",
            "operator": "at_most",
            "value": repeat.limit,
            "unit": "ratio",
            "measured": [_rounded(repeat.share), _rounded(repeat.share)],
        }
        act = timed(one.trial)
        return self._case(
            one,
            title,
            "benchmark",
            one.trial.arrange,
            act,
            verdict,
            [limit, *costs],
            one.trial.imports,
            expected,
            before=one.before,
        )

    def _case(
        self,
        one: Measured,
        title: str,
        category: str,
        statements: Sequence[str],
        act: str,
        verdict: OracleVerdict,
        limits: Sequence[dict[str, Any]],
        imports: Sequence[str],
        expected: str,
        *,
        compared: str = "",
        before: Sequence[str] = (),
    ) -> dict[str, Any]:
        # The compared call is renamed like the act by standing among the expectations.
        more = (SpecExpectation("holds", compared),) if compared else ()
        ours = imported_from_origin(imports, self.facts)
        texts, act, expected_values = _renamed((*statements, *before), act, (*verdict.expectations, *more))
        source = self.names.adopt(texts, act, ours, expected_values, verdict.imports)
        returns = source.expect[: len(source.expect) - len(more)]
        evidence = {"path": self.facts.path, "lines": [max(1, one.line), max(1, one.line)]}
        timing: dict[str, Any] = {"expression": source.expression, "repetitions": REPETITIONS, "warm_up": 3}
        if compared:
            timing["compared"] = source.expect[-1].actual
        if before:
            timing["first"] = list(source.statements[len(statements) :])
        name = unique_name(f"tc_{snake_case(title)}"[:150], self._used)
        self._used.add(name)
        return {
            "id": name,
            "title": title[:1].upper() + title[1:],
            "subject": one.subject,
            "priority": "medium",
            "preconditions": [],
            "steps": [f"Time {' '.join(act.split())[:800]}"],
            "expected": expected,
            "category": category,
            "arrange": {"statements": list(source.statements[: len(statements)])},
            "act": timing,
            "returns": [expectation.to_json() for expectation in returns],
            "expect": [{"kind": "threshold", **limit, "origin": "observed", "evidence": evidence} for limit in limits],
        }


def _cost_limit(cost: Cost) -> dict[str, Any]:
    """The limit of a call's cost; of a first call's, in a case of a cache."""
    return {
        "metric": "reference_cost",
        "operator": "at_most",
        "value": cost.limit,
        "unit": "additions",
        "measured": [_rounded(value) for value in cost.spread],
    }


def _variables(form: ScaledForm, taken: Container[str]) -> tuple[str, str]:
    """Names of the smaller and the larger input."""
    few, many = ("small", "large") if form.helper else ("few", "many")
    few, many = ("short", "long") if form.noun == "characters" else (few, many)
    return unique_name(f"{few}_{form.stem}", taken), unique_name(f"{many}_{form.stem}", taken)


def _names_in(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in names_of(parse_python(text))}


def _renamed(
    statements: tuple[str, ...], act: str, expect: tuple[SpecExpectation, ...]
) -> tuple[tuple[str, ...], str, tuple[SpecExpectation, ...]]:
    """A case whose variables have no names that the test file needs for itself, as `benchmark = Benchmark()` does."""
    bound = assigned_names(statements)
    by = {name: unique_name(name, OWN_NAMES | bound) for name in sorted(bound & OWN_NAMES)}
    if not by:
        return statements, act, expect
    told = (
        replace(one, actual=with_names(one.actual, by), value=None if one.value is None else with_names(one.value, by))
        for one in expect
    )
    return tuple(with_names(text, by) for text in statements), with_names(act, by), tuple(told)


def _spoken(subject: str) -> str:
    """A callable in words: `Cart.total` is "cart total"."""
    return snake_case(subject.replace(".", "_")).replace("_", " ")


def _rounded(value: float) -> float:
    """Two digits: more would only show what else the machine did."""
    return float(f"{value:.2g}")
