"""Which Chromium of a machine is driven."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.sandbox.browsers import chromium

pytestmark = pytest.mark.feature("T-20")
SNAP = '#!/bin/sh\n[ -x /snap/bin/chromium ] || echo "snap install chromium"\nexec /snap/bin/chromium "$@"\n'


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_one_that_playwright_has_installed_is_told_with_the_folder_by_which_playwright_finds_it(tmp_path):
    own = program(tmp_path / "chromium_headless_shell-1/linux/headless_shell")
    found = chromium.find_chromium({"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)})
    assert (found.path, found.readable, found.installed) == (own, (own.parent,), tmp_path)


def test_a_program_that_only_starts_a_snap_is_none(tmp_path):
    stub = program(tmp_path / "bin/chromium-browser", SNAP)
    assert chromium._is_stub(stub)
    assert not chromium._is_stub(program(tmp_path / "usr/chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium\n"))


def test_a_machine_without_any_is_told_how_to_get_one(tmp_path):
    with pytest.raises(EnvironmentFault, match="no Chromium") as fault:
        chromium.find_chromium({"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)})
    assert "apt install" in fault.value.advice
