'use strict';
const { openReport } = require('./record.cjs');

const STATUS = { passed: 'passed', failed: 'failed' };

/** Matches the place of a syntax error: `SyntaxError: /project/a.test.js: Unexpected token (2:6)`. */
const SYNTAX = /SyntaxError: .{1,1000}: .* \((\d+):(\d+)\)/;

let hasReported = false;

/** Writes the results of Jest as a report and returns them: the function is also a `testResultsProcessor`. */
module.exports = (results) => {
  if (hasReported) return results;
  hasReported = true;
  const report = openReport('jest');
  for (const { testFilePath: file, testResults, testExecError, failureMessage } of results.testResults) {
    for (const { ancestorTitles, title, status, failureMessages } of testResults)
      report.test(STATUS[status] ?? 'skipped', [...ancestorTitles, title], {
        file,
        message: failureMessages.length === 0 ? undefined : failureMessages.join('\n'),
      });
    if (!testExecError) continue;
    const message = failureMessage ?? testExecError.message ?? 'failed';
    const [, line, column] = SYNTAX.exec(message) ?? [];
    report.error({
      file,
      ...(line === undefined ? {} : { line: Number(line), column: Number(column) }),
      message: message.replace(/^.*● Test suite failed to run\s*/s, '').replace(/^.*\n\s*Details:\s*/s, ''),
    });
  }
  report.end();
  return results;
};
