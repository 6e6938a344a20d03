from __future__ import annotations

import pytest

from testwright.core.errors import ProjectError
from testwright.engine.python.project import source_roots
from testwright.engine.python.project.layout import find_layout, module_at
from testwright.tests.support.engine.python_projects import write_project

pytestmark = pytest.mark.feature("B-05")


def modules(root):
    return {(module.module, module.import_root) for module in find_layout(root).modules}


def test_src_layout_has_src_as_its_import_root(tmp_path):
    write_project(tmp_path, {"src/shop/__init__.py": "", "src/shop/cart.py": "x = 1"})
    assert modules(tmp_path) == {("shop", "src"), ("shop.cart", "src")}


def test_flat_layout_is_imported_from_the_root(tmp_path):
    write_project(tmp_path, {"shop/__init__.py": "", "shop/sub/__init__.py": "", "shop/sub/cart.py": ""})
    assert modules(tmp_path) == {("shop", "."), ("shop.sub", "."), ("shop.sub.cart", ".")}


def test_single_module_project_has_that_module(tmp_path):
    write_project(tmp_path, {"slug.py": "", "setup.py": "from setuptools import setup\nsetup(py_modules=['slug'])"})
    assert modules(tmp_path) == {("slug", ".")}


def test_namespace_package_below_src_keeps_its_whole_name(tmp_path):
    write_project(tmp_path, {"src/acme/billing/__init__.py": "", "src/acme/billing/tax.py": ""})
    assert ("acme.billing.tax", "src") in modules(tmp_path)


def test_namespace_package_without_src_is_believed_when_the_project_imports_it_so(tmp_path):
    write_project(tmp_path, {"acme/billing/__init__.py": "", "acme/billing/tax.py": "from acme.billing import rates\n"})
    assert ("acme.billing.tax", ".") in modules(tmp_path)


def test_folder_whose_packages_are_imported_bare_is_an_import_root(tmp_path):
    write_project(
        tmp_path,
        {"backend/app/__init__.py": "", "backend/app/rules.py": "", "backend/app/main.py": "from app.rules import x\n"},
    )
    assert ("app.rules", "backend") in modules(tmp_path)


def test_projects_inside_a_project_have_their_own_roots(tmp_path):
    write_project(
        tmp_path,
        {
            "packages/one/pyproject.toml": "",
            "packages/one/src/one/__init__.py": "",
            "packages/two/setup.py": "",
            "packages/two/two/__init__.py": "",
        },
    )
    assert modules(tmp_path) == {("one", "packages/one/src"), ("two", "packages/two")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code"]\n'),
        ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "code"\n'),
        ("setup.cfg", "[options]\npackage_dir =\n    = code\n"),
        ("setup.py", "from setuptools import setup, find_packages\nsetup(packages=find_packages('code'))\n"),
        ("setup.py", "from setuptools import setup\nsetup(package_dir={'': 'code'})\n"),
    ],
)
def test_root_named_by_a_project_file_is_used(tmp_path, name, text):
    write_project(tmp_path, {"code/shop/cart.py": "", name: text})
    assert modules(tmp_path) == {("shop.cart", "code")}


def test_tests_docs_builds_and_environments_are_no_targets(tmp_path):
    write_project(
        tmp_path,
        {
            "shop/__init__.py": "",
            "shop/tests/test_cart.py": "",
            "tests/test_shop.py": "",
            "tests/helpers.py": "",
            "conftest.py": "",
            "docs/conf.py": "",
            "examples/demo.py": "",
            "setup.py": "",
            "build/lib/shop/__init__.py": "",
            ".venv/lib/x.py": "",
            "env/pyvenv.cfg": "",
            "env/lib/y.py": "",
            "node_modules/z/a.py": "",
            "shop.egg-info/b.py": "",
        },
    )
    layout = find_layout(tmp_path)
    assert [module.module for module in layout.modules] == ["shop"]
    assert layout.test_files == ("conftest.py", "shop/tests/test_cart.py", "tests/helpers.py", "tests/test_shop.py")
    assert layout.side_files == ("docs/conf.py", "examples/demo.py", "setup.py")


def test_folder_named_like_examples_inside_a_package_is_source(tmp_path):
    write_project(tmp_path, {"shop/__init__.py": "", "shop/examples/__init__.py": "", "shop/examples/one.py": ""})
    assert ("shop.examples.one", ".") in modules(tmp_path)


def test_root_with_spaces_and_unicode_works(tmp_path):
    root = write_project(tmp_path / "mein Projekt é中", {"größe.py": "x = 1"})
    assert modules(root) == {("größe", ".")}


def test_module_at_takes_relative_and_absolute_paths(tmp_path):
    write_project(tmp_path, {"src/shop/__init__.py": "", "src/shop/cart.py": ""})
    layout = find_layout(tmp_path)
    assert module_at(layout, "src/shop/cart.py").module == "shop.cart"
    assert module_at(layout, tmp_path / "src/shop/cart.py") == module_at(layout, "src/shop/cart.py")


def test_module_at_places_a_script_that_is_no_target_by_default(tmp_path):
    write_project(tmp_path, {"shop/__init__.py": "", "scripts/report.py": ""})
    assert module_at(find_layout(tmp_path), "scripts/report.py").module == "scripts.report"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("shop/missing.py", "does not exist"),
        ("../other.py", "outside the project"),
        ("my-script.py", "cannot be imported"),
    ],
)
def test_module_at_says_why_a_path_is_no_module(tmp_path, path, message):
    write_project(tmp_path, {"shop/__init__.py": "", "my-script.py": ""})
    with pytest.raises(ProjectError, match=message) as caught:
        module_at(find_layout(tmp_path), path)
    assert caught.value.advice


def test_missing_root_is_a_project_error(tmp_path):
    with pytest.raises(ProjectError, match="not a folder"):
        find_layout(tmp_path / "nowhere")


def test_linked_folders_are_not_followed(tmp_path):
    root = write_project(tmp_path / "project", {"shop/__init__.py": ""})
    (root / "loop").symlink_to(root)
    assert modules(root) == {("shop", ".")}


def test_python_files_beyond_the_most_that_are_read_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(source_roots, "MOST_FILES", 3)
    write_project(tmp_path, {f"part_{number}.py": "" for number in range(4)})
    layout = find_layout(tmp_path)
    assert [module.module for module in layout.modules] == ["part_0", "part_1", "part_2"]
    assert layout.skipped == (("further Python files", "only 3 of a project are read; name a folder as --root"),)

    (tmp_path / "part_3.py").unlink()
    assert find_layout(tmp_path).skipped == ()
