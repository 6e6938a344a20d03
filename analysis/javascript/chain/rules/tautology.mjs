// An assertion that cannot fail proves nothing.
import { chain, nodes } from './syntax.mjs';

const EQUALITY = new Set(['toBe', 'toEqual', 'toStrictEqual', 'toMatchObject', 'toContainEqual', 'equal', 'eql', 'equals']);
const TRUE = new Set(['toBeTruthy', 'toBeDefined', 'ok']);
const FALSE = new Set(['toBeFalsy']);
const ASSERTS = new Set(['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual']);

export const tautology = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const same = (left, right) => sameText(context.sourceCode, left, right);
    const tell = (node) => context.report({ node, message: 'the assertion is always true' });
    return {
      CallExpression(node) {
        const parts = chain(node.callee);
        const given = parts[0] === 'expect' && !parts.includes('not') ? subjectOf(node.callee) : null;
        const last = parts.at(-1);
        if (given && EQUALITY.has(last) && node.arguments.length === 1 && same(given, node.arguments[0])) tell(node);
        else if (given && TRUE.has(last) && given.type === 'Literal' && given.value) tell(node);
        else if (given && FALSE.has(last) && given.type === 'Literal' && !given.value) tell(node);
        else if (parts[0] === 'assert' && (parts.length === 1 || last === 'ok') && isTrue(node.arguments[0])) tell(node);
        else if (parts[0] === 'assert' && ASSERTS.has(last) && same(node.arguments[0], node.arguments[1])) tell(node);
      },
    };
  },
};

const isTrue = (node) => node?.type === 'Literal' && Boolean(node.value);

/** What `expect(…)` was given, for a chain with exactly one argument. */
function subjectOf(callee) {
  let current = callee;
  while (current?.type === 'MemberExpression') current = current.object;
  return current?.type === 'CallExpression' && current.arguments.length === 1 ? current.arguments[0] : null;
}

// The same text twice is the same value, unless asking twice may answer twice.
function sameText(sourceCode, left, right) {
  if (!left || !right || sourceCode.getText(left) !== sourceCode.getText(right)) return false;
  const acting = new Set(['CallExpression', 'NewExpression', 'AwaitExpression', 'UpdateExpression', 'ObjectExpression', 'ArrayExpression', 'FunctionExpression', 'ArrowFunctionExpression', 'TaggedTemplateExpression']);
  const literal = left.type === 'ObjectExpression' || left.type === 'ArrayExpression';
  return ![...nodes(left, sourceCode.visitorKeys)].some((one) => acting.has(one.type) && !(literal && /Object|Array/.test(one.type)));
}
