// Which rules a file is held to: ESLint's own for mistakes, the framework's plugin, and ours.
import globals from 'globals';
import { rules } from './rules/index.mjs';

const JEST_VERSION = 30;

// Mistakes, never style: what is here is wrong or idle in any file.
const CORE = [
  'constructor-super', 'for-direction', 'getter-return', 'no-async-promise-executor', 'no-class-assign',
  'no-compare-neg-zero', 'no-cond-assign', 'no-const-assign', 'no-constant-binary-expression', 'no-debugger',
  'no-dupe-args', 'no-dupe-class-members', 'no-dupe-else-if', 'no-dupe-keys', 'no-duplicate-case', 'no-ex-assign',
  'no-func-assign', 'no-import-assign', 'no-invalid-regexp', 'no-loss-of-precision', 'no-new-native-nonconstructor',
  'no-obj-calls', 'no-self-assign', 'no-self-compare', 'no-this-before-super', 'no-unreachable', 'no-unsafe-finally',
  'no-unsafe-negation', 'no-unsafe-optional-chaining', 'no-unused-labels', 'no-with', 'require-yield', 'use-isnan',
  'valid-typeof', 'testwright/unused',
];
const SCRIPT_ONLY = ['no-undef', 'no-redeclare'];
const TYPED_ONLY = ['testwright/undefined'];

const JEST_LINT = [
  'no-alias-methods', 'no-deprecated-functions', 'no-duplicate-hooks', 'no-interpolation-in-snapshots',
  'no-jasmine-globals', 'no-mocks-import',
];
const JEST_STRUCTURE = [
  'no-disabled-tests', 'no-export', 'no-focused-tests', 'no-identical-title',
  'no-standalone-expect', 'valid-describe-callback', 'valid-expect', 'valid-expect-in-promise', 'valid-title',
];
const PLAYWRIGHT_LINT = [
  'no-duplicate-hooks', 'no-element-handle', 'no-force-option', 'no-nested-step', 'no-unnecessary-assertions',
  'no-unused-locators', 'no-useless-await', 'no-useless-not', 'prefer-web-first-assertions', 'valid-test-tags',
];
const PLAYWRIGHT_STRUCTURE = [
  'missing-playwright-await', 'no-focused-test', 'no-identical-title', 'no-networkidle',
  'no-page-pause', 'no-skipped-test', 'no-standalone-expect', 'no-unsafe-references', 'no-wait-for-navigation',
  'no-wait-for-timeout', 'valid-describe-callback', 'valid-expect', 'valid-expect-in-promise', 'valid-title',
];
const OWN_STRUCTURE = [
  'assertions', 'awaited', 'expected-failure', 'idle-comparison', 'imports', 'network', 'sleep', 'subject', 'tautology',
  'tests',
];
const STRUCTURE = new Set([
  ...JEST_STRUCTURE.map((name) => `jest/${name}`),
  ...PLAYWRIGHT_STRUCTURE.map((name) => `playwright/${name}`),
  ...OWN_STRUCTURE.map((name) => `testwright/${name}`),
]);
const OPTIONS = {
  'no-cond-assign': ['except-parens'],
  'no-redeclare': [{ builtinGlobals: false }],
  'no-undef': [{ typeof: false }],
  'jest/valid-title': [{ ignoreTypeOfDescribeName: true, ignoreSpaces: true }],
  'jest/valid-expect': [{ alwaysAwait: false, maxArgs: 2 }],
  'jest/no-standalone-expect': [{ additionalTestBlockFunctions: ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'] }],
  'playwright/no-skipped-test': [{ allowConditional: true }],
  'playwright/valid-title': [{ ignoreTypeOfDescribeName: true, ignoreSpaces: true }],
  // Browser and Node meet in a page.evaluate: what it may read of outside is told by no-unsafe-references.
  'playwright/valid-expect': [{ maxArgs: 2 }],
};

const isTypeScript = (name) => /\.[cm]?tsx?$/.test(name);
// What a rule also says and is a matter of style.
const STYLE = new Set(['duplicatePrefix', 'accidentalSpace']);
export const isStyle = (found) => STYLE.has(found.messageId);
export const kindOf = (rule) => (STRUCTURE.has(rule) ? 'structure' : 'lint');

function ruleNames(file, typed) {
  const names = file.lint ? [...CORE, ...(typed ? TYPED_ONLY : SCRIPT_ONLY)] : [];
  const plugin = file.framework;
  if (plugin === 'jest' || plugin === 'playwright') {
    const [lint, structure] = plugin === 'jest' ? [JEST_LINT, JEST_STRUCTURE] : [PLAYWRIGHT_LINT, PLAYWRIGHT_STRUCTURE];
    names.push(...(file.lint ? lint.map((name) => `${plugin}/${name}`) : []));
    names.push(...(file.structure ? structure.map((name) => `${plugin}/${name}`) : []));
    names.push(...(file.structure ? OWN_STRUCTURE.map((name) => `testwright/${name}`) : []));
  }
  return names;
}

// `/* global name */` says what the file's surroundings give it; other inline configuration is not listened to.
function announced(source) {
  const found = source.matchAll(/\/\*\s*globals?\s+([^*]*)\*\//g);
  const names = [...found].flatMap((one) => one[1].split(',')).map((one) => one.split(':')[0].trim());
  return Object.fromEntries(names.filter((one) => /^[\w$]+$/.test(one)).map((one) => [one, 'writable']));
}

/** What checking a file takes, loaded only where it does: the TypeScript parser and the framework's plugin. */
export async function toolsFor(file) {
  const parser = isTypeScript(file.name) ? await import('@typescript-eslint/parser') : null;
  const plugins = { testwright: { rules } };
  if (file.framework === 'jest') plugins.jest = (await import('eslint-plugin-jest')).default;
  if (file.framework === 'playwright') plugins.playwright = (await import('eslint-plugin-playwright')).default;
  return { parser, plugins };
}

/** One flat configuration object for one file. */
export function configFor(file, sourceType, { parser, plugins }) {
  const typed = parser !== null;
  const jsx = /\.[jt]sx$/.test(file.name) || /\.[cm]?js$/.test(file.name);
  const known = { ...globals.browser, ...globals.node, ...announced(file.source) };
  const framework = file.framework === 'jest' || file.framework === '' ? globals.jest : {};
  return {
    files: ['**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}'],
    plugins,
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
    settings: { jest: { version: JEST_VERSION }, testwright: { framework: file.framework } },
    languageOptions: {
      ecmaVersion: 'latest',
      sourceType,
      globals: { ...known, ...framework },
      ...(typed ? { parser } : {}),
      parserOptions: { ecmaFeatures: { jsx } },
    },
    rules: Object.fromEntries(ruleNames(file, typed).map((name) => [name, ['error', ...(OPTIONS[name] ?? [])]])),
  };
}
