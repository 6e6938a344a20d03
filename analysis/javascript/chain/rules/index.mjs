// Our own rules: what the plugins do not see, because it takes the whole file or both frameworks to see it.
import { assertions } from './assertions.mjs';
import { awaited } from './awaited.mjs';
import { expectedFailure, idleComparison, imports, tests } from './shape.mjs';
import { network, sleep } from './outside.mjs';
import { subject } from './subject.mjs';
import { tautology } from './tautology.mjs';
import { undefinedNames, unused } from './names.mjs';

export const rules = {
  assertions,
  awaited,
  'expected-failure': expectedFailure,
  'idle-comparison': idleComparison,
  imports,
  network,
  sleep,
  subject,
  tautology,
  tests,
  undefined: undefinedNames,
  unused,
};
