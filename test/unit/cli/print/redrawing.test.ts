import { expect, test } from 'vitest';
import { redrawing } from '#cli/print/redrawing.ts';

function screenOf(size: { columns: number; rows: number }) {
  let written = '';
  const screen = redrawing({
    isTerminal: true,
    columns: () => size.columns,
    rows: () => size.rows,
    write: (text) => (written += text),
  });
  return (lines: readonly string[]): string => {
    written = '';
    screen.draw(lines);
    return written.replace('\u001b[?7l', '').replace('\u001b[?7h', '');
  };
}

test('the second goes over the first, and what is left of it is erased', () => {
  const draw = screenOf({ columns: 80, rows: 24 });
  expect(draw(['a', 'b'])).toBe('a\u001b[K\nb\u001b[K\n\u001b[0J');
  expect(draw(['c'])).toBe('\r\u001b[2Ac\u001b[K\n\u001b[0J');
  expect(draw(['d'])).toBe('\r\u001b[1Ad\u001b[K\n\u001b[0J');
});

test('a window of another width begins anew', () => {
  const size = { columns: 80, rows: 24 };
  const draw = screenOf(size);
  draw(['a']);
  size.columns = 60;
  expect(draw(['a'])).toBe('\u001b[2J\u001b[Ha\u001b[K\n\u001b[0J');
});

test('never more lines than the window has, or it would scroll', () => {
  const draw = screenOf({ columns: 80, rows: 4 });
  expect(draw(['a', 'b', 'c', 'd', 'e']).match(/\n/g)).toHaveLength(3);
  expect(draw(['a', 'b', 'c', 'd', 'e'])).toContain('…');
  expect(draw(['a', 'b', 'c'])).toContain('c');
});
