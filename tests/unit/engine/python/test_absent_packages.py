"""What a run says where trials lack a package."""

from pathlib import Path

from testwright.engine.python.explore.explore import absent_note


def test_a_folder_of_the_project_is_no_package_to_install(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    note = absent_note("No module named 'src'", tmp_path)
    assert "src is a folder of the project and no package: add src/__init__.py" in note
    assert "without `src.`" in note
    assert "Install" not in note


def test_a_package_of_others_is_to_be_installed(tmp_path: Path) -> None:
    note = absent_note("No module named 'requests.adapters'", tmp_path)
    assert note.endswith("Install requests in the project's environment to have them tried.")
