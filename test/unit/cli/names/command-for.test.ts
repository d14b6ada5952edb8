import { expect, test } from 'vitest';
import { commandsFor, typedAs } from '#cli/names/command-for.ts';
import { resumeCommands } from '#cli/names/resume-commands.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { BlockId, HaltId, RunId } from '#protocol/id.ts';
import { sampleGraph } from '../../compiler-export/sample-graph.ts';

const graph = sampleGraph({ Main: { One: { rows: [] }, Two: { rows: [] } } });

test('each answer is the command as it was typed, with one more --answer', () => {
  const typed = typedAs('run', 'Main', { in: 'a b', input: ['@task.md'], step: true, answer: ['Main__One=proceed'] });
  expect(commandsFor(typed, { block: 'Main__Two' as BlockId }, ['retry', 'next', 'jump', 'abort'], graph)).toEqual(
    ['retry', 'next', 'jump:Main__One', 'abort'].map(
      (answer) =>
        `robosmith run Main --in "a b" --input @task.md --step --answer Main__One=proceed --answer Main__Two=${answer}`,
    ),
  );
});

test('beside proceed, retry is not offered: it means the same', () => {
  const commands = commandsFor(['run', 'Main'], { block: 'Main__One' as BlockId }, ['proceed', 'retry', 'jump'], graph);
  expect(commands).toEqual([
    'robosmith run Main --answer Main__One=proceed',
    'robosmith run Main --answer Main__One=jump:Main__Two',
  ]);
});

test('where a node has no other block, no jump is offered', () => {
  const single = sampleGraph({ Main: { One: { rows: [] } }, Other: { Two: { rows: [] } } });
  const asked = { block: 'Main__One' as BlockId };
  expect(commandsFor(['run', 'Main'], asked, ['retry', 'jump'], single)).toEqual([
    'robosmith run Main --answer Main__One=retry',
  ]);
  const kept = {
    run: 'r1' as RunId,
    command: (verb: string, ...flags: readonly string[]) => [verb, ...flags].join(' '),
    inProject: (...words: readonly string[]) => words.join(' '),
  };
  const halt = { ...asked, halt_id: 'h1' as HaltId, why: 'flagged' } as const;
  expect(resumeCommands(kept, halt, true, single).filter((command) => command.includes('--jump'))).toEqual([]);
  expect(resumeCommands(kept, halt, true, graph)).toContain('resume --jump Main__Two');
});

test.each([
  ['plain/path-1.json', 'plain/path-1.json'],
  ['two words', '"two words"'],
  ["it's", '"it\'s"'],
  ['$HOME', "'$HOME'"],
  ["$'", `'$'\\'''`],
  ['', '""'],
])('shell word %s', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
});
