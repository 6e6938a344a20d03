// A test has a subject: something that comes from outside the test file reaches its assertions.
import { chain, isFrameworkModule, moduleOf, nodes, variableOf, withTests } from './syntax.mjs';

const LIBRARIES = /^(chai|sinon|assert|node:assert|node:assert\/strict|@faker-js\/faker|@testing-library\/(jest-dom|user-event).*)$/;
const OWN_GLOBALS = new Set([
  'expect', 'it', 'test', 'describe', 'jest', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'console', 'undefined',
  'NaN', 'Infinity', 'Math', 'JSON', 'Object', 'Array', 'String', 'Number', 'Boolean', 'Date', 'Promise', 'Map', 'Set',
  'RegExp', 'Error', 'TypeError', 'RangeError', 'Symbol', 'BigInt', 'parseInt', 'parseFloat', 'isNaN', 'setTimeout',
  'setInterval', 'clearTimeout', 'clearInterval', 'assert', 'sinon', 'fail', 'Buffer', 'require', 'module', 'exports',
]);

export const subject = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const keys = sourceCode.visitorKeys;
    // A file that is imported for what it does may be what every test is about.
    const acts = (one) => one.type === 'ImportDeclaration' && one.specifiers.length === 0 && !helps(one.source.value);
    if (sourceCode.ast.body.some(acts)) return {};
    return withTests(context, (tests) => tests.filter(isIdle).forEach(tell));

    function tell({ call, title }) {
      context.report({ node: call, message: `${title} never touches what is tested` });
    }

    // Fixtures of Playwright's are real things.
    function isIdle({ call, body }) {
      const given = context.settings.testwright.framework === 'playwright' && body.params.length > 0;
      return !given && !outside(call, new Set());
    }

    function outside(root, seen) {
      for (const node of nodes(root, keys)) {
        if (node.type === 'ImportExpression' || node.type === 'JSXIdentifier' || node.type === 'ThisExpression') return true;
        if (node.type === 'CallExpression' && /^(require|jest\.require\w+)$/.test(chain(node.callee).join('.'))) {
          if (!helps(node.arguments[0]?.value ?? '')) return true;
        }
        if (node.type === 'Identifier' && reaches(node, seen)) return true;
      }
      return false;
    }

    function reaches(node, seen) {
      const named = node.parent;
      if (named?.type === 'MemberExpression' && named.property === node && !named.computed) return false;
      if (named?.type === 'Property' && named.key === node && !named.computed && !named.shorthand) return false;
      const variable = variableOf(sourceCode, node);
      if (!variable || variable.defs.length === 0) return !OWN_GLOBALS.has(node.name);
      if (seen.has(variable)) return false;
      seen.add(variable);
      const from = moduleOf(variable);
      if (from) return !helps(from);
      const [definition] = variable.defs;
      if (definition.type === 'Parameter') return false;
      const bound = [definition.node, ...variable.references.map(writtenTo)].filter(Boolean);
      return bound.some((one) => outside(one, seen));
    }
  },
};

const helps = (name) => isFrameworkModule(name) || LIBRARIES.test(name);

// What an assignment puts into a variable (`cart = …`) or into a part of it (`state.cart = …`).
function writtenTo(reference) {
  if (reference.writeExpr) return reference.writeExpr;
  let node = reference.identifier;
  while (node.parent?.type === 'MemberExpression' && node.parent.object === node) node = node.parent;
  return node.parent?.type === 'AssignmentExpression' && node.parent.left === node ? node.parent.right : null;
}
