import { collectFindings, type Report } from './finding.ts';
import { jestMessage, jestPlace } from './jest-failure.ts';
import { placeInFile } from './stack-trace.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((one) => isFields(one)) : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

const positionOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && numberOf(value) > 0 ? numberOf(value) : null;

/** Returns the message of a failure without its stack trace. */
function headOf(message: string): string {
  const trace = message.search(/\n {2,8}at /);
  return trace < 0 ? message : message.slice(0, trace);
}

/** Returns the finding for a test file that could not be loaded. */
function unloaded(file: string, message: string) {
  const lines = message.split('\n').filter((line) => line.trim() !== '● Test suite failed to run');
  return { ...jestPlace(lines, file), message: jestMessage(lines) || 'failed' };
}

/** Reads the JSON report of Jest or Vitest. */
function readJest(document: Fields): Report {
  const findings = collectFindings();
  for (const file of fieldsIn(document['testResults'])) {
    const name = textOf(file['name']);
    const tests = fieldsIn(file['assertionResults']);
    // A failed test file without any test could not be loaded.
    if (tests.length === 0 && file['status'] === 'failed') findings.add(unloaded(name, textOf(file['message'])));
    for (const test of tests) {
      if (test['status'] !== 'failed') continue;
      const messages = Array.isArray(test['failureMessages']) ? test['failureMessages'].map(textOf) : [];
      const place = placeInFile(messages.join('\n'), name);
      findings.add({ ...place, name: textOf(test['fullName']), message: messages.map(headOf).join('\n') || 'failed' });
    }
  }
  return findings.report('jest-json', {
    passed: numberOf(document['numPassedTests']),
    failed: numberOf(document['numFailedTests']),
    skipped: numberOf(document['numPendingTests']) + numberOf(document['numTodoTests']),
  });
}

/** Reads the report of Mocha's reporter `json`. */
function readMocha(document: Fields, stats: Fields): Report {
  const findings = collectFindings();
  for (const { fullTitle, file, err } of fieldsIn(document['failures'])) {
    const { stack, message } = isFields(err) ? err : {};
    const place = placeInFile(textOf(stack), textOf(file));
    findings.add({ ...place, name: textOf(fullTitle), message: textOf(message) || headOf(textOf(stack)) || 'failed' });
  }
  return findings.report('mocha-json', {
    passed: numberOf(stats['passes']),
    failed: numberOf(stats['failures']),
    skipped: numberOf(stats['pending']),
  });
}

/** Reads the report of a test runner, or returns null if the document is not such a report. */
function readTests(document: Fields): Report | null {
  if (Array.isArray(document['testResults'])) return readJest(document);
  const { stats, failures } = document;
  return isFields(stats) && 'passes' in stats && Array.isArray(failures) ? readMocha(document, stats) : null;
}

/** Reads the report of `eslint -f json`. */
function readEslint(files: readonly Fields[]): Report {
  const findings = collectFindings();
  for (const file of files)
    for (const { ruleId, severity, message, line, column } of fieldsIn(file['messages']))
      findings.add({
        file: textOf(file['filePath']),
        line: positionOf(line),
        column: positionOf(column),
        rule: textOf(ruleId) || null,
        severity: severity === 1 ? 'warning' : 'error',
        message: textOf(message),
      });
  return findings.report('eslint-json', null);
}

/** Parses a JSON report, or returns null if the text is not JSON or not a known report. */
export function parseJsonReport(text: string): Report | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (isFields(value)) return readTests(value);
  const files = fieldsIn(value);
  return files.length > 0 &&
    files.every((file) => typeof file['filePath'] === 'string' && Array.isArray(file['messages']))
    ? readEslint(files)
    : null;
}
