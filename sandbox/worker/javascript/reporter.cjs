// A reporter of Jest that writes each file's results to the journal.
'use strict';

const fs = require('node:fs');

const request = JSON.parse(fs.readFileSync(process.env.TESTWRIGHT_REQUEST, 'utf8'));
const MOST = 4000;
const write = (line) => fs.appendFileSync(request.journal, `${JSON.stringify(line)}\n`);
// eslint-disable-next-line no-control-regex
const uncoloured = (text) => String(text ?? '').replace(/\u001b\[[0-9;]*m/g, '');
// Frames inside of Jest and of other packages say nothing about the test.
const plain = (text) => uncoloured(text).split('\n').filter((line) => !/^\s+at .*node_modules/.test(line)).join('\n').slice(0, MOST);

module.exports = class {
  onTestResult(test, result) {
    const tests = result.testResults.map((one) => ({
      name: one.fullName,
      title: one.title,
      status: one.status,
      seconds: (one.duration ?? 0) / 1000,
      message: plain(one.failureMessages.join('\n')),
    }));
    const broken = result.testExecError ? plain(result.failureMessage || result.testExecError.message) : '';
    write({ results: tests, file: result.testFilePath, broken });
  }

  onRunComplete() {
    write({ done: true });
  }
};
