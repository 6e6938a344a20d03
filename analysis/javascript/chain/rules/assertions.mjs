// Every test asserts, and not only where a branch or a handler happens to be reached.
import { ancestors, chain, definitionOf, isFunction, nodes, variableOf, withTests } from './syntax.mjs';

const ASSERTING = /^(assert|expect|verify|should|ensure|must)([A-Z_]|$)/;
const COUNTED = new Set(['assertions', 'hasAssertions']);
const BRANCHES = {
  IfStatement: ['consequent', 'alternate'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['right'],
};

/** Whether a node is an assertion by itself. */
export function isAssertion(node) {
  if (node.type === 'ThrowStatement') return true;
  if (node.type === 'MemberExpression') {
    // Chai's property assertions: `expect(x).to.be.true`.
    const parts = chain(node);
    const stands = node.parent?.type === 'ExpressionStatement' || node.parent?.type === 'AwaitExpression';
    return stands && ((parts[0] === 'expect' && parts.includes('()')) || parts.includes('should'));
  }
  if (node.type !== 'CallExpression') return false;
  const parts = chain(node.callee);
  const last = parts.at(-1) ?? '';
  if (parts[0] === 'expect') return parts.length > 1 && parts.includes('()');
  if (parts[0] === 'assert' || parts.includes('should') || parts[0] === 'expectTypeOf') return true;
  if (parts.length === 1) return ASSERTING.test(last) || last === 'fail';
  return ASSERTING.test(last) || parts.includes('assert') || last === 'fail' || last === 'expectObservable';
}

export const assertions = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const keys = sourceCode.visitorKeys;
    const asserting = new Map();

    function helperAsserts(definition) {
      if (asserting.has(definition)) return asserting.get(definition);
      asserting.set(definition, false);
      const answer = [...nodes(definition, keys)].some((one) => isAssertion(one) || callsHelper(one));
      asserting.set(definition, answer);
      return answer;
    }

    function callsHelper(node) {
      if (node.type !== 'Identifier' || (node.parent?.type === 'MemberExpression' && node.parent.property === node)) {
        return false;
      }
      const definition = definitionOf(variableOf(sourceCode, node));
      const walkable = isFunction(definition) || definition?.type === 'ClassDeclaration' || definition?.type === 'ClassExpression';
      const made = ['ObjectExpression', 'CallExpression'].includes(definition?.type);
      return (walkable || made) && helperAsserts(definition);
    }

    return withTests(context, (tests) => {
      for (const { call, body, title } of tests) {
        const own = [...nodes(body.body, keys)].filter((one) => isAssertion(one) || callsHelper(one));
        if (own.length === 0) {
          context.report({ node: call, message: `${title} asserts nothing` });
        } else if (!countsThem(body, keys) && own.every((one) => conditional(one, body, own))) {
          context.report({ node: own.at(-1), message: `${title} asserts only in a branch or handler that may not run` });
        }
      }
    });
  },
};

const countsThem = (body, keys) =>
  [...nodes(body, keys)].some((one) => one.type === 'CallExpression' && isCount(chain(one.callee)));
const isCount = (parts) => parts[0] === 'expect' && parts.length === 2 && COUNTED.has(parts[1]);

function conditional(node, body, all) {
  let below = node;
  for (const above of ancestors(node)) {
    if (above === body) return false;
    const branches = BRANCHES[above.type];
    const side = branches?.find((one) => above[one] === below);
    if (side && !guardsByThrow(node) && !otherSideAsserts(above, below, branches, all)) return true;
    if (above.type === 'CatchClause' && !all.some((one) => inside(one, above.parent.block))) return true;
    if (above.type === 'CallExpression' && above.arguments.includes(below) && chain(above.callee).at(-1) === 'catch') {
      return true;
    }
    below = above;
  }
  return false;
}

// `if (wrong) throw …` is an assertion written by hand.
const guardsByThrow = (node) => node.type === 'ThrowStatement';

function otherSideAsserts(above, below, branches, all) {
  const other = branches.map((one) => above[one]).find((one) => one && one !== below);
  return other != null && branches.length > 1 && all.some((one) => inside(one, other));
}

const inside = (node, outer) => node.range[0] >= outer.range[0] && node.range[1] <= outer.range[1];
