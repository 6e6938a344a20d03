"""Objects that lie, never end, or act when they are looked at."""

import os


class Shy:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise RuntimeError("no")

    def __repr__(self):
        raise ValueError("no")


class Everything:
    """Has every attribute and equals all things."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __iter__(self):
        while True:
            yield self


class Huge:
    """Takes no end of telling."""

    def __repr__(self):
        return "x" * 100_000_000

    def __len__(self):
        return 2**62


class Liar:
    """Says it is a number, and ends the process when it is pickled."""

    __class__ = int

    def __reduce__(self):
        return os._exit, (0,)

    def __eq__(self, other):
        os._exit(0)


class Text(str):
    """A text that ends a string literal, and a terminal's patience."""

    def __repr__(self):
        return "'''\"\"\"\\\n\x1b]0;title\x07\u202e\udcff"


def shy(n: int) -> Shy:
    return Shy()


def everything(n: int) -> Everything:
    return Everything()


def huge(n: int) -> Huge:
    return Huge()


def liar(n: int) -> Liar:
    return Liar()


def text(n: int) -> Text:
    return Text("'''\"\"\"\\\n\x1b]0;title\x07\u202e\udcff")


def itself(n: int) -> list:
    found = []
    found.append(found)
    return found


def nested(n: int) -> list:
    found = []
    for _ in range(100_000):
        found = [found]
    return found


def without_end(n: int):
    while True:
        yield n
