"""Derives a mutant's verdict from a child's report; see run_tests.py. Plain standard library, Python 3.9."""


def judge(facts, ending, wanted):
    """What a child's words mean: (status, node ids that noticed the mutant).

    A test that passes without the mutant notices it when it fails, when it cannot be collected any more, or when the
    process ends in it.
    """
    said = {fact[0] for fact in facts}
    if "enough" in said:
        return "killed", [fact[1] for fact in facts if fact[0] == "test" and fact[2] == "failed" and fact[1] in wanted]
    if "same" in said or "syntax" in said:
        return ("equivalent" if "same" in said else "untried"), []
    outcomes = {fact[1]: fact[2] for fact in facts if fact[0] == "test"}
    started = [fact[1] for fact in facts if fact[0] == "start"]
    gone = {nodeid for fact in facts if fact[0] == "gone" for nodeid in fact[1]}
    failing = {name for name, outcome in outcomes.items() if outcome == "failed"}
    bases = {name.partition("[")[0] for name in outcomes}
    failing_bases = {name.partition("[")[0] for name in failing}
    running = started[-1] if started and started[-1] not in outcomes else None
    killers = []
    for nodeid in wanted:
        base = nodeid.partition("[")[0]
        if nodeid in outcomes:
            noticed = nodeid in failing
        elif ending != "end":
            noticed = nodeid == running or not started
        elif nodeid in gone:
            noticed = base in failing_bases or base not in bases
        else:
            noticed = True
        if noticed:
            killers.append(nodeid)
    if ending == "time" and not failing:
        return "timeout", killers
    return ("killed" if killers or failing or ending != "end" else "survived"), killers
