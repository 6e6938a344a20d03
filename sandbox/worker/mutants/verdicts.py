"""Derives a mutant's verdict from a child's report; see run_tests.py. Plain standard library, Python 3.9."""


def judge(facts, ending, wanted):
    """What a child's words mean: (status, node ids that noticed the mutant).

    A test that passes without the mutant notices it when it fails, when it cannot be collected any more, or when the
    process ends in it.
    """
    said = {fact[0] for fact in facts}
    # The run ended as soon as every test that mattered had noticed the mutant.
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
        # A test that ran to its end has a verdict of its own.
        if nodeid in outcomes:
            noticed = nodeid in failing
        # The process died: the test that was running is to blame, or collecting when none had started.
        elif ending != "end":
            noticed = nodeid == running or not started
        # Its parameters have changed: its rows under other ids speak for it.
        elif nodeid in gone:
            noticed = base in failing_bases or base not in bases
        else:
            noticed = True
        if noticed:
            killers.append(nodeid)
    # A failure before the time was up is the stronger verdict.
    if ending == "time" and not failing:
        return "timeout", killers
    return ("killed" if killers or failing or ending != "end" else "survived"), killers
