"""Compares what trials do with and without a mutant, facet by facet, and evaluates the reports of child processes.

Plain standard library, Python 3.9.
"""

ENDED = ("returned", "raised")


def mutant_answers(mutants, facts, ending):
    """What a child that tried some mutants found out, which are left, and whether each of these needs its own child.

    What is found on several in one child counts where the child has said in the end that the trials that differed are
    again as they were: "kept". Else each is tried alone. What ends the child of the first one, memory or a crash, ends
    it in a test as well.
    """
    parts: list = []
    for fact in facts:
        if fact[0] == "mutant":
            parts.append([])
        elif parts:
            parts[-1].append(fact)
    if any(fact[0] == "kept" for fact in facts):
        found = [answer_of(mutant["id"], part, "end") for mutant, part in zip(mutants, parts)]
        return found, mutants[len(found) :], False
    if len(mutants) > 1 and len(parts) > 1:
        return [], mutants, True
    return [answer_of(mutants[0]["id"], parts[0] if parts else [], ending)], mutants[1:], False


def answer_of(number, facts, ending):
    """What a child's words on one mutant mean."""
    answer: dict = {"id": number, "status": "lost", "ran": 0, "differs": []}
    running = None
    for fact in facts:
        if fact[0] == "status":
            answer["status"] = fact[1]
        elif fact[0] == "runs":
            running = fact[1]
        elif fact[0] == "ran":
            answer["ran"] += 1
            running = fact[1]
            if fact[3]:
                answer["differs"].append(fact[2:])
    if ending != "end" and running is not None:
        answer["differs"].append([running, ["ends"], ""])
    return answer


def facets(told):
    """What a test could see of a trial that ended, by name.

    `ends` (how: returned, or the exception's type), `message`, `code` (of SystemExit), `output`, `errors`, `warnings`,
    `result` (its source), and where it has none `result.type`, `result.length` and `result.attribute`; `effect:` with
    the expression of each effect.
    """
    raised = told.get("raised")
    found = {"ends": "returned" if raised is None else raised["t"]}
    if raised is not None:
        found["message"] = raised.get("m", "")
        found["code"] = raised.get("c")
    found["output"] = told.get("output", "")
    found["errors"] = told.get("errors", "")
    found["warnings"] = told.get("warnings", [])
    value = told.get("value")
    if value is not None:
        found["result.type"] = value["t"]
        found["result"] = value.get("s")
        found["result.length"] = value.get("n")
        for name, attribute in value.get("at", ()):
            found["result." + name] = [attribute.get("s"), attribute.get("n")]
    for expression, effect in told.get("effects", ()):
        found["effect:" + expression] = effect.get("s")
    return found


def different(plain, told):
    """The facets that are not as they are without the mutant; those that only the mutant has are none."""
    if told["outcome"] not in ENDED:
        return ["ends"]
    now = facets(told)
    if now["ends"] != plain["ends"]:
        return ["ends"]
    return sorted(name for name, value in plain.items() if now.get(name) != value)
