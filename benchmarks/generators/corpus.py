"""The modules that are measured: the twelve of the benchmark, pinned, and others that are named when it is run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

_FURTHER = re.compile(r"(?P<package>[A-Za-z0-9._-]+)==(?P<version>[A-Za-z0-9.+!_-]+):(?P<module>[A-Za-z0-9_.]+)")


@dataclass(frozen=True)
class Subject:
    """One module of a source distribution.

    Attributes:
        module: dotted name, as it is imported.
        sha256: of the archive; empty where it is not pinned, as with further packages.
        further: named by hand, with dependencies that have to be installed.
        requires: its dependencies where they are known; None for those that the package names itself.
    """

    package: str
    version: str
    module: str
    sha256: str = ""
    further: bool = False
    requires: tuple[str, ...] | None = None

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.package}=={self.version}"

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        return asdict(self)


_HUMANIZE = ("humanize", "4.17.0", "1d6a36c453dbfbb3f0b34601d2e0b4ce5d48d780305cd45714843f0068fde6ac")
_INFLECTION = ("inflection", "0.5.1", "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417")
_SEMVER = ("semver", "3.1.1", "149b26cabada6f63212f97e94505d21578cb1d280cf714827f328d5e70765fea")
_DOCOPT = ("docopt", "0.6.2", "49b3a825280bd66b3aa83585ef59c4a8c82f2c8a522dbe754a8bc8d08c85c491")
_ISODATE = ("isodate", "0.7.2", "4cd1aa0f43ca76f4a6c6c0292a85f40b35ec2e43e315b59f06e6d32171a953e6")
_BOLTONS = ("boltons", "26.2.0", "d39cfd15c1a1c3bd4d705c82252fa9edb8e4f5e8cc039f8e39afac7b1b47e92c")
_TOOLZ = ("toolz", "1.2.0", "9667a038e9d6ecba37995e26cb2f59ec6420b6ad8dd9677de59db9b956b08490")
_CACHETOOLS = ("cachetools", "8.0.1", "deb1d376d4d28c2f33f3e3058043b005e0af75c35c094bd54053e27d2906ad95")
_TOMLI = ("tomli", "2.5.0", "264507556cd8b8c8e7c6ee037cdf443a463f03f4c958e57195e3d369711b8ff6")
_TEXTDISTANCE = ("textdistance", "4.6.3", "d6dabc50b4ea832cdcf0e1e6021bd0c7fcd9ade155888d79bb6a3c31fce2dc6f")


def _pinned(release: tuple[str, str, str], module: str) -> Subject:
    package, version, sha256 = release
    return Subject(package, version, module, sha256)


TWELVE = (
    _pinned(_HUMANIZE, "humanize.number"),
    _pinned(_HUMANIZE, "humanize.time"),
    _pinned(_INFLECTION, "inflection"),
    _pinned(_SEMVER, "semver.version"),
    _pinned(_DOCOPT, "docopt"),
    _pinned(_ISODATE, "isodate.duration"),
    _pinned(_BOLTONS, "boltons.strutils"),
    _pinned(_BOLTONS, "boltons.urlutils"),
    _pinned(_TOOLZ, "toolz.itertoolz"),
    _pinned(_CACHETOOLS, "cachetools"),
    _pinned(_TOMLI, "tomli._parser"),
    _pinned(_TEXTDISTANCE, "textdistance.algorithms.edit_based"),
)
QUICK = ("inflection", "isodate.duration")


def chosen(names: Sequence[str]) -> list[Subject]:
    """Subjects of the twelve by the names of their modules, in the order of the table.

    Raises:
        ValueError: a name is none of theirs.
    """
    known = [subject.module for subject in TWELVE]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not among {', '.join(known)}")
    return [subject for subject in TWELVE if subject.module in names]


def further(text: str) -> Subject:
    """A subject as it is named by hand, `PACKAGE==VERSION:module`. Raises ValueError."""
    found = _FURTHER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text}: not of the form PACKAGE==VERSION:module")
    return Subject(found["package"], found["version"], found["module"], further=True)
