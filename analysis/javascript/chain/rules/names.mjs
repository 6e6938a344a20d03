// Names that lead nowhere: bound and never read, or read and never bound. For types as for values.
const LEFT_OUT = new Set(['React', 'h', 'jsx', 'Fragment']);

export const unused = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return {
      'Program:exit'(program) {
        const waiting = [context.sourceCode.getScope(program)];
        while (waiting.length) {
          const scope = waiting.pop();
          waiting.push(...scope.childScopes);
          scope.variables.filter((one) => isIdle(one, scope)).forEach((one) => tell(context, one));
        }
      },
    };
  },
};

function isIdle(variable, scope) {
  const [definition] = variable.defs;
  if (!definition || variable.defs.length > 1 || variable.name.startsWith('_') || LEFT_OUT.has(variable.name)) return false;
  if (variable.references.some((one) => !one.init && (one.isRead() || one.isTypeReference))) return false;
  if (variable.eslintUsed || definition.node?.declare || definition.parent?.declare) return false;
  if (definition.type === 'ImportBinding') return true;
  if (definition.type !== 'Variable' || isExported(definition) || isRest(definition)) return false;
  // A script's top names are seen by other scripts.
  if (scope.type === 'global') return false;
  const loop = definition.parent?.parent?.type ?? '';
  return !/^For(In|Of)Statement$/.test(loop);
}

const isExported = (definition) => /^Export/.test(definition.parent?.parent?.type ?? '');

// `const { dropped, ...rest } = all` names what it leaves out.
function isRest(definition) {
  const pattern = definition.node.id;
  return pattern?.type === 'ObjectPattern' && pattern.properties.some((one) => one.type === 'RestElement');
}

function tell(context, variable) {
  const kind = variable.defs[0].type === 'ImportBinding' ? 'imported' : 'assigned';
  context.report({ node: variable.identifiers[0], message: `'${variable.name}' is ${kind} and never used` });
}

export const undefinedNames = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return {
      'Program:exit'(program) {
        const scope = context.sourceCode.getScope(program);
        for (const reference of scope.through) {
          const { identifier } = reference;
          const asked = identifier.parent?.type === 'UnaryExpression' && identifier.parent.operator === 'typeof';
          const isType = reference.isTypeReference && !reference.isValueReference;
          if (asked || isType || identifier.type === 'JSXIdentifier' || scope.set.has(identifier.name)) continue;
          context.report({ node: identifier, message: `'${identifier.name}' is not defined` });
        }
      },
    };
  },
};
