// The application under test in a process of its own on a free port, in the state after its start whenever it is asked.
'use strict';

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { basename, delimiter, dirname, join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { setTimeout: pause } = require('node:timers/promises');

const START_MS = 60_000;
const STOP_MS = 10_000;
const LOOK_MS = 25;
const ASK_MS = 5_000;
// What any process needs of its surroundings, and what measures it: the same as in api_serving.py.
const SURROUNDINGS = new RegExp(
  '^(PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LOGNAME|USER|USERNAME|TERM|SHELL|VIRTUAL_ENV' +
    '|(API_|LC_|LD_|DYLD_|PYTHON|COV|CONDA_|SSL_CERT_).*)$',
);

class Application {
  /** @param {object} launch how it is started: see `Launch` in application.ts, or the call in a test file. */
  constructor(launch) {
    this.launch = launch;
    this.process = undefined;
    this.answers = undefined;
    this.place = '';
    this.values = [];
    this.again = false;
    for (const name of launch.secrets ?? []) process.env[name] ??= `test-${randomUUID()}`;
  }

  /**
   * Its address, in the state after its start; with API_BASE_URL the one there, and nothing is started.
   * @param {string} folder of the test file.
   * @param {string} test what asks for it: written to the file that API_TEST_NAME names, for who measures the application.
   */
  async fresh(folder, test = '') {
    if (test && process.env.API_TEST_NAME) writeFileSync(process.env.API_TEST_NAME, test);
    const elsewhere = this.launch.startedHere ? '' : process.env.API_BASE_URL || this.launch.url;
    if (elsewhere) return elsewhere.replace(/\/+$/, '');
    // A command is started anew; Python keeps the imported application, and serves a fork of it.
    if (!this.again) await this.stop();
    const port = this.launch.command ? await this.startCommand(folder) : await this.freshPython(folder);
    return `http://127.0.0.1:${port}`;
  }

  /** What has to be set where the tests run and is not; nothing where the application runs elsewhere. */
  missing() {
    if (!this.launch.startedHere && process.env.API_BASE_URL) return [];
    const needed = Object.entries(this.launch.needed ?? {});
    return needed.filter(([name, form]) => taken(name, form) === undefined).map(([name, form]) => `${name} (${form})`);
  }

  async stop() {
    const process = this.process;
    this.process = undefined;
    if (process?.pid === undefined) return;
    const ended = new Promise((done) => process.once('close', done));
    if (process.exitCode === null && process.signalCode === null) {
      if (this.launch.command) kill(process, 'SIGTERM');
      else process.stdin?.end();
      const ending = new AbortController();
      await Promise.race([ended, pause(STOP_MS, undefined, { signal: ending.signal }).catch(() => undefined)]);
      ending.abort();
    }
    kill(process, 'SIGKILL');
    rmSync(this.place, { recursive: true, force: true });
  }

  async freshPython(folder) {
    this.process ??= this.startPython(folder);
    this.process.stdin?.write('fresh\n');
    const waiting = new AbortController();
    const late = pause(START_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    const answer = await Promise.race([this.answers?.next(), late]);
    waiting.abort();
    const facts = answer?.done === false ? JSON.parse(answer.value) : { error: 'it has ended, or takes too long' };
    if (!facts.port) throw this.failure(facts.error);
    this.again = facts.again;
    return facts.port;
  }

  startPython(folder) {
    const root = resolve(folder, this.launch.root);
    const roots = (this.launch.importRoots ?? ['.']).map((one) => join(root, one));
    const place = this.prepare();
    const own = this.launch.folder && join(root, this.launch.folder);
    const config = {
      application: this.launch.python,
      command: null,
      import_roots: roots,
      project: root,
      folder: own ?? join(place, 'work'),
      copy: own ? '' : join(place, 'copy'),
      writable: own ? [] : ['home', 'tmp', 'copy', 'copy-kept'].map((one) => join(place, one)),
    };
    const launcher = process.env.API_LAUNCHER
      ? JSON.parse(process.env.API_LAUNCHER)
      : [pythonOf(root), join(folder, 'api_serving.py')];
    const path = [...roots, ...(process.env.PYTHONPATH ? [process.env.PYTHONPATH] : [])].join(delimiter);
    const started = this.spawn([...launcher, JSON.stringify(config)], config.folder, { PYTHONPATH: path });
    this.answers = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
    return started;
  }

  async startCommand(folder) {
    const root = resolve(folder, this.launch.root);
    const place = this.prepare();
    const port = await freePort();
    const words = this.launch.command.map((one) => one.replace('{port}', String(port)));
    // It runs elsewhere: words that name a file of the project are spelled in full.
    const argv = words.map((one) => (existsSync(join(root, one)) && one !== '.' ? join(root, one) : one));
    // A program that there is not is that of the project's environment.
    const beside = join(dirname(pythonOf(root)), basename(argv[0]));
    if (/^python3?$/.test(argv[0])) argv[0] = pythonOf(root);
    else if (!isProgram(argv[0]) && existsSync(beside)) argv[0] = beside;
    const cwd = this.launch.folder ? join(root, this.launch.folder) : join(place, 'work');
    const started = (this.process = this.spawn(argv, cwd, { PORT: String(port) }));
    for (const until = Date.now() + START_MS; Date.now() < until; await pause(LOOK_MS)) {
      if (started.exitCode !== null) throw this.failure(`${argv[0]} ended with code ${started.exitCode}`);
      if (await isReady(port, this.launch.ready)) return port;
    }
    throw this.failure(`${argv[0]} does not answer on port ${port}${this.launch.ready ?? ''}`);
  }

  prepare() {
    this.place = mkdtempSync(join(tmpdir(), 'application-'));
    for (const name of ['work', 'home', 'tmp']) mkdirSync(join(this.place, name));
    return this.place;
  }

  spawn(argv, cwd, more) {
    const { environment = {}, secrets = [], taken: passedOn = [], needed = {}, alone } = this.launch;
    const own = Object.entries(process.env).filter(([name]) =>
      // Settings and data of the user's own that are found by way of the home folder stay as they are.
      alone ? SURROUNDINGS.test(name) : !name.startsWith('XDG_'),
    );
    const passed = [...secrets, ...passedOn].filter((name) => process.env[name]).map((name) => [name, process.env[name]]);
    const filled = Object.entries(needed).map(([name, form]) => [name, taken(name, form)]);
    // What the project says holds whatever is set here.
    const given = { ...environment, ...Object.fromEntries([...passed, ...filled]) };
    this.values = Object.values(given).filter((value) => value?.length > 5);
    const [HOME, TMPDIR] = ['home', 'tmp'].map((one) => join(this.place, one));
    const around = { ...Object.fromEntries(own), HOME, TMPDIR, PYTHONUNBUFFERED: '1' };
    const env = { ...around, ...given, ...more };
    const log = openSync(join(this.place, 'output.txt'), 'w');
    const stdio = this.launch.command ? ['pipe', log, log] : ['pipe', 'pipe', log];
    const started = spawn(argv[0], argv.slice(1), { cwd, env, stdio, detached: true });
    closeSync(log);
    started.on('error', () => undefined); // told by what it does not answer
    started.stdin?.on('error', () => undefined);
    const place = this.place;
    process.once('exit', () => {
      kill(started, 'SIGKILL');
      rmSync(place, { recursive: true, force: true });
    });
    return started;
  }

  failure(reason) {
    let printed = readFileSync(join(this.place, 'output.txt'), 'utf8');
    for (const value of this.values) printed = printed.replaceAll(value, '***'); // it may be a secret
    printed = printed.trim().slice(-2000);
    return new Error(`the application does not start: ${reason}\nThe end of what it printed:\n${printed}`);
  }
}

/** The value of a variable: the one that is set, else what its form takes from others; undefined where one is not set. */
function taken(name, form) {
  let whole = true;
  const text = form.replace(/\$(?:\$|\{(\w+)\})/g, (_, other) => {
    if (other === undefined) return '$';
    whole &&= process.env[other] !== undefined;
    return process.env[other] ?? '';
  });
  return process.env[name] ?? (whole ? text : undefined);
}

function kill(process, signal) {
  try {
    if (process.pid !== undefined) globalThis.process.kill(-process.pid, signal);
  } catch {
    // It has ended already, with everything that it started.
  }
}

/** The Python of the project: the one that PYTHON names, that of its virtual environment, or the machine's. */
function pythonOf(root) {
  const own = ['.venv', 'venv'].map((one) => join(root, one, 'bin', 'python'));
  return process.env.PYTHON ?? own.find((one) => existsSync(one)) ?? 'python3';
}

function isProgram(name) {
  if (name.includes('/')) return existsSync(name);
  return (process.env.PATH ?? '').split(delimiter).some((one) => existsSync(join(one, name)));
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function isReady(port, path) {
  if (!path) return isOpen(port);
  try {
    const options = { redirect: 'manual', signal: AbortSignal.timeout(ASK_MS) };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, options);
    await answer.body?.cancel();
    return answer.status < 400;
  } catch {
    return false; // it takes no connections yet, or is too busy to answer
  }
}

function isOpen(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

module.exports = { Application };
