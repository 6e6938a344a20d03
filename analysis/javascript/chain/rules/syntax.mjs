// Reading a syntax tree: chains of calls, tests, functions of the file, and where a node stands.
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const TEST_ROOTS = new Set(['it', 'test', 'fit', 'xit', 'xtest']);
const TEST_PARTS = new Set(['only', 'skip', 'each', 'concurrent', 'failing', 'fixme', 'fail', 'todo', '()']);
const HOOKS = new Set(['beforeAll', 'beforeEach', 'afterAll', 'afterEach', 'before', 'after']);
const FRAMEWORKS = /^(@jest\/globals|@playwright\/test|playwright\/test|vitest|mocha|node:test|bun:test)$/;

export const isFunction = (node) => node != null && FUNCTIONS.has(node.type);

/** `expect(a).not.toBe` as ['expect', '()', 'not', 'toBe']; empty for what is no chain on a name. */
export function chain(node) {
  switch (node?.type) {
    case 'Identifier':
      return [node.name];
    case 'MemberExpression': {
      const before = chain(node.object);
      const name = node.computed ? literalText(node.property) : (node.property.name ?? '');
      return before.length ? [...before, name] : ['', name];
    }
    case 'CallExpression':
      return [...chain(node.callee), '()'];
    case 'TaggedTemplateExpression':
      return [...chain(node.tag), '()'];
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return chain(node.expression);
    case 'AwaitExpression':
      return chain(node.argument);
    default:
      return [];
  }
}

/** The text of a literal or of a template's beginning, else an empty text. */
export function literalText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis[0].value.cooked ?? '';
  if (node?.type === 'BinaryExpression' && node.operator === '+') return literalText(node.left);
  return '';
}

/** Every node below one, itself first. */
export function* nodes(root, keys) {
  const waiting = [root];
  while (waiting.length) {
    const current = waiting.pop();
    yield current;
    for (const key of keys[current.type] ?? []) {
      const below = current[key];
      if (Array.isArray(below)) waiting.push(...below.filter(Boolean));
      else if (below) waiting.push(below);
    }
  }
}

/** The nodes above one, the nearest first. */
export function* ancestors(node) {
  for (let above = node.parent; above; above = above.parent) yield above;
}

/** The variable a name refers to, or null. */
export function variableOf(sourceCode, identifier) {
  for (let scope = sourceCode.getScope(identifier); scope; scope = scope.upper) {
    const found = scope.set.get(identifier.name);
    if (found) return found;
  }
  return null;
}

/** What a variable was bound to: a function, a class or an expression of the file, or null. */
export function definitionOf(variable) {
  const definition = variable?.defs?.[0];
  if (!definition) return null;
  if (definition.type === 'FunctionName' || definition.type === 'ClassName') return definition.node;
  return definition.type === 'Variable' ? (definition.node.init ?? null) : null;
}

/** Where a name comes from: the module's name, or an empty text when it is no import and no `require`. */
export function moduleOf(variable) {
  const definition = variable?.defs?.[0];
  if (!definition) return '';
  if (definition.type === 'ImportBinding') {
    return definition.parent?.source?.value ?? definition.node?.moduleReference?.expression?.value ?? '';
  }
  return definition.type === 'Variable' ? requiredModule(definition.node.init) : '';
}

function requiredModule(node) {
  const call = node?.type === 'AwaitExpression' ? node.argument : node;
  if (call?.type === 'ImportExpression') return literalText(call.source) || '?';
  if (call?.type === 'MemberExpression') return requiredModule(call.object);
  if (call?.type !== 'CallExpression') return '';
  const path = chain(call.callee).join('.');
  if (['require', 'jest.requireActual', 'jest.requireMock', 'jest.createMockFromModule'].includes(path)) {
    return literalText(call.arguments[0]) || '?';
  }
  return requiredModule(call.callee);
}

export const isFrameworkModule = (name) => FRAMEWORKS.test(name);

function isTestRoot(sourceCode, identifier) {
  if (TEST_ROOTS.has(identifier.name)) return true;
  const variable = variableOf(sourceCode, identifier);
  const definition = variable?.defs?.[0];
  if (definition?.type === 'ImportBinding' && isFrameworkModule(moduleOf(variable))) {
    return TEST_ROOTS.has(definition.node.imported?.name);
  }
  const init = definition?.type === 'Variable' ? definition.node.init : null;
  return chain(init).includes('extend') && chain(init).at(-1) === '()';
}

/** The name that a chain begins with, as a node, or null. */
export function rootOf(node) {
  let current = node;
  while (current && current.type !== 'Identifier') {
    current = current.object ?? current.callee ?? current.tag ?? current.expression ?? null;
  }
  return current;
}

/** The function of a test when this call defines one (a test without any is null), else undefined. */
export function testFunction(sourceCode, call) {
  const parts = chain(call.callee);
  const root = rootOf(call.callee);
  if (!parts[0] || !root || !isTestRoot(sourceCode, root)) return undefined;
  if (parts.slice(1).some((one) => !TEST_PARTS.has(one))) return undefined;
  const given = [...call.arguments].reverse().find((one) => isFunction(one) || isWrapped(one));
  if (!given) return undefined;
  return isFunction(given) ? given : given.arguments.find(isFunction);
}

// `it('…', fakeAsync(() => …))`: a function wrapped by another.
const isWrapped = (node) => node?.type === 'CallExpression' && node.arguments.some(isFunction);

/** Whether a function is the body of a hook such as `beforeEach`. */
export function isHook(node) {
  const call = node.parent;
  return call?.type === 'CallExpression' && HOOKS.has(chain(call.callee).at(-1) ?? '');
}

/** A visitor that gathers the file's tests and hands them over at its end. */
export function withTests(context, visit) {
  const found = [];
  return {
    CallExpression(node) {
      const given = testFunction(context.sourceCode, node);
      if (given) found.push({ call: node, body: given, title: titleOf(node) });
    },
    'Program:exit'(program) {
      visit(found, program);
    },
  };
}

function titleOf(call) {
  const text = literalText(call.arguments[0]);
  return text ? `'${text}'` : 'the test';
}
