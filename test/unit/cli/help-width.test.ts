import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

async function helpAt(columns: number, words: readonly string[]): Promise<string> {
  const written: string[] = [];
  const screen = { isTerminal: true, columns: () => columns, write: (text: string) => void written.push(text) };
  expect(await main([...words, '--help'], fakeIo({ stdout: screen, stderr: screen }))).toBe(0);
  return written.join('');
}

const widest = (text: string): number => text.split('\n').reduce((most, line) => Math.max(most, line.length), 0);

test.each([[[]], [['run']], [['sessions']], [['worktrees', 'clean']], [['loom', 'apply']], [['keys', 'add']]])(
  'no line of the help of %j is wider than a narrow terminal',
  async (words) => {
    for (const columns of [40, 59, 60, 80]) expect(widest(await helpAt(columns, words))).toBeLessThanOrEqual(columns);
  },
);

test('a narrow terminal shows descriptions below their terms, and examples that can be copied', async () => {
  const lines = (await helpAt(40, ['resume'])).split('\n');
  const at = lines.indexOf('  --guidance <text>');
  expect(lines.slice(at, at + 3)).toEqual([
    '  --guidance <text>',
    '      Guidance for the workers, together',
    '      with any of these answers',
  ]);
  const example = lines.indexOf('  robosmith resume r3f2a91 --retry \\');
  expect(lines.slice(example, example + 2)).toEqual([
    '  robosmith resume r3f2a91 --retry \\',
    '    --guidance "the port is 8080"',
  ]);
});

test('a wide terminal shows them side by side', async () => {
  expect(await helpAt(100, ['resume'])).toContain(
    '  --guidance <text>  Guidance for the workers, together with any of these answers\n',
  );
});
