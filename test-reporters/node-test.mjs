import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';

const { failure, openReport } = createRequire(import.meta.url)('./record.cjs');

/** The part of a test file's standard error output that is kept: it says why the file ended. */
const MOST_OUTPUT = 20_000;

/** Matches the line number of a crash. */
const CRASH = /:(\d+)$/;

/** A reporter of Node's test runner. It is a generator, as Node expects, but writes nothing to its destination. */
export default async function* report(source) {
  await writeReport(source);
  yield* [];
}

async function writeReport(source) {
  const results = openReport('node-test');
  const output = new Map();
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:stderr' && data.file !== undefined) {
      const file = resolve(data.file);
      output.set(file, `${output.get(file) ?? ''}${data.message}`.slice(-MOST_OUTPUT));
    }
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    if (type === 'test:pass' || type === 'test:fail') take(data, type === 'test:pass');
  }

  function take({ name, nesting, file, line, column, skip, todo, details = {} }, passed) {
    const suites = names.slice(0, nesting);
    const { error, type } = details;
    const isFile =
      nesting === 0 &&
      file !== undefined &&
      (name === file || file.endsWith(name)) &&
      error?.failureType === 'testCodeFailure' &&
      error?.cause === 'test failed';
    if (isFile) {
      const printed = output.get(resolve(file)) ?? '';
      // Node prints the place of an error that ends the process as a line of its own.
      const place = printed.split('\n').find((one) => one.endsWith(`${basename(file)}:${CRASH.exec(one)?.[1]}`));
      const how = error.signal ? `signal ${error.signal}` : `exit code ${error.exitCode}`;
      const message = printed.trim() === '' ? `${name} ended with ${how}` : printed;
      results.error({ file, line: place && Number(CRASH.exec(place)[1]), message, isOutput: printed.trim() !== '' });
      return;
    }
    if (error?.failureType === 'subtestsFailed') return;
    // A file without tests is reported as a test of its own that has passed.
    const isBareFile =
      passed && nesting === 0 && type !== 'suite' && file !== undefined && (name === file || file.endsWith(`/${name}`));
    if (type === 'suite' || isBareFile) {
      if (!passed) results.error({ name: [...suites, name], ...failure(error?.cause ?? error, file), line, column });
      return;
    }
    const status = skip !== undefined || todo !== undefined ? 'skipped' : passed ? 'passed' : 'failed';
    const found =
      status === 'failed' ? { ...failure(error?.cause ?? error, file), testLine: line, testColumn: column } : {};
    results.test(status, [...suites, name], found);
  }

  results.end();
}
