import { Command } from 'commander';
import { expect, test } from 'vitest';
import { declareRunning } from '#cli/declare/running.ts';
import { typedAs } from '#cli/declare/typed-as.ts';
import { commandsFor } from '#cli/names/command-for.ts';
import { resumeCommands } from '#cli/names/resume-commands.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { BlockId, HaltId, RunId } from '#protocol/id.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { sampleGraph } from '../../compiler-export/sample-graph.ts';

const graph = sampleGraph({ Main: { One: { rows: [] }, Two: { rows: [] } } });

/** Parses a command without executing it. */
function parsed(...words: readonly string[]): Command {
  const program = new Command();
  declareRunning(program, fakeIo(), () => Promise.resolve());
  program.parse(words, { from: 'user' });
  return program.commands.find((one) => one.name() === words[0]) ?? program;
}

test.each(['run', 'simulate'])('every declared option of %s is repeated, except those for its output', (verb) => {
  const outputs = ['--json', '--jsonl', '--show-prompt', '--print-prompts'];
  const flags = parsed(verb).options.flatMap(({ long, required }) => [[long ?? '', ...(required ? ['a b'] : [])]]);
  const kept = flags.filter(([flag = '']) => !outputs.includes(flag));
  expect(kept.length).toBeGreaterThan(4);
  expect(typedAs(parsed(verb, 'Main', ...flags.flat()))).toEqual([verb, 'Main', ...kept.flat()]);
});

test('each answer is the command as it was typed, with one more --answer', () => {
  const words = ['run', '--in', 'a b', '--step', '--answer', 'Main__One=proceed', '--answer', 'Main__Two=retry'];
  const typed = typedAs(parsed(...words, '--session=-x', '--json'));
  expect(commandsFor(typed, { block: 'Main__Two' as BlockId }, ['next', 'jump'], graph)).toEqual(
    ['next', 'jump:Main__One'].map(
      (answer) =>
        `robosmith run --in "a b" --session=-x --step --answer Main__One=proceed --answer Main__Two=retry --answer Main__Two=${answer}`,
    ),
  );
});

test('each answer is offered, in the given order', () => {
  const commands = commandsFor(['run', 'Main'], { block: 'Main__One' as BlockId }, ['proceed', 'retry', 'jump'], graph);
  expect(commands).toEqual([
    'robosmith run Main --answer Main__One=proceed',
    'robosmith run Main --answer Main__One=retry',
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
  expect(resumeCommands(kept, halt, single).filter((command) => command.includes('--jump'))).toEqual([]);
  expect(resumeCommands(kept, halt, graph)).toContain('resume --halt h1 --jump Main__Two');
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
