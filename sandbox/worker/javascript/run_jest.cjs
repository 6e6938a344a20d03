// Starts Jest in a process of its own and ends it when a file or a test does not come to an end.
// usage: node run_jest.cjs REQUEST.json; the exit code is Jest's, or 86 when it was ended here.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const LOOK_MS = 50;
const ENDED_HERE = 86;
const LONGEST_BEGIN = 8192;
const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));

const child = spawn(process.execPath, [...request.flags, path.join(__dirname, 'jest_process.cjs'), process.argv[2]], {
  cwd: request.root,
  env: { ...process.env, TESTWRIGHT_REQUEST: process.argv[2] },
  stdio: ['ignore', 'inherit', 'inherit'],
});

// What runs at the moment is the journal's last line; how long it has not grown is how long that takes. What Jest waits
// for a processor, as it may on a busy machine, does not count.
let size = -1;
let since = Date.now();
let starved = 0;
let allowed = request.start_seconds;

/** How long nothing may happen: a test has begun, its file is being loaded, or Jest is starting. */
function allowance(length) {
  if (length === 0) return request.start_seconds;
  // A line that is longer than this says what a test has reached: none has begun.
  const tail = Buffer.alloc(Math.min(length, LONGEST_BEGIN));
  const file = fs.openSync(request.journal, 'r');
  fs.readSync(file, tail, 0, tail.length, length - tail.length);
  fs.closeSync(file);
  const last = tail.toString('utf8').trimEnd().split('\n').pop();
  const isTest = last.startsWith('{"begin":') && !last.startsWith('{"begin":"observe"');
  return isTest ? request.test_seconds : request.load_seconds;
}

/** Milliseconds that Jest has waited for a processor so far; 0 where the kernel does not say. */
function starvedMs() {
  try {
    return Number(fs.readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6 || 0;
  } catch {
    return 0;
  }
}

const looking = setInterval(() => {
  const now = fs.existsSync(request.journal) ? fs.statSync(request.journal).size : 0;
  if (now !== size) {
    size = now;
    since = Date.now();
    starved = starvedMs();
    allowed = allowance(now);
  } else if (Date.now() - since > allowed * 1000 && Date.now() - since - (starvedMs() - starved) > allowed * 1000) {
    clearInterval(looking);
    child.kill('SIGKILL');
    process.exitCode = ENDED_HERE;
  }
}, LOOK_MS);
child.on('exit', (code) => {
  clearInterval(looking);
  process.exitCode = process.exitCode ?? code ?? 1;
});
