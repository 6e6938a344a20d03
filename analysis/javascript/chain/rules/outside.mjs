// A test waits for what happens, not for time to pass, and reaches nobody outside this machine.
import { ancestors, chain, definitionOf, isFunction, isHook, literalText, moduleOf, nodes, testFunction, variableOf } from './syntax.mjs';

const SLEEPERS = /^(sleep|delay|wait|pause|snooze)(Ms|For|Seconds)?$/i;
const NEAR = /^(localhost|127\.|0\.0\.0\.0|\[::1\]|\[::\]|host\.docker\.internal)|\.(localhost|test|invalid|example|local)(:|$)/i;
const CLIENTS = new Set(['fetch', 'axios', 'got', 'ky', 'superagent', 'request', 'needle']);
const VERBS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'request', 'fetch', 'goto']);
const SERVED = /\b(nock|setupServer|setupWorker|fetchMock|fetch-mock|jest-fetch-mock|MockAdapter|MockAgent|mockServer)\b/;
const STANDS_IN = /(jest\.(mock|doMock|spyOn)\(|mockImplementation|global(This)?\.fetch\s*=|window\.fetch\s*=|\.route\(|routeFromHAR)/;

export const sleep = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const fake = /useFakeTimers|\.clock\.(install|fastForward|runFor)/.test(sourceCode.text);
    const tell = (node, how) => context.report({ node, message: `the test sleeps with ${how}` });
    return {
      AwaitExpression(node) {
        if (fake || !inTest(sourceCode, node)) return;
        if (isTimer(node.argument, sourceCode)) tell(node, 'a timer');
        else if (node.argument.type === 'CallExpression') {
          const how = sleeperOf(node.argument, sourceCode);
          if (how) tell(node, how);
        }
      },
      CallExpression(node) {
        const parts = chain(node.callee);
        if (parts.join('.') === 'Atomics.wait') tell(node, 'Atomics.wait');
        const framework = context.settings.testwright.framework;
        if (framework === 'jest' && parts.length > 1 && parts.at(-1) === 'waitForTimeout') tell(node, 'waitForTimeout');
      },
    };
  },
};

function inTest(sourceCode, node) {
  for (const above of ancestors(node)) {
    if (!isFunction(above)) continue;
    const call = [...ancestors(above)].find((one) => one.type === 'CallExpression');
    return isHook(above) || (call != null && testFunction(sourceCode, call) === above);
  }
  return false;
}

function sleeperOf(call, sourceCode) {
  const parts = chain(call.callee);
  const variable = call.callee.type === 'Identifier' ? variableOf(sourceCode, call.callee) : null;
  if (call.callee.type === 'Identifier' && /^(node:)?timers\/promises$/.test(moduleOf(variable))) return parts[0];
  const definition = definitionOf(variable);
  if (isFunction(definition)) {
    const timed = [...nodes(definition, sourceCode.visitorKeys)].some((one) => isTimer(one, sourceCode));
    return timed && definition.params.length > 0 && SLEEPERS.test(parts[0]) ? parts[0] : '';
  }
  const named = SLEEPERS.test(parts.at(-1) ?? '') && parts.length <= 2;
  return named && call.arguments[0]?.type === 'Literal' && typeof call.arguments[0].value === 'number' ? parts.join('.') : '';
}

/** `new Promise((resolve) => setTimeout(resolve, 100))`: nothing but the passing of time. */
function isTimer(node, sourceCode) {
  if (node?.type !== 'NewExpression' || chain(node.callee)[0] !== 'Promise' || !isFunction(node.arguments[0])) return false;
  const body = node.arguments[0].body;
  const only = body.type === 'BlockStatement' ? (body.body.length === 1 ? body.body[0] : null) : body;
  const call = only?.type === 'ExpressionStatement' ? only.expression : only?.type === 'ReturnStatement' ? only.argument : only;
  if (call?.type !== 'CallExpression' || chain(call.callee).at(-1) !== 'setTimeout') return false;
  const [act, delay] = call.arguments;
  if (!delay || (delay.type === 'Literal' && delay.value === 0)) return false;
  const resolve = node.arguments[0].params[0]?.name;
  if (act?.type === 'Identifier') return act.name === resolve;
  if (!isFunction(act)) return false;
  const calls = [...nodes(act.body, sourceCode.visitorKeys)].filter((one) => one.type === 'CallExpression');
  return calls.length === 1 && chain(calls[0].callee)[0] === resolve;
}

export const network = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { text } = context.sourceCode;
    if (SERVED.test(text) || STANDS_IN.test(text)) return {};
    const { framework } = context.settings.testwright;
    return {
      CallExpression(node) {
        const parts = chain(node.callee);
        if (!asksNetwork(parts, framework)) return;
        const host = hostOf(node.arguments[0]);
        if (host && !NEAR.test(host)) {
          context.report({ node, message: `the test reaches for the network: ${host}` });
        }
      },
    };
  },
};

function asksNetwork(parts, framework) {
  const [root, verb] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return CLIENTS.has(root);
  if (parts.includes('()')) return false;
  const isClient = CLIENTS.has(root) || ['http', 'https', 'window', 'globalThis', 'global'].includes(root);
  return VERBS.has(verb) && (isClient || (framework === 'playwright' && ['page', 'request', 'context'].includes(root)) || verb === 'goto');
}

function hostOf(node) {
  const given = node?.type === 'ObjectExpression' ? node.properties.find((one) => ['url', 'hostname', 'host'].includes(one.key?.name))?.value : node;
  const address = given?.type === 'NewExpression' && chain(given.callee)[0] === 'URL' ? given.arguments[0] : given;
  const found = /^(?:https?|wss?):\/\/([^/?#]+)/i.exec(literalText(address));
  return found ? found[1].replace(/^[^@]*@/, '') : '';
}
