import { describe, expect, test } from 'vitest';
import { readReport } from '../../../../src/workers/reports/read-report.ts';

function read(lines: readonly string[]) {
  const reading = readReport('test');
  reading.add(`${lines.join('\n')}\n`);
  return reading.end();
}

const FAILED = '--- FAIL: TestAdd (0.00s)';

/** The output of Go for a test that panics. Frames of Go itself come first; `go` is its installation folder. */
const recovered = (go: string, file: string): readonly string[] => [
  ...['panic: boom [recovered]', '\tpanic: boom', '', 'goroutine 7 [running]:'],
  ...['testing.tRunner.func1.2({0x52b, 0x57f})', `\t${go}testing/testing.go:1632 +0x230`],
  ...['panic({0x52b, 0x57f})', `\t${go}runtime/panic.go:785 +0x132`],
  ...['strings.Repeat({0x1, 0x1}, 0xf)', `\t${go}strings/strings.go:624 +0x5b`],
  ...['example.com/sum.TestAdd(0xc0000b6000)', `\t${file}:6 +0x1d`],
  ...['created by testing.(*T).Run in goroutine 1', `\t${go}testing/testing.go:1743 +0x390`],
];

/** The output for a panic in another goroutine, which nothing recovers. */
const UNCAUGHT = [
  ...['panic: bang', '', 'goroutine 18 [running]:', 'example.com/sum.TestLater.func1()'],
  ...['\t/project/later.go:9 +0x25', 'created by example.com/sum.TestLater in goroutine 17'],
];

const event = (Action: string, fields: object): string =>
  JSON.stringify({ Action, Package: 'example.com/sum', ...fields });

/** Returns the events of a test, or of the package if `test` is empty, that fails with an output. */
const failing = (test: string, lines: readonly string[]): readonly string[] => {
  const owner = test === '' ? {} : { Test: test };
  return [...lines.map((line) => event('output', { ...owner, Output: `${line}\n` })), event('fail', owner)];
};

describe('a panic in a Go test', () => {
  test.each([
    ['/usr/local/go/src/', '/project/sum_test.go'],
    ['C:/Program Files/Go/src/', 'C:/work/sum_test.go'],
  ])('is told with the first place that is not of Go: %s', (go, file) => {
    const one = { name: 'example.com/sum.TestAdd', file, line: 6, message: 'panic: boom [recovered]' };
    const lines = [FAILED, ...recovered(go, file)];
    expect(read(failing('TestAdd', lines))?.findings).toEqual([expect.objectContaining(one)]);
  });

  test('in another goroutine is of the package, not of a test that has failed', () => {
    const lines = [...failing('TestAdd', [FAILED, '    sum_test.go:3: no']), ...failing('', UNCAUGHT)];
    expect(read(lines)?.findings).toMatchObject([
      { name: 'example.com/sum.TestAdd', file: 'example.com/sum/sum_test.go', line: 3, message: 'no' },
      { name: 'example.com/sum', file: '/project/later.go', line: 9, message: 'panic: bang' },
    ]);
  });

  test('that is only printed is none', () => {
    const lines = [...failing('TestAdd', [FAILED, '    sum_test.go:3: no']), ...failing('', ['panic: caught'])];
    expect(read(lines)?.findings).toMatchObject([{ name: 'example.com/sum.TestAdd', line: 3, message: 'no' }]);
  });
});
