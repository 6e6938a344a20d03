// The application under test: in a process of its own on a free port for each worker of Playwright, and for each test
// in the state after its start.
import { test as base } from '@playwright/test';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 60_000;
const STOP_MS = 10_000;
const LOOK_MS = 25;

export interface Launch {
  /** The project's folder, relative to that of the test file. */
  root: string;
  /** A Python application (ASGI or WSGI): `package.module:attribute`, with `()` behind it for a function that makes one. */
  python?: string;
  /** What starts the application instead; `{port}` in it stands for the port. */
  command?: string[];
  /** Folders of the project that Python modules are imported from. */
  importRoots?: string[];
  /** Variables for the application, where they are not set already. */
  environment?: Record<string, string>;
  /** Variables that hold secrets: those that are not set get a random value. */
  secrets?: string[];
  /** Folder of the project that it runs in; a temporary one, empty at each start, without it. */
  folder?: string;
}

/** The `test` of a file: each worker has the application for itself, and each test finds it as it is after its start. */
export function withApplication(launch: Launch) {
  for (const name of launch.secrets ?? []) process.env[name] ??= `test-${randomUUID()}`;
  return base.extend<object, { application: Application }>({
    application: [
      async ({}, use) => {
        const application = new Application(launch);
        await use(application);
        await application.stop();
      },
      { scope: 'worker' },
    ],
    baseURL: async ({ application }, use, testInfo) => {
      await use(await application.fresh(dirname(testInfo.file)));
    },
  });
}

/** The value of a variable that has to be set where the tests run. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`set the environment variable ${name}: the tests fill in its value`);
  return value;
}

class Application {
  private process?: ChildProcess;
  private answers?: AsyncIterator<string>;
  private place = '';
  private again = false;

  constructor(private readonly launch: Launch) {}

  /** Its address, in the state after its start. */
  async fresh(folder: string): Promise<string> {
    // A command is started anew; Python keeps the imported application, and serves a fork of it.
    if (!this.again) await this.stop();
    const port = this.launch.command ? await this.startCommand(folder) : await this.freshPython(folder);
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
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

  private async freshPython(folder: string): Promise<number> {
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

  private startPython(folder: string): ChildProcess {
    const root = resolve(folder, this.launch.root);
    const roots = (this.launch.importRoots ?? ['.']).map((one) => join(root, one));
    const place = this.prepare();
    const own = this.launch.folder && join(root, this.launch.folder);
    const config = {
      application: this.launch.python,
      command: null,
      import_roots: roots,
      folder: own ?? join(place, 'work'),
      copy: own ? '' : join(place, 'copy'),
      writable: own ? [] : [join(place, 'home'), tmpdir()],
    };
    const launcher: string[] = process.env.API_LAUNCHER
      ? JSON.parse(process.env.API_LAUNCHER)
      : [pythonOf(root), join(folder, 'api_serving.py')];
    const path = [...roots, ...(process.env.PYTHONPATH ? [process.env.PYTHONPATH] : [])].join(delimiter);
    const started = this.spawn([...launcher, JSON.stringify(config)], config.folder, { PYTHONPATH: path });
    this.answers = createInterface({ input: started.stdout! })[Symbol.asyncIterator]();
    return started;
  }

  private async startCommand(folder: string): Promise<number> {
    const root = resolve(folder, this.launch.root);
    const place = this.prepare();
    const port = await freePort();
    const words = this.launch.command!.map((one) => one.replace('{port}', String(port)));
    // It runs elsewhere: words that name a file of the project are spelled in full.
    const argv = words.map((one) => (existsSync(join(root, one)) && one !== '.' ? join(root, one) : one));
    if (/^python3?$/.test(argv[0])) argv[0] = pythonOf(root);
    const cwd = this.launch.folder ? join(root, this.launch.folder) : join(place, 'work');
    const started = (this.process = this.spawn(argv, cwd, { PORT: String(port) }));
    for (const until = Date.now() + START_MS; Date.now() < until; await pause(LOOK_MS)) {
      if (started.exitCode !== null) throw this.failure(`${argv[0]} ended with code ${started.exitCode}`);
      if (await isOpen(port)) return port;
    }
    throw this.failure(`${argv[0]} does not answer on port ${port}`);
  }

  private prepare(): string {
    this.place = mkdtempSync(join(tmpdir(), 'application-'));
    for (const name of ['work', 'home']) mkdirSync(join(this.place, name));
    return this.place;
  }

  private spawn(argv: string[], cwd: string, more: Record<string, string>): ChildProcess {
    // Settings and data of the user's own that are found by way of the home folder stay as they are.
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('XDG_'));
    const given = { ...this.launch.environment, ...Object.fromEntries(own) };
    const env = { ...given, HOME: join(this.place, 'home'), PYTHONUNBUFFERED: '1', ...more };
    const log = openSync(join(this.place, 'output.txt'), 'w');
    const stdio: ('pipe' | number)[] = this.launch.command ? ['pipe', log, log] : ['pipe', 'pipe', log];
    const started = spawn(argv[0], argv.slice(1), { cwd, env, stdio, detached: true });
    closeSync(log);
    started.on('error', () => undefined); // told by what it does not answer
    started.stdin?.on('error', () => undefined);
    process.once('exit', () => kill(started, 'SIGKILL'));
    return started;
  }

  private failure(reason: string): Error {
    const printed = readFileSync(join(this.place, 'output.txt'), 'utf8').trim().slice(-2000);
    return new Error(`the application does not start: ${reason}\nThe end of what it printed:\n${printed}`);
  }
}

function kill(process: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (process.pid !== undefined) globalThis.process.kill(-process.pid, signal);
  } catch {
    // It has ended already, with everything that it started.
  }
}

/** The Python of the project: the one that PYTHON names, that of its virtual environment, or the machine's. */
function pythonOf(root: string): string {
  const own = ['.venv', 'venv'].map((one) => join(root, one, 'bin', 'python'));
  return process.env.PYTHON ?? own.find((one) => existsSync(one)) ?? 'python3';
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}
