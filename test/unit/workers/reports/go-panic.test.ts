import { describe, expect, test } from 'vitest';
import { readReport } from '../../../../src/workers/reports/read-report.ts';

function read(lines: readonly string[]) {
  const reading = readReport('test', '/project');
  reading.add(`${lines.join('\n')}\n`);
  return reading.end();
}

const END = ['FAIL\texample.com/sum\t0.003s', 'FAIL'];
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

const asEvents = (lines: readonly string[]): readonly string[] => [
  ...lines.map((line) =>
    JSON.stringify({ Action: 'output', Package: 'example.com/sum', Test: 'TestAdd', Output: `${line}\n` }),
  ),
  JSON.stringify({ Action: 'fail', Package: 'example.com/sum', Test: 'TestAdd', Elapsed: 0 }),
];

describe('a panic in a Go test', () => {
  test.each([
    ['/usr/local/go/src/', '/project/sum_test.go', 'sum_test.go'],
    ['C:/Program Files/Go/src/', 'C:/work/sum_test.go', 'C:/work/sum_test.go'],
  ])('is told with the first place that is not of Go: %s', (go, file, expected) => {
    const one = { name: 'example.com/sum.TestAdd', file: expected, line: 6, message: 'panic: boom [recovered]' };
    const lines = [FAILED, ...recovered(go, file)];
    expect(read([...lines, ...END])?.findings).toEqual([expect.objectContaining(one)]);
    expect(read(asEvents(lines))?.findings).toEqual([expect.objectContaining(one)]);
  });

  test('in another goroutine is of the test that runs, not of one that has failed', () => {
    const panic = { file: 'later.go', line: 9, message: 'panic: bang' };
    const found = read([FAILED, '    sum_test.go:3: no', ...UNCAUGHT, ...END])?.findings;
    expect(found).toMatchObject([
      { name: 'example.com/sum.TestAdd', message: 'no' },
      { ...panic, name: 'example.com/sum' },
    ]);
    const verbose = read([FAILED, '=== RUN   TestLater', ...UNCAUGHT, ...END])?.findings;
    expect(verbose?.[1]).toMatchObject({ ...panic, name: 'example.com/sum.TestLater' });
  });

  test('that is only printed is none', () => {
    const found = read(['panic: caught', FAILED, '    sum_test.go:3: no', 'panic: caught', ...END])?.findings;
    expect(found).toMatchObject([{ name: 'example.com/sum.TestAdd', line: 3, message: 'no' }]);
  });
});
