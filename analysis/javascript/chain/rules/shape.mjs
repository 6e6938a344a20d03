// The file as its framework collects it: tests there, imports right, nothing expected to fail or left idle.
import { chain, isFrameworkModule, testFunction, variableOf, withTests } from './syntax.mjs';

const EXPECTED = { jest: ['failing'], playwright: ['fail'] };
const OWN_MODULES = {
  jest: ['@jest/globals'],
  playwright: ['@playwright/test', 'playwright/test'],
};
const COMPARISONS = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>=']);

const frameworkOf = (context) => context.settings.testwright.framework;

export const tests = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return withTests(context, (found, program) => {
      if (found.length === 0) {
        context.report({ node: program, loc: { line: 1, column: 0 }, message: `${frameworkOf(context)} finds no test here` });
      }
    });
  },
};

export const imports = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const framework = frameworkOf(context);
    const foreign = (name) => isFrameworkModule(name) && !OWN_MODULES[framework].includes(name);
    const told = new Set();
    const check = (node, name) => {
      if (typeof name === 'string' && foreign(name)) {
        context.report({ node, message: `the file is a test for ${framework}, and imports ${name}` });
      }
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      CallExpression(node) {
        if (chain(node.callee).join('.') === 'require') check(node, node.arguments[0]?.value);
      },
      Identifier(node) {
        if (framework !== 'playwright' || !['test', 'expect'].includes(node.name) || told.has(node.name)) return;
        if (node.parent.type === 'MemberExpression' && node.parent.property === node && !node.parent.computed) return;
        if (['Property', 'ImportSpecifier', 'ExportSpecifier', 'MethodDefinition'].includes(node.parent.type)) return;
        if (!variableOf(context.sourceCode, node)?.defs.length) {
          told.add(node.name);
          context.report({ node, message: `${node.name} is not imported from '@playwright/test'` });
        }
      },
    };
  },
};

export const expectedFailure = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return {
      CallExpression(node) {
        const parts = chain(node.callee).filter((one) => one !== '()');
        const marks = EXPECTED[frameworkOf(context)] ?? [];
        if (['it', 'test'].includes(parts[0]) && parts.slice(1).some((one) => marks.includes(one))) {
          const isInner = testFunction(context.sourceCode, node) === undefined && chain(node.callee).includes('each');
          if (!isInner) context.report({ node, message: `a test is expected to fail by ${parts.join('.')}` });
        }
      },
    };
  },
};

export const idleComparison = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return {
      'ExpressionStatement > BinaryExpression'(node) {
        if (COMPARISONS.has(node.operator)) context.report({ node, message: 'a comparison stands alone and checks nothing' });
      },
    };
  },
};
