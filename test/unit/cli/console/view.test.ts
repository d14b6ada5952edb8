import { createColors } from 'picocolors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameText } from '#cli/console/frame-text.ts';
import { view } from '#cli/console/view.ts';
import { styleFor } from '#cli/print/style.ts';
import { textWidth } from '#cli/print/text-width.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { after, anyItems, anyMessages, anySize, halt, item, modelOf, typing, waiting } from './items.ts';

const plain = styleFor(fakeIo().stdout, fakeIo());
const coloured = { ...plain, paint: createColors(true) };

// eslint-disable-next-line no-control-regex -- the sequences for colours
const SGR = /\u001b\[\d+m/g;
// eslint-disable-next-line no-control-regex -- these must not be in a line
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const REVIEW = halt('h1', {
  rejections_left: 2,
  last: { type: 'TEST_RESULT', content: 'expected 3, got 2\n    at test.js:1', scripted: false },
});
const ITEMS = [
  waiting('s1', [REVIEW], {
    title: 'Log in by mail',
    said: 'expected 3, got 2\n    at test.js:1',
    changes: { added: 12, deleted: 3, files: 2 },
    cost: { tokens: 0, microUsd: 12_300 },
  }),
  item('s2', {
    title: 'Rework the compiler',
    said: 'one\ncompiling src/b.ts\n',
    cost: { tokens: 9, microUsd: null, atLeast: true },
  }),
];

const linesAt = (columns: number, rows: number, keys = ''): readonly string[] =>
  view(after(modelOf(ITEMS, { columns, rows }), typing(keys))[0], plain).lines.map((line) => line.trimEnd());

describe('the screen', () => {
  test('at 80 columns', () => {
    expect(linesAt(80, 16)).toEqual([
      'shop  1 waits · 1 running · at least $0.0123                      no engine runs',
      '',
      '❯ ■ Log in by mail                            waits Review   +12 −3  $0.0123  1m',
      '    expected 3, got 2',
      '  ▶ Rework the compiler                       running Build           cost ?  1m',
      '    compiling src/b.ts',
      '',
      '── Log in by mail ──────────────────────────────────────────────────────────────',
      '+12 −3 · 2 files · $0.0123 · s1 · r1',
      'Review waits for you: it is a manual step.',
      '| expected 3, got 2',
      '',
      '',
      '',
      '',
      'Enter answer  d diff  s shell  p proceed  x reject  n next  ? help  q quit',
    ]);
  });

  test('an unknown price is not a question mark without a word', () => {
    const unknown = item('s2', { title: 'Rework', cost: { tokens: 9, microUsd: null, atLeast: true } });
    const { lines } = view(modelOf([unknown], { columns: 60, rows: 12 }), plain);
    expect(lines[0]).toBe('shop  1 running · cost ?                      no engine runs');
    expect(lines.filter((line) => line.includes('cost ?'))).toHaveLength(3);
  });

  test('at 40 columns', () => {
    expect(linesAt(40, 16)).toEqual([
      'shop  1 waits · 1 running · at least $0…',
      '',
      '❯ ■ Log in by mail                    1m',
      '    waits Review · +12 −3 · $0.0123',
      '    expected 3, got 2',
      '  ▶ Rework the compiler               1m',
      '    running Build · cost ?',
      '    compiling src/b.ts',
      '',
      '── Log in by mail ──────────────────────',
      '+12 −3 · 2 files · $0.0123 · s1 · r1',
      'Review waits for you: it is a manual',
      'step.',
      '| expected 3, got 2',
      '',
      'Enter answer  d diff  ? help  q quit',
    ]);
  });

  test('a dialog is below the list, with the cursor in its text', () => {
    const [model] = after(modelOf(ITEMS, { columns: 60, rows: 12 }), typing('xtoo long'));
    const { lines, cursor } = view(model, plain);
    expect(lines.slice(6, 10)).toEqual([
      '',
      '── Log in by mail: Reject Review, with a reason ────────────',
      'What should change? Enter rejects, Esc cancels.',
      '> too long',
    ]);
    expect(cursor).toEqual({ row: 9, column: 10 });
  });

  test('of a long text, the end is displayed, where the cursor is', () => {
    const paste = { kind: 'key', key: { name: 'paste', text: `${'long '.repeat(20_000)}end` } } as const;
    const [model] = after(modelOf(ITEMS, { columns: 20, rows: 12 }), [...typing('p'), paste]);
    const { lines, cursor } = view(model, plain);
    expect([lines[cursor?.row ?? 0], cursor?.column]).toEqual(['> ong long long end', 19]);
  });

  test('a merge says what it brings', () => {
    const ready = item('s1', {
      state: 'ready',
      group: 'waiting',
      place: '',
      changes: { added: 1, deleted: 0, files: 1 },
    });
    const [model] = after(modelOf([ready], { columns: 40, rows: 10 }), typing('m'));
    expect(view(model, plain).lines.slice(3)).toEqual([
      '    ready · +1 −0',
      '',
      '── Title of s1 ─────────────────────────',
      'Merge Title of s1 into main?',
      '+1 −0 · 1 file · s1 · r1',
      'y yes   Esc no',
      '',
    ]);
  });

  test('a diff is wrapped and scrolls to its end', () => {
    const lines = Array.from({ length: 30 }, (_, at) => ({ kind: 'added' as const, text: `+${at} ${'x'.repeat(12)}` }));
    const [model] = after(modelOf(ITEMS, { columns: 10, rows: 5 }), [
      { kind: 'diff', item: 's1', title: 'The diff', lines },
      ...typing('G'),
    ]);
    expect(view(model, plain).lines).toEqual(['The diff', 'xxxxxx', '+29 xxxxxx', 'xxxxxx', 'q back  S…']);
  });
});

test('a diff on a screen of one column has lines of one column', () => {
  const lines = [{ kind: 'added' as const, text: '+ab漢' }];
  const [model] = after(modelOf([], { columns: 1, rows: 6 }), [{ kind: 'diff', item: 's1', title: 'T', lines }]);
  expect(view(model, plain).lines).toEqual(['T', '+', 'a', 'b', '…', 'q']);
});

test('whatever happens, the screen has its size, and no text controls the terminal', () => {
  fc.assert(
    fc.property(anyItems, anyMessages, anySize, (items, messages, size) => {
      const [model] = after(modelOf(items, size), messages);
      for (const style of [plain, coloured]) {
        const { lines, cursor } = view(model, style);
        expect(lines).toHaveLength(model.size.rows);
        for (const line of lines) {
          const text = style === plain ? line : line.replaceAll(SGR, '');
          expect(CONTROL.exec(text)).toBeNull();
          expect(textWidth(text)).toBeLessThanOrEqual(model.size.columns);
        }
        if (cursor !== null) {
          expect(cursor.row).toBeLessThan(model.size.rows);
          expect(cursor.column).toBeLessThan(model.size.columns);
        }
      }
    }),
  );
});

/**
 * A simulated terminal that supports the sequences that the console uses: cursor positions, erasure to the end of a
 * line, modes and colours.
 */
function terminal({ columns, rows }: { readonly columns: number; readonly rows: number }) {
  const screen = Array.from({ length: rows }, () => ' '.repeat(columns));
  let [row, column] = [0, 0];
  const put = (text: string): void => {
    const before = screen[row] ?? '';
    screen[row] = `${before.slice(0, column)}${text}${before.slice(column + text.length)}`.slice(0, columns);
    column = Math.min(columns - 1, column + text.length);
  };
  return {
    write: (text: string): void => {
      // eslint-disable-next-line no-control-regex -- a terminal reads them
      for (const [, control, plainText] of text.matchAll(/\u001b\[([?\d;]*[A-Za-z])|([^\u001b]+)/g)) {
        if (plainText !== undefined) put(plainText);
        else if (control?.endsWith('H') === true)
          [row = 0, column = 0] = control
            .slice(0, -1)
            .split(';')
            .map((one) => Number(one) - 1);
        else if (control === 'K') screen[row] = (screen[row] ?? '').slice(0, column).padEnd(columns);
      }
    },
    lines: () => screen.map((line) => line.trimEnd()),
  };
}

const anyLines = (rows: number, columns: number) =>
  fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });

test('what is written turns one screen into the next, and nothing is written for the same screen', () => {
  fc.assert(
    fc.property(fc.array(anyLines(4, 6), { minLength: 1, maxLength: 6 }), (screens) => {
      const tty = terminal({ columns: 6, rows: 4 });
      let before = null;
      for (const lines of screens) {
        const next = { columns: 6, lines, cursor: null };
        tty.write(frameText(before, next));
        expect(tty.lines()).toEqual(lines.map((line) => line.trimEnd()));
        expect(frameText(next, next)).toBe('');
        before = next;
      }
    }),
  );
});

test('only lines that differ are written', () => {
  const screen = (...lines: readonly string[]) => ({ columns: 9, lines, cursor: null });
  const text = frameText(screen('same', 'old', 'same'), screen('same', 'new', 'same'));
  expect(text).toBe('\u001b[?2026h\u001b[?25l\u001b[2;1Hnew\u001b[K\u001b[?25l\u001b[?2026l');
});
