import { createRequire } from 'node:module';

const { failure, openReport } = createRequire(import.meta.url)('./record.cjs');

/** Yields the tests of a file or suite with the names of their suites. */
function* testsIn({ tasks = [] }, names) {
  for (const task of tasks) {
    const path = [...names, task.name];
    if (task.type === 'suite') yield* testsIn(task, path);
    else yield { task, path };
    if (task.type === 'suite') for (const error of task.result?.errors ?? []) yield { error, path };
  }
}

/** Returns the fields of a failure. Its stack has places in the source files, not in the compiled ones. */
function failureAt(error, file) {
  const place = error.stacks?.find((frame) => frame.file === file) ?? error.stacks?.[0];
  const fields = failure(error, file);
  const message = `${fields.errorName ? `${fields.errorName}: ` : ''}${fields.message}`;
  return place === undefined
    ? { ...fields, message }
    : { message, file: place.file, line: place.line, column: place.column };
}

/** A reporter of Vitest. `onFinished` serves versions 0 to 2, `onTestRunEnd` the later ones. */
export default class {
  #report = openReport('vitest');

  onTestRunEnd(modules, errors) {
    this.#write(
      modules.map(({ task }) => task),
      errors,
    );
  }

  onFinished(files = [], errors = []) {
    if (this.#report !== null) this.#write(files, errors);
  }

  #write(files, errors) {
    const report = this.#report;
    this.#report = null;
    for (const file of files) {
      const path = file.filepath;
      for (const error of file.result?.errors ?? []) report.error(failureAt(error, path));
      for (const { task, path: name, error } of testsIn(file, [])) {
        if (error !== undefined) {
          report.error({ ...failureAt(error, path), name });
          continue;
        }
        const { state, errors: failures = [] } = task.result ?? {};
        if (state === 'fail') report.test('failed', name, failures[0] ? failureAt(failures[0], path) : { file: path });
        else report.test(state === 'pass' ? 'passed' : 'skipped', name);
      }
    }
    for (const error of errors) report.error(failureAt(error));
    report.end();
  }
}
