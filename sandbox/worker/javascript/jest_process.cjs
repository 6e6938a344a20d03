// Runs Jest once, with the project's own configuration or ours, and with what records tests one by one.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const jest = path.join(request.jest, 'package.json');
const core = require.resolve('@jest/core', { paths: [jest] });

/** The project's configuration as Jest reads it; empty where it has none. */
async function projectConfig() {
  if (!request.configured) return {};
  const { readInitialOptions } = require(require.resolve('jest-config', { paths: [core] }));
  const read = await readInitialOptions(undefined, {
    packageRootOrConfig: request.root,
    parentConfigDirname: request.root,
    readFromCwd: false,
    skipMultipleConfigError: true,
  });
  return read.config;
}

function ours() {
  const { babel } = request;
  const plugins = [babel.modules];
  return {
    testEnvironment: 'node',
    transform: {
      '\\.[cm]?[jt]sx?$': [
        babel.jest,
        { babelrc: false, configFile: false, presets: [[babel.typescript, { onlyRemoveTypeImports: false }]], plugins },
      ],
    },
    transformIgnorePatterns: request.transform_ignore,
    moduleFileExtensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'json', 'node'],
    // TypeScript's sources name the files they import as these are called once compiled.
    ...(request.typescript && {
      moduleNameMapper: {
        '^(\\.{1,2}/.*)\\.([cm]?)js$': ['$1.$2js', '$1.$2ts', '$1.tsx', '$1'],
      },
    }),
  };
}

async function main() {
  const project = await projectConfig();
  const base = Object.keys(project).length > 0 ? project : ours();
  const config = {
    ...base,
    rootDir: base.rootDir ?? request.root,
    // Coverage is measured of no file that these patterns match.
    testMatch: request.files.map((file) => file.replace(/[^\w/.-]/g, '?')),
    testRegex: undefined,
    testPathIgnorePatterns: [],
    modulePathIgnorePatterns: [],
    setupFilesAfterEnv: [path.join(__dirname, 'record.cjs'), ...(base.setupFilesAfterEnv ?? [])],
    reporters: [path.join(__dirname, 'reporter.cjs')],
    collectCoverage: request.measure.length > 0,
    coverageProvider: 'babel',
    collectCoverageFrom: request.measure.map((file) => path.relative(base.rootDir ?? request.root, file)),
    coveragePathIgnorePatterns: [],
    coverageReporters: [],
    coverageThreshold: undefined,
    coverageDirectory: path.join(request.scratch, 'coverage'),
    cacheDirectory: path.join(request.scratch, 'cache'),
    testTimeout: request.timeout_seconds * 1000,
    watchman: false,
    globalSetup: base.globalSetup,
  };
  const { runCLI } = require(core);
  const { results } = await runCLI(
    {
      _: request.files,
      $0: 'jest',
      config: JSON.stringify(config),
      runInBand: true,
      runTestsByPath: true,
      ci: true,
      silent: true,
      ...(request.seed === null ? {} : { randomize: true, seed: request.seed }),
      ...(request.only ? { testNamePattern: request.only } : {}),
    },
    [request.root],
  );
  process.exitCode = results.success ? 0 : 1;
}

main().catch((fault) => {
  fs.appendFileSync(request.journal, `${JSON.stringify({ broken: String(fault && fault.message ? fault.message : fault) })}\n`);
  process.exitCode = 2;
});
