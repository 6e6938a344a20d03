// Reads {files: [{name, source, framework, lint, structure}]} from standard input, writes {files: [{issues: [...]}]}.
// Texts in, texts out: nothing of the project is opened, imported or configured from, and inline comments that switch
// rules off are not listened to.
import { readFileSync, writeSync } from 'node:fs';
import { Linter } from 'eslint';
import { configFor, isStyle, kindOf, toolsFor } from './config.mjs';

const linter = new Linter({ configType: 'flat' });

function verified(file, sourceType, tools) {
  const config = configFor(file, sourceType, tools);
  const filename = `checked/${file.name.split('/').pop()}`;
  return linter.verify(file.source, [config], { filename, allowInlineConfig: false });
}

function messages(file, tools) {
  const asModule = verified(file, file.name.endsWith('.cjs') ? 'commonjs' : 'module', tools);
  if (tools.parser || !asModule.some((one) => one.fatal) || /\.[cm]js$/.test(file.name)) {
    return asModule;
  }
  // A plain .js may be a script: what only a module forbids is no error then.
  const asScript = verified(file, 'commonjs', tools);
  return asScript.some((one) => one.fatal) ? asModule : asScript;
}

function issue(found) {
  const message = found.message.replace(/^Parsing error: /, '').replace(/\s+/g, ' ').trim();
  return {
    type: found.fatal ? 'syntax' : kindOf(found.ruleId ?? ''),
    line: found.line ?? 0,
    column: found.column ?? 0,
    rule: found.fatal ? 'invalid-syntax' : (found.ruleId ?? ''),
    message,
    suggestion: found.suggestions?.[0]?.desc ?? '',
  };
}

// A file that is nested deeper than the stack is one that nobody wrote.
function checked(file, tools) {
  try {
    return messages(file, tools).filter((one) => !isStyle(one)).map(issue);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [issue({ fatal: true, line: 0, column: 0, message: 'nested too deeply to be read' })];
  }
}

const asked = JSON.parse(readFileSync(0, 'utf8'));
const files = [];
for (const file of asked.files) {
  const tools = await toolsFor(file);
  files.push({ issues: checked(file, tools) });
}
let answer = Buffer.from(JSON.stringify({ files }));
while (answer.length > 0) {
  answer = answer.subarray(writeSync(1, answer));
}
