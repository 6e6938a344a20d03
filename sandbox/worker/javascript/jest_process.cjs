// Runs Jest once, with the project's own configuration or ours, and with what records tests one by one.
'use strict';

const fs = require('node:fs');
const { enableCompileCache } = require('node:module');
const path = require('node:path');

const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
// Each start loads some hundred files of Jest: only the first one compiles them. Node has this from 22.8 on.
enableCompileCache?.(path.join(request.scratch, 'compiled'));
const jest = path.join(request.jest, 'package.json');
const core = require.resolve('@jest/core', { paths: [jest] });

/** The project's configuration as Jest reads it; empty where it has none, for which Jest has its defaults. */
async function projectConfig() {
  if (!request.own || !request.configured) return {};
  const { readInitialOptions } = require(require.resolve('jest-config', { paths: [core] }));
  const read = await readInitialOptions(undefined, {
    packageRootOrConfig: request.config_root,
    parentConfigDirname: request.config_root,
    readFromCwd: false,
    skipMultipleConfigError: true,
  });
  const { projects, ...config } = read.config;
  if (!Array.isArray(projects)) return config;
  return (await projectOf(request.files[0], projects)) ?? { rootDir: request.root };
}

/** The settings of the one of several projects that a file belongs to: it collects it, or its roots hold it. */
async function projectOf(file, projects) {
  const { readConfigs, readInitialOptions } = require(require.resolve('jest-config', { paths: [core] }));
  const { SearchSource } = require(core);
  const { configs } = await readConfigs({ _: [], $0: 'jest' }, [request.config_root]).catch(() => ({ configs: [] }));
  const inside = (root) => `${file}/`.startsWith(`${root}/`);
  const order = [
    (config) => new SearchSource({ config }).isTestFilePath(file),
    (config) => config.roots.some((root) => root !== request.config_root && inside(root)),
  ];
  // Patterns for several projects (`packages/*`) have no settings in their place.
  const at = configs.length === projects.length ? order.map((fits) => configs.findIndex(fits)).find((one) => one >= 0) : -1;
  const chosen = projects[at] ?? projects.find((one) => typeof one === 'object');
  if (typeof chosen !== 'string') return chosen;
  const place = path.resolve(request.config_root, chosen.replace('<rootDir>', request.config_root));
  const read = await readInitialOptions(undefined, {
    packageRootOrConfig: place,
    parentConfigDirname: request.config_root,
    readFromCwd: false,
    skipMultipleConfigError: true,
  });
  return { rootDir: configs[at].rootDir, ...read.config };
}

/** Write which files the project's own Jest does not collect, and the setting that leaves each out. */
async function writeUncollected() {
  const { readConfigs } = require(require.resolve('jest-config', { paths: [core] }));
  const { SearchSource } = require(core);
  const { configs } = await readConfigs({ _: [], $0: 'jest' }, [request.config_root]);
  for (const file of request.files) {
    const reasons = configs.map((config) => whyNot(SearchSource, config, file));
    if (reasons.includes('') || reasons.length === 0) continue;
    const folder = path.relative(configs[0].rootDir, path.dirname(file)).split(path.sep).join('/');
    fs.appendFileSync(request.journal, `${JSON.stringify({ uncollected: reasons[0], file, folder })}\n`);
  }
}

/** The setting because of which a configuration leaves a file out; empty where it collects it. */
function whyNot(SearchSource, config, file) {
  const collects = (settings) => new SearchSource({ config: { ...config, ...settings } }).isTestFilePath(file);
  const open = { testMatch: [], testRegex: [], testPathIgnorePatterns: [] };
  if (collects({})) {
    return config.moduleFileExtensions.includes(path.extname(file).slice(1)) ? '' : 'moduleFileExtensions';
  }
  if (!collects(open)) return 'roots';
  if (!collects({ ...open, testPathIgnorePatterns: config.testPathIgnorePatterns })) return 'testPathIgnorePatterns';
  return config.testRegex.length > 0 ? 'testRegex' : 'testMatch';
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

/** Where a reader of source maps lies that Jest itself uses; empty where it has none. */
function tracePath() {
  try {
    const reporters = require.resolve('@jest/reporters', { paths: [core] });
    return require.resolve('@jridgewell/trace-mapping', { paths: [reporters] });
  } catch {
    return '';
  }
}

async function main() {
  process.env.TESTWRIGHT_TRACE = tracePath();
  const project = await projectConfig();
  const base = request.own ? project : ours();
  const config = {
    ...base,
    rootDir: base.rootDir ?? request.root,
    roots: [...new Set([...(base.roots ?? []), request.root])],
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
  // What cannot be asked is not told: the tests run all the same.
  if (request.own && request.ask_collected) await writeUncollected().catch(() => {});
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
