"""Puts something else in the place of loaded functions: what records their calls, or a trivial implementation.

The code of a function is replaced in place, so that everybody who holds the function gets the other one. Plain standard
library, Python 3.9.
"""

import copy
import inspect
import sys
import types

MARK = "\0handler"
MOST_ANSWERS = 6
MOST_RECORDED = 400
MOST_NODES = 3000
EMPTY = {"None": None, "0": 0, "''": "", "[]": [], "{}": {}}
MEASURES = {"len": len, "min": min, "max": max}
CONTAINERS = (list, dict, set, tuple, str, bytes, frozenset, bytearray)
SHOWN = 60


class SelfAnswer:
    """Stands for the receiver where a method returns that."""


class LoadedFunction:
    """A function of the project, whose calls can be led to a handler: an object with `call(args, kwargs)`."""

    def __init__(self, function):
        self.function = function
        self.code = function.__code__
        self.twin = types.FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.twin.__kwdefaults__ = function.__kwdefaults__
        self.asynchronous = bool(self.code.co_flags & inspect.CO_COROUTINE)
        self.generator = bool(self.code.co_flags & inspect.CO_GENERATOR)
        self.signature = inspect.signature(self.twin)

    def lead_to(self, handler):
        """From now on its calls go to the handler, which is made with this object."""
        self.function.__code__ = leading_code(handler, self.code)

    def restore(self):
        """Its own code again."""
        self.function.__code__ = self.code

    def bound(self, args, kwargs):
        """The arguments of a call with their names; None where the call is not one that it takes."""
        try:
            return self.signature.bind(*args, **kwargs)
        except TypeError:
            return None


def leading_code(handler, like):
    """Code that hands all arguments to a handler, with the free variables of another one, as replacing it asks for."""
    names = like.co_freevars
    lines = ["def around():", *("    {} = None".format(name) for name in names)]
    lines.append("    {}def led(*args, **kwargs):".format("async " if like.co_flags & inspect.CO_COROUTINE else ""))
    if names:
        lines += ["        if 0:", "            ({},)".format(", ".join(names))]
    awaited = "await " if like.co_flags & inspect.CO_COROUTINE else ""
    lines.append("        return {}{!r}.{}(args, kwargs)".format(awaited, MARK, "call_async" if awaited else "call"))
    around = compile("\n".join(lines), "<stand-in>", "exec")
    code = inner_codes(inner_codes(around)[0])[0]
    consts = tuple(handler if one == MARK else one for one in code.co_consts)
    return code.replace(co_consts=consts, co_name=like.co_name)


def inner_codes(code):
    """The code objects among a code object's constants."""
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


class Recorder:
    """Notes what tests call and what they get.

    Args:
        who: gives the node id of the running test, and whether a frame's file is a test's, the project's or neither.
        parameters: defaults that matter, names of parameters that may be left out.
    """

    def __init__(self, loaded, who, parameters):
        self.loaded = loaded
        self.who = who
        self.optional = [one for one in parameters if one in loaded.signature.parameters]
        self.direct = {}
        self.indirect = {}
        self.answers = []
        self.kinds = []
        self.given = set()
        self.returns_self = True
        self.procedure = True
        self.recorded = 0

    def call(self, args, kwargs):
        """One call."""
        test, direct = self.begin()
        if not direct:
            return self.loaded.twin(*args, **kwargs)
        self.note_given(args, kwargs)
        answer = self.loaded.twin(*args, **kwargs)
        if self.loaded.generator:
            items = []
            self.keep_items(test, items)
            return tapped(answer, items)
        self.keep(test, answer, args)
        return answer

    async def call_async(self, args, kwargs):
        """One call of an asynchronous function."""
        test, direct = self.begin()
        if direct:
            self.note_given(args, kwargs)
        answer = await self.loaded.twin(*args, **kwargs)
        if direct:
            self.keep(test, answer, args)
        return answer

    def begin(self):
        """The running test, and whether its own code makes the call, and the call is to be noted."""
        test = self.who.test
        if test is None:
            return None, False
        if not self.who.is_direct(sys._getframe(3)):
            self.indirect[test] = True
            return test, False
        self.direct.setdefault(test, [])
        self.recorded += 1
        return test, self.recorded <= MOST_RECORDED

    def note_given(self, args, kwargs):
        """Note which optional parameters get something else than their default."""
        bound = self.loaded.bound(args, kwargs)
        given = {} if bound is None else bound.arguments
        for name in self.optional:
            if name in given and not equal(given[name], self.loaded.signature.parameters[name].default):
                self.given.add(name)

    def keep(self, test, answer, args):
        """Note an answer."""
        if args and answer is args[0] and not isinstance(answer, (int, str, float, bytes, tuple, type(None))):
            answer = SelfAnswer
        else:
            self.returns_self = False
        if answer is not None and answer is not SelfAnswer:
            self.procedure = False
        for place, known in enumerate(self.answers):
            if equal(known, answer):
                self.direct[test].append(place)
                return
        self.direct[test].append(len(self.answers))
        if len(self.answers) < MOST_ANSWERS:
            self.answers.append(answer if answer is SelfAnswer else copied(answer))

    def keep_items(self, test, items):
        """Note what a generator is going to yield."""
        self.procedure = self.returns_self = False
        self.direct[test].append(len(self.answers))
        if len(self.answers) < MOST_ANSWERS:
            self.answers.append(items)


class Tap:
    """An iterator that notes what a generator yields, and hands on what is sent or thrown into it."""

    def __init__(self, generator, items):
        self.generator = generator
        self.items = items

    def __iter__(self):
        return self

    def __next__(self):
        return self.noted(next(self.generator))

    def send(self, value):
        """As a generator's."""
        return self.noted(self.generator.send(value))

    def throw(self, *error):
        """As a generator's."""
        return self.noted(self.generator.throw(*error))

    def close(self):
        """As a generator's."""
        self.generator.close()

    def noted(self, value):
        """The value itself."""
        if len(self.items) < MOST_RECORDED:
            self.items.append(copied(value))
        return value


def tapped(generator, items):
    """A generator that yields the same."""
    return (yield from Tap(generator, items))


class StandIn:
    """A trivial implementation; see mutation/trivial.py for the kinds.

    Attributes:
        mattered: whether it did something else than the function in some call, as far as that can be seen.
        unfit: whether it cannot be put in the place of some call at all.
    """

    def __init__(self, loaded, asked, answer=None):
        self.loaded = loaded
        self.kind = asked["kind"]
        self.names = asked["parameters"]
        self.measure = MEASURES.get(asked["value"], len)
        self.answer = answer
        self.procedure = False
        self.returns_self = False
        self.inside = False
        self.mattered = self.kind not in ("swapped", "no_effect")
        self.unfit = False

    async def call_async(self, args, kwargs):
        """One call of an asynchronous function."""
        answer = self.call(args, kwargs)
        return await answer if inspect.iscoroutine(answer) else answer

    def call(self, args, kwargs):
        """One call."""
        bound = self.loaded.bound(args, kwargs)
        if bound is None or self.inside:
            return self.loaded.twin(*args, **kwargs)
        if self.kind in ("constant", "empty"):
            return self.as_result(args[0] if self.answer is SelfAnswer else copied(self.answer))
        if self.kind in ("argument", "measure"):
            bound.apply_defaults()
            value = bound.arguments[self.names[0]]
            return self.as_result(value if self.kind == "argument" else self.measure(value))
        self.inside = True
        try:
            return getattr(self, self.kind)(bound, args, kwargs)
        finally:
            self.inside = False

    def as_result(self, value):
        """A value as the function would give it: a generator's values one by one."""
        return replayed(value) if self.loaded.generator else value

    def ignored(self, bound, args, kwargs):
        """Call the function without an argument."""
        bound.arguments.pop(self.names[0], None)
        return self.loaded.twin(*bound.args, **bound.kwargs)

    def swapped(self, bound, args, kwargs):
        """Call the function with two arguments in each other's place."""
        first, second = self.names
        if first not in bound.arguments or second not in bound.arguments:
            return self.loaded.twin(*args, **kwargs)
        one, other = bound.arguments[first], bound.arguments[second]
        plain = None if self.loaded.asynchronous or self.loaded.generator else self.apart(args, kwargs)
        bound.arguments[first], bound.arguments[second] = other, one
        changed = self.apart(bound.args, bound.kwargs) if plain is not None else None
        alike = equal(one, other)
        if alike or plain is None or changed is None:
            self.mattered = True
        elif not same_state(plain[0], changed[0]) or not same_state(self.receiver(plain), self.receiver(changed)):
            self.mattered = True
        return self.loaded.twin(*bound.args, **bound.kwargs)

    def no_effect(self, bound, args, kwargs):
        """Give the function's answer and leave its arguments as they are; nothing at all where it only acts."""
        if self.procedure:
            self.mattered = True
            return args[0] if self.returns_self and args else None
        # What a copy becomes is compared with another copy: some classes are copied into others.
        before = deep_copy((args, kwargs))
        done = None if self.loaded.asynchronous or before is None else self.apart(args, kwargs)
        if done is None:
            self.unfit = True
            return self.loaded.twin(*args, **kwargs)
        (kind, answer), copies = done
        if not same_state(before, copies):
            self.mattered = True
        if kind == "raised":
            raise answer
        for mine, its in zip((*args, *kwargs.values()), (*copies[0], *copies[1].values())):
            if answer is its:
                return mine
        return answer

    def receiver(self, done):
        """What the call on copies was made on; for a function its first argument's place holds nothing."""
        args = done[1][0]
        return args[0] if args and next(iter(self.loaded.signature.parameters)) not in self.names else None

    def apart(self, args, kwargs):
        """Call the function on copies: (how it ended, the copies afterwards); None where they cannot be copied."""
        copies = deep_copy((args, kwargs))
        if copies is None:
            return None
        try:
            return ("returned", self.loaded.twin(*copies[0], **copies[1])), copies
        except Exception as error:
            return ("raised", error), copies


def replayed(items):
    """A generator of the given items."""
    yield from items


def equal(one, other):
    """Whether two values are of one type and equal; an error of comparing is a no."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:
        return False


def deep_copy(value):
    """A copy with all that it holds; None where there can be none."""
    try:
        return copy.deepcopy(value)
    except Exception:  # classes decide themselves how they are copied
        return None


def copied(value):
    """A copy that later changes of the value do not reach; the value itself where there can be none."""
    made = deep_copy(value)
    return value if made is None else made


def empty_answers(answers):
    """Sources and values of empty answers: the plain ones, and those of the answers' own types."""
    found = list(EMPTY.items())
    for answer in answers:
        kind = type(answer)
        if kind in CONTAINERS or (isinstance(answer, (int, float)) and kind not in (int, bool)):
            value = kind()
            if not any(type(one) is kind and one == value for _, one in found):
                found.append((repr(value), value))
    return found


def shown(value, texts):
    """A value in a few words: as it is where the tests' own texts have it, since others may differ from run to run."""
    if value is SelfAnswer:
        return "the object itself"
    try:
        text = repr(value)
        known = value is None or any((value if type(value) is str else text) in one for one in texts)
    except Exception:
        text, known = "", False
    return text if known and len(text) <= SHOWN else "the same " + type(value).__name__


def same_state(one, other):
    """Whether two values hold the same, as far as can be seen without asking their classes."""
    return held(one, {}) == held(other, {})


def held(value, seen):
    """What a value holds, as comparable data."""
    kind = type(value)
    if kind in (int, float, complex, str, bytes, bool, type(None)):
        return kind.__name__, repr(value)
    if isinstance(value, (type, types.FunctionType, types.ModuleType, types.BuiltinFunctionType)):
        return "code", id(value)
    if id(value) in seen or len(seen) > MOST_NODES:
        return "again", seen.get(id(value), 0)
    seen[id(value)] = len(seen)
    parts = []
    if isinstance(value, dict):
        parts = [(held(key, seen), held(item, seen)) for key, item in list(value.items())]
    elif isinstance(value, (list, tuple)) or kind.__name__ == "deque":
        parts = [held(item, seen) for item in list(value)]
    elif isinstance(value, (set, frozenset)):
        parts = sorted((held(item, {}) for item in list(value)), key=repr)
    elif isinstance(value, bytearray):
        parts = [bytes(value)]
    attributes = {}
    for owner in kind.__mro__:
        slots = getattr(owner, "__slots__", ())
        for name in slots if isinstance(slots, (tuple, list)) else ():
            try:
                attributes[name] = object.__getattribute__(value, name)
            except AttributeError:
                continue
    try:
        attributes.update(object.__getattribute__(value, "__dict__"))
    except (AttributeError, TypeError, ValueError):
        pass
    return kind.__qualname__, parts, [(name, held(item, seen)) for name, item in sorted(attributes.items())]
