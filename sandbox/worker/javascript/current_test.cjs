// A reporter of Playwright that writes the name of the test that runs into a file, for who measures what it reaches.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

module.exports = class {
  constructor(options) {
    this.file = options.file;
    this.root = options.root;
  }

  onTestBegin(test) {
    const [, , , ...titles] = test.titlePath();
    const file = path.relative(this.root, test.location.file).split(path.sep).join('/');
    fs.writeFileSync(this.file, `${file}::${titles.join(' > ')}`);
  }

  printsToStdio() {
    return false;
  }
};
