"""Code from a model that reaches for more than the target is refused before it is staged."""

from __future__ import annotations

import pytest

from testwright.agents.code_limits import out_of_reach


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import socket\nsocket.create_connection(('127.0.0.1', 1))", "the network"),
        ("from urllib import request\nrequest.urlopen('http://x')", "the network"),
        ("import subprocess as s\ns.run(['rm', '-rf', '/'])", "other programs"),
        ("import os\nos.system('rm -rf /')", "other programs"),
        ("from os import system\nsystem('rm -rf /')", "other programs"),
        ("import os\nassert os.environ['HOME']", "the environment"),
        ("from os import environ\nx = dict(environ)", "the environment"),
        ("import shutil\nshutil.rmtree('/x')", "files outside"),
        ("from pathlib import Path\nPath('/x').unlink()", "files outside"),
        ("open('/etc/passwd')", "files outside"),
        ("from pathlib import Path\nPath('../../x').write_text('')", "files outside"),
        ("eval('1')", "cannot be read"),
        ("import os\ngetattr(os, 'sys' + 'tem')('x')", "cannot be read"),
        ("__import__('os').system('x')", "cannot be read"),
    ],
)
def test_what_tests_may_not_do_is_found(source: str, what: str) -> None:
    assert any(what in found for _, found in out_of_reach(source))


@pytest.mark.parametrize(
    "source",
    [
        "import os\nassert os.path.join('a', 'b') == 'a/b'",
        "from subprocess import CalledProcessError\nerror = CalledProcessError",
        "from pathlib import Path\nassert suffix(Path('/a/b.txt')) == '.txt'",
        "store.remove('a')\nstore.open('b')\nevaluate('1')",
        "(tmp_path / 'x').write_text('a')\nopen(tmp_path / 'x')",
    ],
)
def test_what_tests_do_all_day_is_not(source: str) -> None:
    assert out_of_reach(source) == []


def test_the_package_under_test_may_be_called() -> None:
    assert out_of_reach("import requests\nrequests.Request('GET', 'x')", "requests.models") == []
