// What a Playwright test does to a page has happened only once it was awaited. The plugin's rule can look at actions too,
// but goes by their names alone: it takes `values.fill(0)` and what runs inside of page.evaluate for actions.
import { chain, definitionOf, rootOf, variableOf } from './syntax.mjs';

const FIXTURES = new Set(['page', 'context', 'browser']);
const ACTIONS = new Set([
  'addCookies', 'addInitScript', 'blur', 'check', 'clear', 'clearCookies', 'click', 'close', 'dblclick', 'dispatchEvent',
  'dragAndDrop', 'dragTo', 'fill', 'focus', 'goBack', 'goForward', 'goto', 'hover', 'press', 'pressSequentially', 'reload',
  'route', 'scrollIntoViewIfNeeded', 'selectOption', 'selectText', 'setChecked', 'setContent', 'setInputFiles',
  'setViewportSize', 'tap', 'type', 'uncheck', 'unroute', 'waitFor', 'waitForFunction', 'waitForLoadState',
  'waitForSelector', 'waitForURL',
]);
const MOST_NAMES = 5;

export const awaited = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    if (context.settings.testwright.framework !== 'playwright') return {};
    return {
      ExpressionStatement({ expression }) {
        const call = expression.type === 'ChainExpression' ? expression.expression : expression;
        if (call.type !== 'CallExpression') return;
        const action = chain(call.callee).at(-1);
        if (!ACTIONS.has(action) || !ofFixture(rootOf(call), context.sourceCode, MOST_NAMES)) return;
        context.report({ node: call, message: `'${action}' is not awaited` });
      },
    };
  },
};

// `page` itself, or a locator that was made from it without waiting.
function ofFixture(identifier, sourceCode, left) {
  const variable = identifier && variableOf(sourceCode, identifier);
  if (!variable || left === 0) return false;
  if (variable.defs[0]?.type === 'Parameter') return FIXTURES.has(identifier.name);
  const made = definitionOf(variable);
  return made?.type === 'CallExpression' && ofFixture(rootOf(made), sourceCode, left - 1);
}
