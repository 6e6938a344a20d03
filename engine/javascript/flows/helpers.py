"""Defines what tests of flows need beside the package: a temporary folder, a service's stand-in, and its programs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from .seams import Program

CLEAN_UPS = "cleanUps"
TEMPORARY = "temporaryFolder"
SERVING = "serving"

_CLEAN_UPS = """const cleanUps = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});"""
_FOLDER = """function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  return folder;
}"""
_SERVICE = """// A service on this machine: `answers` are statuses and bodies by request; any other request gets 404.
async function serving(answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let sent = '';
    for await (const part of request) sent += part;
    const asked = `${request.method} ${request.url}`;
    requests.push(sent === '' ? asked : `${asked} ${sent}`);
    const [status, body] = answers[asked] ?? [404, { error: 'not found' }];
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}"""
_PROGRAM = """function {name}(folder, ...words) {{
  const script = join(__dirname, '{script}');
  const {{ status, stdout, stderr }} = spawnSync(process.execPath, [script, ...words], {{
    cwd: folder,
    encoding: 'utf8',
  }});
  return {{ status, stdout, stderr }};
}}"""
_FROM = {
    "mkdtempSync": "node:fs",
    "readFileSync": "node:fs",
    "rmSync": "node:fs",
    "writeFileSync": "node:fs",
    "createServer": "node:http",
    "tmpdir": "node:os",
    "join": "node:path",
    "spawnSync": "node:child_process",
}
_NAME = re.compile(r"(?<![\w$.'])[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Helper:
    """A function at the head of a test file: its name, its source, and the service that it stands for, if any."""

    name: str
    source: str
    kind: str
    stand_in: str


def helpers_of(programs: Sequence[Program], place: str) -> list[Helper]:
    """All helpers that a file at a place may need.

    Args:
        place: POSIX path of the file, relative to the project.
    """
    found = [
        Helper(CLEAN_UPS, _CLEAN_UPS, "", ""),
        Helper(TEMPORARY, _FOLDER, "filesystem", "real"),
        Helper(SERVING, _SERVICE, "http", "fake"),
    ]
    folder = PurePosixPath(place).parent.as_posix()
    for one in programs:
        script = posixpath.relpath(one.path, folder)
        name = runner_of(one.name)
        found.append(Helper(name, _PROGRAM.format(name=name, script=script), "process", "real"))
    return found


def runner_of(program: str) -> str:
    """The name of the function of a test file that runs a program, by the program's name: `runCheckout`."""
    return "run" + "".join(word[:1].upper() + word[1:] for word in re.split(r"\W+", program) if word)


def needed_helpers(helpers: Sequence[Helper], sources: Iterable[str]) -> list[Helper]:
    """The helpers that sources call, and what those need themselves."""
    used = {name for source in sources for name in _NAME.findall(source)}
    for one in helpers:
        used |= set(_NAME.findall(one.source)) if one.name in used else set()
    return sorted((one for one in helpers if one.name in used), key=lambda one: one.name != CLEAN_UPS)


def node_imports(sources: Iterable[str]) -> dict[str, list[str]]:
    """What sources need of Node's own modules: names by module, both sorted."""
    used = {name for source in sources for name in _NAME.findall(source)}
    found: dict[str, list[str]] = {}
    for name in sorted(used & set(_FROM)):
        found.setdefault(_FROM[name], []).append(name)
    return dict(sorted(found.items()))
