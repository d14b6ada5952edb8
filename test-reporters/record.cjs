'use strict';
const fs = require('node:fs');
const path = require('node:path');

const NAMES = ['NODE_OPTIONS', 'PYTHONPATH', 'RUBYLIB', 'SPEC_OPTS'];

/**
 * Removes what was added to the environment, so that the tests and the processes that they start see the environment of
 * the project, and test runners that the tests start add nothing to the report.
 */
function restoreEnvironment() {
  const added = JSON.parse(process.env.ROBOSMITH_ADDED ?? '{}');
  delete process.env.ROBOSMITH_ADDED;
  for (const name of NAMES) {
    if (added[name] === undefined || process.env[name] === undefined) continue;
    const rest = process.env[name].replace(added[name], '').replace(/^[:; ]+|[:; ]+$/g, '');
    if (rest === '') delete process.env[name];
    else process.env[name] = rest;
  }
}

/** Opens a report of this process: one JSON object per line. The last line is `end`. */
function openReport(runner) {
  const file = fs.openSync(path.join(__dirname, `${runner}-${process.pid}-${Date.now()}.jsonl`), 'w');
  let waiting = '';
  let hasEnded = false;
  const flush = () => {
    if (waiting !== '') fs.writeSync(file, waiting);
    waiting = '';
  };
  const write = (record) => {
    if (hasEnded) return;
    waiting += `${JSON.stringify(record)}\n`;
    if (waiting.length > 65_536) flush();
  };
  process.on('exit', flush);
  write({ type: 'begin', runner, folder: process.cwd() });
  flush();
  return {
    /** `status`: `passed`, `failed` or `skipped`; `name`: the suites and the test. */
    test: (status, name, details = {}) => write({ type: 'test', status, name: name.filter(Boolean), ...details }),
    /** An error that belongs to no test. */
    error: (details) => write({ type: 'error', ...details }),
    end: () => {
      write({ type: 'end' });
      flush();
      hasEnded = true;
    },
  };
}

const textOf = (error) => (error && typeof error === 'object' ? error : { message: String(error) });

/** Returns the fields of a failure: the message, and the stack trace from which the place is read. */
function failure(error, file) {
  const { name, message, stack } = textOf(error);
  return {
    file,
    errorName: name,
    message: String(message ?? ''),
    stack: typeof stack === 'string' ? stack : undefined,
  };
}

module.exports = { failure, openReport, restoreEnvironment };
