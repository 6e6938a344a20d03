// Calls functions of a module with given arguments and writes what they do: one line a call, as JSON.
'use strict';

const fs = require('fs');
const { isDeepStrictEqual } = require('util');

const LONGEST = 400;
const DEEPEST = 6;
const PENDING_MS = 1000;
const LATE_MS = 200;
const MOST_LATE = 5;
const TICKS = 100000;
const MORE_TICKS = 10;
const NOISE = 1e-9;
const MANY_DIGITS = /\.\d{7,}$/;
const { appendFileSync } = fs;
const RealDate = Date;
const realRandom = Math.random;

class Inexact extends Error {}

const isPlain = (value) => {
  const made = Object.getPrototypeOf(value);
  return made === null || made.constructor?.name === 'Object';
};
const text = (value) =>
  `'${JSON.stringify(value).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name));
const kindOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** The source of a value; throws where it cannot be written as one. */
function source(value, depth = 0, path = []) {
  if (depth > DEEPEST || path.includes(value)) throw new Inexact('too deep');
  const inner = (one) => source(one, depth + 1, [...path, value]);
  switch (typeof value) {
    case 'string':
      if (value.length > LONGEST) throw new Inexact('too long');
      return text(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      break;
    default:
      throw new Inexact(typeof value);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const items = Array.from(value, inner);
    return `[${items.join(', ')}]`;
  }
  switch (tag(value)) {
    case 'Date':
      return Number.isNaN(value.getTime()) ? 'new Date(NaN)' : `new Date('${value.toISOString()}')`;
    case 'Map':
      return value.size === 0 ? 'new Map()' : `new Map([${[...value].map(inner).join(', ')}])`;
    case 'Set':
      return value.size === 0 ? 'new Set()' : `new Set([${[...value].map(inner).join(', ')}])`;
    case 'RegExp':
      return String(value);
    case 'Promise':
    case 'WeakMap':
    case 'WeakSet':
      throw new Inexact(tag(value));
    default:
  }
  const names = Object.keys(value);
  // Fields that an instance keeps to itself belong into no test, and without them it is equal to nothing.
  if (!isPlain(value) && names.some((name) => name.startsWith('_'))) throw new Inexact('instance');
  // An instance that keeps everything to itself shows nothing.
  if (names.length === 0 && !isPlain(value)) throw new Inexact('instance');
  if (names.length === 0) return '{}';
  return `{ ${names.map((name) => `${key(name)}: ${inner(value[name])}`).join(', ')} }`;
}

function described(value) {
  const kind = kindOf(value);
  const size = kind === 'string' || kind === 'array' ? value.length : value?.size;
  const owner = kind === 'object' && !isPlain(value) ? tag(value) : '';
  const instance = owner === 'Object' ? Object.getPrototypeOf(value).constructor?.name ?? '' : owner;
  try {
    const written = source(value);
    return { kind, source: written, exact: written.length <= 2 * LONGEST, size: size ?? null, instance };
  } catch (fault) {
    return { kind, source: '', exact: false, size: size ?? null, instance, why: String(fault.message) };
  }
}

const sources = (values) => values.map((one) => described(one).source);

async function settled(value) {
  let timer;
  const late = new Promise((resolve) => {
    const wait = (left) => {
      const due = RealDate.now() + PENDING_MS;
      // A timer that comes late tells of a busy machine, on which others have not come to their turn either; where all
      // are late, the code itself keeps the machine busy.
      const isLate = () => left > 0 && RealDate.now() - due > LATE_MS;
      timer = setTimeout(() => (isLate() ? wait(left - 1) : resolve('pending')), PENDING_MS);
    };
    wait(MOST_LATE);
  });
  try {
    return await Promise.race([Promise.resolve(value).then((one) => ({ value: one })), late]);
  } finally {
    clearTimeout(timer);
  }
}

function spread(value) {
  const iterates = value !== null && typeof value === 'object' && typeof value.next === 'function';
  if (!iterates || typeof value[Symbol.iterator] !== 'function') return value;
  const items = [];
  for (const one of value) {
    items.push(one);
    if (items.length >= 20) break;
  }
  return items;
}

function failure(fault) {
  const isError = fault !== null && typeof fault === 'object' && 'message' in fault;
  const name = isError ? fault.constructor?.name ?? fault.name : kindOf(fault);
  return { outcome: 'throws', error: { name, message: isError ? String(fault.message) : String(fault), isError } };
}

/** One call; nothing is thrown. */
async function observed(trial) {
  let receiver;
  let args;
  const facts = {};
  const read = async () => {
    const found = [];
    for (const [name, fact] of Object.entries(trial.facts ?? {})) {
      try {
        const got = await settled(fact(receiver));
        found.push([name, got === 'pending' ? '' : described(spread(got.value)).source]);
      } catch {
        found.push([name, '']);
      }
    }
    return found;
  };
  try {
    receiver = trial.receiver ? await trial.receiver() : undefined;
    args = trial.args(receiver);
  } catch (fault) {
    return { outcome: 'arrange', error: failure(fault).error };
  }
  const given = sources(args);
  const before = await read();
  let seen;
  let isAsync = false;
  try {
    const returned = trial.call(receiver, args);
    isAsync = returned !== null && typeof returned === 'object' && typeof returned.then === 'function';
    const got = isAsync ? await settled(returned) : { value: returned };
    if (got === 'pending') return { outcome: 'pending' };
    const value = spread(got.value);
    const own = trial.self === undefined ? undefined : receiver?.[trial.self];
    const self = got.value !== undefined && got.value !== null && (got.value === receiver || got.value === own);
    seen = { outcome: 'value', isAsync, iterated: value !== got.value, self, ...described(value) };
    seen.argument = args.findIndex((one) => one === got.value);
  } catch (fault) {
    // A promise that is refused is asserted otherwise than an error that is thrown.
    seen = { ...failure(fault), isAsync };
  }
  const after = sources(args);
  seen.changed = given.map((one, at) => (one && after[at] && one !== after[at] ? after[at] : ''));
  const now = await read();
  before.forEach(([name, was], at) => {
    facts[name] = [was, now[at][1]];
  });
  return { ...seen, facts };
}

function counted(files) {
  return files.map((file) => {
    const one = globalThis.__coverage__?.[file];
    return one ? { s: { ...one.s }, b: JSON.parse(JSON.stringify(one.b)) } : null;
  });
}

/** What of one file was counted since; a file that was loaded in between begins with nothing. */
function reachedOf(before, after) {
  if (!after) return { s: [], b: [] };
  const s = Object.keys(after.s).filter((id) => after.s[id] > (before?.s[id] ?? 0));
  const b = Object.entries(after.b).flatMap(([id, counts]) =>
    counts
      .map((count, arm) => [id, arm, count > (before?.b[id][arm] ?? 0)])
      .filter((one) => one[2])
      .map((one) => one.slice(0, 2)),
  );
  return { s, b };
}

const reached = (before, after) => after.map((one, at) => reachedOf(before[at], one));

/** Another day and other chances: what depends on them does not give the same twice. */
function elsewhere() {
  const shift = 400 * 86400000 + 12345678;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length > 0) super(...given);
      else super(RealDate.now() + shift);
    }

    static now() {
      return RealDate.now() + shift;
    }
  };
  Math.random = () => 0.123456789;
  return () => {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  };
}

let ticks = 0;
let mostTicks = TICKS;
globalThis.__testwrightTick = () => {
  ticks += 1;
  if (ticks > mostTicks) throw new Error('the loop does not come to an end');
};

/**
 * Observe all trials, then again in reverse order, then those that stand with each mutant.
 *
 * @param load gives the module. @param trialsOf the trials of a module.
 * @param options files (measured), results (written), journal, skip (ids), mutants ([id, load, ids of trials])
 */
async function observe(load, trialsOf, options) {
  const write = (line) => appendFileSync(options.results, `${JSON.stringify(line)}\n`);
  const begin = (id) => appendFileSync(options.journal, `${JSON.stringify({ begin: `trial ${id}`, file: 'trials' })}\n`);
  const skip = new Set(options.skip);
  const trials = trialsOf(await load()).filter((one) => !skip.has(one.id));
  const first = new Map();
  if (!options.mutants) {
    for (const trial of trials) {
      begin(trial.id);
      const before = counted(options.files);
      const seen = await observed(trial);
      first.set(trial.id, JSON.stringify(seen));
      write({ id: trial.id, ...seen, reach: reached(before, counted(options.files)) });
    }
    const back = elsewhere();
    for (const trial of [...trials].reverse()) {
      begin(trial.id);
      if (JSON.stringify(await observed(trial)) !== first.get(trial.id)) write({ unstable: trial.id });
    }
    back();
    return;
  }
  const known = new Map(options.known);
  for (const [id, loadMutant, wanted] of options.mutants) {
    const ids = new Set(wanted);
    let noticed = [];
    begin(`mutant ${id}`);
    // The module as it is comes first: how many rounds its loops take says when those of a mutant are too many.
    const isOriginal = id < 0;
    if (isOriginal) mostTicks = Infinity;
    let most = 0;
    try {
      ticks = 0;
      for (const trial of trialsOf(await loadMutant()).filter((one) => ids.has(one.id))) {
        ticks = 0;
        const seen = await observed(trial);
        most = Math.max(most, ticks);
        if (signature(seen) !== known.get(trial.id)) noticed.push(trial.id);
      }
    } catch (fault) {
      // What does not compile is no slip that a test could notice.
      noticed = fault?.name === 'SyntaxError' ? [] : wanted;
    }
    if (isOriginal) {
      mostTicks = Math.max(TICKS, MORE_TICKS * most);
      continue;
    }
    write({ mutant: id, noticed });
  }
}

/** What of an observation a test could assert. */
function signature(seen) {
  if (seen.outcome !== 'value') return JSON.stringify([seen.outcome, seen.error?.name, seen.error?.message]);
  return JSON.stringify([seen.outcome, seen.exact ? seen.source : seen.kind, seen.changed, seen.facts]);
}

/** Whether an observed value is the documented one: numbers to the documented decimals where they have many. */
function alike(said, seen) {
  if (typeof said === 'number' && typeof seen === 'number') {
    if (Object.is(said, seen) || Math.abs(said - seen) <= NOISE * Math.max(1, Math.abs(said))) return true;
    const digits = /\.(\d+)$/.exec(String(said))?.[1].length ?? 0;
    return digits > 0 && MANY_DIGITS.test(String(seen)) && seen.toFixed(digits) === said.toFixed(digits);
  }
  const kind = kindOf(said);
  if (kind !== kindOf(seen)) return false;
  if (kind === 'array') return said.length === seen.length && said.every((one, at) => alike(one, seen[at]));
  if (kind !== 'object' || tag(said) !== 'Object' || tag(seen) !== 'Object') return isDeepStrictEqual(said, seen);
  const names = new Set([...Object.keys(said), ...Object.keys(seen)]);
  return [...names].every((name) => alike(said[name], seen[name]));
}

/** Write for each pair of documented and observed value whether they are alike; of what is no value, nothing. */
function compare(pairs, results) {
  pairs.forEach(([say, see], at) => {
    try {
      const said = say();
      if (described(said).source === '') return;
      appendFileSync(results, `${JSON.stringify({ at, alike: see !== null && alike(said, see()) })}\n`);
    } catch {
      // It is prose that happens to parse, or names what is not there.
    }
  });
}

module.exports = { alike, compare, observe };
