'use strict';
const { openReport } = require('./record.cjs');

const STATUS = { expected: 'passed', flaky: 'passed', unexpected: 'failed' };

const details = ({ message, stack, location } = {}) => ({
  message: message ?? 'failed',
  stack,
  file: location?.file,
  line: location?.line,
  column: location?.column,
});

/** A reporter of Playwright. */
module.exports = class {
  #report = openReport('playwright');
  #suite = null;

  printsToStdio() {
    return false;
  }

  onBegin(...call) {
    this.#suite = call.at(-1);
  }

  onError(error) {
    this.#report.error(details(error));
  }

  onEnd() {
    for (const test of this.#suite?.allTests() ?? []) {
      const status = STATUS[test.outcome()] ?? 'skipped';
      const failed = test.results.findLast(({ errors }) => errors.length > 0);
      // The first names are those of the root, the project and the file.
      const name = test.titlePath().slice(3);
      const place = { file: test.location.file, line: test.location.line };
      const found = failed === undefined ? { message: 'failed' } : details(failed.errors[0]);
      const own = found.file === undefined ? { ...found, ...place } : found;
      this.#report.test(status, name, status === 'failed' ? own : {});
    }
    this.#report.end();
  }
};
