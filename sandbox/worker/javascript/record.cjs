// Loaded by Jest before each test file: writes which test runs and what it reaches, and puts a mutant in a module's
// place where the request asks for it.
'use strict';

const fs = require('fs');

const request = JSON.parse(fs.readFileSync(process.env.TESTWRIGHT_REQUEST, 'utf8'));
const { appendFileSync } = fs;
const { stringify } = JSON;
const write = (line) => appendFileSync(request.journal, `${stringify(line)}\n`);
const file = expect.getState().testPath;
write({ file });

if (request.shift_days) {
  const Real = Date;
  const shift = request.shift_days * 86400000;
  class Shifted extends Real {
    constructor(...given) {
      if (given.length > 0) super(...given);
      else super(Real.now() + shift);
    }

    static now() {
      return Real.now() + shift;
    }
  }
  globalThis.Date = Shifted;
}

// Loops of mutants count their rounds: one without an end is ended. Tests that pass take far fewer.
const MOST_ROUNDS = 5000000;
let rounds = 0;
const swapped = request.swapped[file];
if (swapped) {
  globalThis.__testwrightTick = () => {
    rounds += 1;
    if (rounds > MOST_ROUNDS) throw new Error('the loop does not come to an end');
  };
  jest.doMock(swapped.subject, () => jest.requireActual(swapped.by));
}

/** Which statements and branches have been counted, by file. */
function counted() {
  const found = {};
  const coverage = globalThis.__coverage__ ?? {};
  for (const [name, one] of Object.entries(coverage)) {
    const arms = Object.entries(one.b).flatMap(([id, counts]) => counts.map((count, arm) => [id, arm, count]));
    found[name] = { s: { ...one.s }, b: arms };
  }
  return found;
}

function reached(before, after) {
  const found = {};
  for (const [name, one] of Object.entries(after)) {
    const old = before[name];
    const s = Object.keys(one.s).filter((id) => one.s[id] > (old?.s[id] ?? 0));
    const b = one.b.filter(([, , count], at) => count > (old?.b[at]?.[2] ?? 0)).map(([id, arm]) => [id, arm]);
    if (s.length > 0 || b.length > 0) found[name] = { s, b };
  }
  return found;
}

/** Gives the line of a place in the source, 0 where it has none; what was measured may be what a compiler wrote. */
function lines(sourceMap) {
  const { TESTWRIGHT_TRACE: trace } = process.env;
  if (!sourceMap || !trace) return (place) => place?.start?.line ?? 0;
  const { LEAST_UPPER_BOUND, TraceMap, originalPositionFor } = require(trace);
  const map = new TraceMap(sourceMap);
  return (place) => {
    const { line, column } = place?.start ?? {};
    if (!line) return 0;
    const found = originalPositionFor(map, { line, column });
    return (found.line ?? originalPositionFor(map, { line, column, bias: LEAST_UPPER_BOUND }).line) || 0;
  };
}

const mapped = new Set();

/** Write where the statements and branches of measured files stand, of each file once. */
function writeMaps(imported) {
  const maps = {};
  for (const [name, one] of Object.entries(globalThis.__coverage__ ?? {})) {
    if (mapped.has(name)) continue;
    mapped.add(name);
    const line = lines(one.inputSourceMap);
    // What has no line was added by a compiler.
    const s = Object.entries(one.statementMap).map(([id, place]) => [id, line(place)]).filter(([, at]) => at > 0);
    const b = Object.entries(one.branchMap)
      .map(([id, part]) => {
        const at = line(part.loc) || line({ start: { line: part.line ?? 0, column: 0 } });
        return [id, at, part.locations.map((arm) => line(arm) || at)];
      })
      .filter(([, at]) => at > 0);
    maps[name] = { s, b };
  }
  if (Object.keys(maps).length > 0) write({ maps, imported });
}

let before = {};
let first = true;
beforeEach(() => {
  const now = counted();
  if (first) writeMaps(reached({}, now));
  first = false;
  before = now;
  rounds = 0;
  // Who measures an application reads there whose requests it answers.
  if (request.test_file) fs.writeFileSync(request.test_file, `${request.names[file]}::${expect.getState().currentTestName}`);
  write({ begin: expect.getState().currentTestName, file });
});
afterEach(() => {
  // A module may be loaded by the test itself.
  writeMaps({});
  write({ end: expect.getState().currentTestName, file, reach: reached(before, counted()) });
});
