import { afterAll, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type PlayedTutorial, playTutorial, TUTORIAL } from '../../scripts/docs/play-tutorial.ts';
import { ROOT, SNIPPETS } from './pages.ts';

let tutorial: PlayedTutorial | null = null;
afterAll(() => tutorial?.remove());

test('the tutorial works from its first command to its last', () => {
  tutorial = playTutorial({ NO_COLOR: '1' });
  const codes = tutorial.played.map(({ command, exitCode }) => [command, exitCode] as const);
  // Commands after which the work waits for a person exit with 3; all others succeed.
  expect(codes.filter(([, code]) => code !== 0)).toEqual([
    ['robosmith do "A bill of 10.00 among three loses a cent" --agent "node agent.mjs" --yes', 3],
    ['robosmith resume --reject "The last person pays too much: spread the rest, one cent each."', 3],
    ['robosmith simulate --script answers.json --input task="Anything"', 3],
  ]);
  expect(codes).toHaveLength(13);
  expect(tutorial.read('src/split-bill.js')).toContain('index < rest ? share + 1 : share');
  expect(tutorial.read('test/split-bill.test.js')).toContain("test('no cent is lost'");
  const outputOf = (command: string): string =>
    tutorial?.played.findLast((one) => one.command === command)?.output ?? '';
  expect(outputOf('npm test')).toMatch(/pass 2\n/);
  expect(outputOf('git log --oneline')).toMatch(
    /^[0-9a-f]+ A bill of 10.00 among three loses a cent\n[0-9a-f]+ Start with a bug\n$/,
  );
  // The first repair gives the remainder to the last person. The page shows this diff before the repair is rejected.
  expect(outputOf('robosmith sessions diff "A bill of 10.00 among three loses a cent"')).toContain(
    'index === people - 1 ? share + rest : share',
  );
});

test('each of its pictures exists', () => {
  const pictures = SNIPPETS.flatMap(({ page, picture }) => (page === TUTORIAL && picture !== null ? [picture] : []));
  expect(pictures).toHaveLength(5);
  expect(pictures.filter((picture) => !existsSync(join(ROOT, 'docs', picture)))).toEqual([]);
});
