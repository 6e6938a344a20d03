"""In the sandbox an application's passwords are hashed at the lowest cost, and every hash is checked as ever."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from testwright.sandbox.worker.http import password_costs

pytestmark = pytest.mark.feature("T-20")
_BOOTSTRAP = Path(password_costs.__file__).parents[1] / "bootstrap.py"
_HASHES = """
import json, sys
from importlib.util import module_from_spec, spec_from_file_location
from werkzeug.security import generate_password_hash
usual = generate_password_hash("swordfish", "pbkdf2:sha256:200")
for name in [name for name in sys.modules if name.startswith("werkzeug")]:
    del sys.modules[name]
spec = spec_from_file_location("bootstrap", sys.argv[1])
bootstrap = module_from_spec(spec)
spec.loader.exec_module(bootstrap)
bootstrap.load_module("http.password_costs").install()
from werkzeug.security import check_password_hash, generate_password_hash
from django.conf import settings
settings.configure()
from django.contrib.auth.hashers import check_password, get_hasher, make_password
stored = [generate_password_hash("swordfish"), generate_password_hash("swordfish", "pbkdf2:sha1", salt_length=8), usual]
django = make_password("swordfish")
print(json.dumps({
    "stored": stored,
    "django": django,
    "right": [check_password_hash(one, "swordfish") for one in stored] + [check_password("swordfish", django)],
    "wrong": [check_password_hash(one, "herring") for one in stored] + [check_password("herring", django)],
    "renewed": get_hasher().must_update(django),
}))
"""


@pytest.fixture(scope="module")
def hashed():
    """What Werkzeug and Django store, of which the last of Werkzeug's was made at a usual cost."""
    done = subprocess.run(
        [sys.executable, "-c", _HASHES, str(_BOOTSTRAP)], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_passwords_are_stored_at_the_lowest_cost_in_the_form_that_was_asked_for(hashed):
    first, second, _ = hashed["stored"]
    assert (first.split("$")[0], second.split("$")[0]) == ("scrypt:1024:8:1", "pbkdf2:sha1:1")
    assert hashed["django"].startswith("pbkdf2_sha256$1$")


def test_a_right_password_is_accepted_and_a_wrong_one_refused_at_whatever_cost_it_was_stored(hashed):
    assert (hashed["right"], hashed["wrong"]) == ([True] * 4, [False] * 4)


def test_a_hash_of_the_lowest_cost_is_not_asked_to_be_made_anew(hashed):
    assert hashed["renewed"] is False


_OF_ONE_LOADER = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("bootstrap", sys.argv[1])
bootstrap = module_from_spec(spec)
spec.loader.exec_module(bootstrap)
bootstrap.load_module("http.password_costs").install()
sys.path.insert(0, sys.argv[2])
import bcrypt, pwdlib_helpers, argon2
print(bcrypt.gensalt(), pwdlib_helpers.NAME, argon2.VERSION)
"""


def test_other_modules_of_a_zip_file_and_other_libraries_of_a_name_are_imported_as_ever(tmp_path):
    packed = tmp_path / "packages.zip"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("bcrypt.py", "def gensalt(rounds=12):\n    return rounds\n")
        file.writestr("pwdlib_helpers.py", "NAME = 'helpers'\n")
        file.writestr("argon2.py", "VERSION = '1'\n")
    done = subprocess.run(
        [sys.executable, "-c", _OF_ONE_LOADER, str(_BOOTSTRAP), str(packed)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "4 helpers 1\n"
