import { expect, test } from 'vitest';
import { countText, printDiagnostics } from '#cli/print/diagnostics.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const finding = (overrides: Partial<Diagnostic>): Diagnostic => ({
  code: 'RS3001',
  severity: 'error',
  message: 'There is no block "Fooo".',
  file: 'a.json',
  line: 2,
  column: 12,
  pointer: '/x',
  advice: 'Did you mean "Foo"?',
  related: [],
  ...overrides,
});

const printed = (diagnostic: Diagnostic, text: string): string => {
  const io = fakeIo();
  printDiagnostics([diagnostic], { text: () => text, shown: (file) => `here/${file}` }, io);
  return io.err();
};

test('place, code, message, line with caret, advice, related places', () => {
  const related = [{ file: 'b.json', line: 7, column: 1, pointer: '', message: 'declared here' }];
  expect(printed(finding({ related }), '{\n\t"action": "JUMP:Fooo",\n}')).toBe(
    [
      'here/a.json:2:12  error RS3001  There is no block "Fooo".',
      '    2 | \t"action": "JUMP:Fooo",',
      '      | \t          ^^^^^^^^^^^',
      '  advice: Did you mean "Foo"?',
      '  → here/b.json:7:1  declared here',
      '',
      '',
    ].join('\n'),
  );
});

test('the caret is as wide as the string or word that it points at', () => {
  expect(printed(finding({ column: 1, line: 1, advice: '' }), '"a \\" b": 12')).toContain('      | ^^^^^^^^\n');
  expect(printed(finding({ column: 11, line: 1, advice: '' }), '"a \\" b": 12')).toContain('      |           ^^\n');
});

test('of a line without end only what surrounds the place is shown', () => {
  const text = `[${'"x",'.repeat(100_000)}]`;
  const [, line = '', caret = ''] = printed(finding({ line: 1, column: 200_002, advice: '' }), text).split('\n');
  expect(line.length).toBeLessThan(130);
  expect(line.slice(caret.indexOf('^')).startsWith('"x"')).toBe(true);
});

test('text from the file cannot steer the terminal', () => {
  const text = printed(
    finding({ message: 'bad \u001b[2J\u001b]0;title\u0007 name', line: 1, column: 1 }),
    '"\u001b[31m\u202e"',
  );
  for (const control of ['\u001b', '\u0007', '\u202e']) expect(text).not.toContain(control);
});

test('a place that the file does not have is no reason to fail', () => {
  expect(printed(finding({ line: 99 }), '{}')).toContain('here/a.json:99:12  error RS3001');
});

test.each([
  [0, 0, 'no problems'],
  [1, 0, '1 error'],
  [2, 1, '2 errors, 1 warning'],
  [0, 2, '2 warnings'],
])('%i errors, %i warnings', (errors, warnings, text) => {
  const all = [
    ...Array<null>(errors)
      .fill(null)
      .map(() => finding({})),
    ...Array<null>(warnings)
      .fill(null)
      .map(() => finding({ severity: 'warning' })),
  ];
  expect(countText(all)).toBe(text);
});

test.each([40, 80])(
  'on %i columns no line is broken by the terminal, and the caret stands below its token',
  (columns) => {
    let text = '';
    const screen = { isTerminal: true, columns: () => columns, write: (more: string) => void (text += more) };
    const row = `        { "on_signal": "SIGNAL:FAILURE", "condition": { "id": "visits.lss", "args": [3] }, "action": "RETURN" },`;
    const column = row.indexOf('"visits.lss"') + 1;
    const advice = 'Use one of exports.equals, exports.truthy, payload.has_type, or register it.';
    const message = 'The condition "visits.lss" is not registered.';
    const related = [
      { file: 'b.json', line: 7, column: 1, pointer: '', message: 'It is written here first, and there too.' },
    ];
    const one = finding({ line: 1, column, advice, message, related });
    const sources = { text: () => row, shown: (file: string) => file };
    printDiagnostics([one], sources, fakeIo({ stderr: screen, env: { FORCE_COLOR: '0' } }));
    const lines = text.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    for (const whole of [message, advice]) expect(text.replaceAll(/\s+/g, ' ')).toContain(whole);
    const caret = lines.findIndex((line) => line.includes('^'));
    const { index, 0: carets } = /\^+/.exec(lines[caret] ?? '') ?? { index: 0, 0: '' };
    expect(lines[caret - 1]?.slice(index, index + carets.length)).toBe('"visits.lss"');
  },
);
