"""Where a project's own Jest looks for tests, as its configuration says, and where ours go then (T-10)."""

import json
from pathlib import Path

import pytest

from testwright.engine.javascript.sources import path_of_tests
from testwright.sandbox.javascript.project import collection_of, package_of

pytestmark = pytest.mark.feature("T-10")


def project(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def place_of_tests(root: Path, path: str) -> str:
    package = package_of(root, path)
    return path_of_tests(path, package.folder, "tests/generated", "", collection_of(root, package))


def in_manifest(settings: dict[str, object]) -> dict[str, str]:
    return {"package.json": json.dumps({"jest": settings})}


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"package.json": "{}"}, "tests/generated/cart.test.ts"),
        (in_manifest({"roots": ["<rootDir>/src", "<rootDir>/tests"]}), "tests/generated/cart.test.ts"),
        (in_manifest({"roots": ["<rootDir>/src"]}), "src/__tests__/generated/cart.test.ts"),
        (in_manifest({"roots": ["<rootDir>/test"]}), "test/generated/cart.test.ts"),
        (in_manifest({"rootDir": "src"}), "src/__tests__/generated/cart.test.ts"),
        (in_manifest({"testMatch": ["**/*.spec.ts"]}), "tests/generated/cart.spec.ts"),
        (in_manifest({"testMatch": ["<rootDir>/src/**/__tests__/*.{js,ts}"]}), "src/__tests__/cart.generated.test.ts"),
        (in_manifest({"testMatch": ["<rootDir>/src/*.test.ts"]}), "src/cart.generated.test.ts"),
        (in_manifest({"testMatch": ["**/?(*.)+(test).ts", "!**/tests/**"]}), "src/__tests__/generated/cart.test.ts"),
        (in_manifest({"testRegex": "/__tests__/.*\\.test\\.ts$"}), "src/__tests__/generated/cart.test.ts"),
        (in_manifest({"testPathIgnorePatterns": ["/generated/"]}), "src/__tests__/cart.generated.test.ts"),
        (
            {"jest.config.js": "module.exports = {\n  roots: ['<rootDir>/src'], // sources\n};\n"},
            "src/__tests__/generated/cart.test.ts",
        ),
        (
            {"jest.config.ts": "const config: Config = { testRegex: '\\\\.spec\\\\.ts$' };\nexport default config;\n"},
            "tests/generated/cart.spec.ts",
        ),
        ({"jest.config.js": "module.exports = { roots: require('./roots') };\n"}, "tests/generated/cart.test.ts"),
        ({"jest.config.js": "module.exports = { projects: ['a'], roots: ['b'] };\n"}, "tests/generated/cart.test.ts"),
    ],
)
def test_tests_go_where_the_projects_own_jest_finds_them(tmp_path: Path, files: dict[str, str], place: str) -> None:
    assert place_of_tests(project(tmp_path, {"src/cart.ts": "", **files}), "src/cart.ts") == place


def test_a_package_of_a_monorepo_is_configured_by_the_folder_above_it(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        {**in_manifest({"testMatch": ["**/*.spec.js"]}), "packages/cart/package.json": "{}", "packages/cart/a.js": ""},
    )
    assert package_of(root, "packages/cart/a.js").config_folder == "."
    assert place_of_tests(root, "packages/cart/a.js") == "packages/cart/tests/generated/a.spec.js"
