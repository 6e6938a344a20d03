// The application under test: in a process of its own on a free port for each worker of Playwright, and for each test
// in the state after its start.
import { test as base } from '@playwright/test';
import { dirname, relative } from 'node:path';
// @ts-ignore: plain JavaScript, which tests for Jest run as well
import { Application } from './application_process.cjs';

export interface Launch {
  /** The project's folder, relative to that of the test file. */
  root: string;
  /** Where it runs already: API_BASE_URL, if that is set, takes its place, and nothing is started. */
  url?: string;
  /** A Python application (ASGI or WSGI): `package.module:attribute`, with `()` behind it for a function that makes one. */
  python?: string;
  /** What starts the application instead; `{port}` in it stands for the port. */
  command?: string[];
  /** Folders of the project that Python modules are imported from. */
  importRoots?: string[];
  /** Variables for the application, which it gets whatever is set here. */
  environment?: Record<string, string>;
  /** Variables that hold secrets: those that are not set get a random value. */
  secrets?: string[];
  /** Variables whose values come from where the tests run; `environment` has those to go by where none is set. */
  taken?: string[];
  /** Variables that have to be set where the tests run, with what they take from others there: `${NAME}`. */
  needed?: Record<string, string>;
  /** Whether it gets no other variables of its surroundings than those that any process needs. */
  alone?: boolean;
  /** A path that answers below 400 once what the command starts is ready; its port is enough without. */
  ready?: string;
  /** Whether it is started in any case, wherever API_BASE_URL points. */
  startedHere?: boolean;
  /** Folder of the project that it runs in; a temporary one, empty at each start, without it. */
  folder?: string;
}

/** The `test` of a file: each worker has the application for itself, and each test finds it as it is after its start. */
export function withApplication(launch: Launch) {
  const application = new Application(launch);
  return base.extend<object, { application: { fresh(folder: string, test: string): Promise<string>; missing(): string[] } }>({
    application: [
      async ({}, use) => {
        await use(application);
        await application.stop();
      },
      { scope: 'worker' },
    ],
    baseURL: async ({ application }, use, testInfo) => {
      const missing = application.missing();
      testInfo.skip(missing.length > 0, `set in the environment: ${missing.join(', ')}`);
      const name = `${relative(process.cwd(), testInfo.file)}::${testInfo.titlePath.slice(1).join(' > ')}`;
      await use(await application.fresh(dirname(testInfo.file), name));
    },
  });
}

/** The value of a variable that has to be set where the tests run; a test that fills it in is skipped without it. */
export function variable(name: string): string {
  base.skip(process.env[name] === undefined, `set in the environment: ${name}, whose value the test fills in`);
  return process.env[name] ?? '';
}
