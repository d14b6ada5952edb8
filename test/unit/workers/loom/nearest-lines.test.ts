import { expect, test } from 'vitest';
import { flatten } from '#workers/loom/flat-text.ts';
import { nearestLines } from '#workers/loom/nearest-lines.ts';

/** Creates a text that counts how many of its lines are read. */
function counted(lines: number, line: string) {
  const looked = { lines: 0 };
  const text = flatten(Array.from({ length: lines }, (_, index) => `${line}${index}`).join('\n'));
  const lineText = (at: number): string => {
    looked.lines += 1;
    return text.lineText(at);
  };
  return { looked, text: { ...text, lineText } };
}

test('the nearest first, as far as they are near enough', () => {
  const text = flatten('const one = 1;\nlet two = 2;\n\nconst ones = 11;\n# nothing\n');
  expect(nearestLines(text, '\n  const one = 11;\nmore').map(({ line }) => line)).toEqual([1, 4]);
  expect(nearestLines(text, '')).toEqual([]);
  expect(nearestLines(text, '~~~~')).toEqual([]);
});

test('a list of wrong anchors in a huge text of long lines costs no more than one', () => {
  const { looked, text } = counted(60_000, 'x'.repeat(1_000));
  const answers = Array.from({ length: 1_000 }, () => nearestLines(text, 'x'.repeat(900)).length);
  expect(answers[0]).toBe(5);
  expect(looked.lines).toBeLessThan(25_000);
});

test('in an ordinary file every anchor of a list has its answer', () => {
  const { text } = counted(400, 'const value = compute(');
  const answers = Array.from(
    { length: 100 },
    (_, index) => nearestLines(text, `const value = compute(${index});`).length,
  );
  expect(new Set(answers)).toEqual(new Set([5]));
});
