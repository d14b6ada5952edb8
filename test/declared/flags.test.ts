import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { buildProgram } from '#cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';
import { filesBelow } from './a-project.ts';
import { COMMANDS, ELSEWHERE, FLAGS, type Typed, VALUES } from './flags.ts';
import { type State, type StateName, STATES } from './states.ts';

interface Declared {
  readonly command: string;
  readonly options: readonly Option[];
}

function* declared(command: Command, words: readonly string[] = []): Generator<Declared> {
  yield { command: words.join(' '), options: command.options.filter(({ hidden }) => !hidden) };
  for (const one of command.commands) yield* declared(one, [...words, one.name()]);
}

const flagOf = ({ long, short, flags }: Option): string => long ?? short ?? flags;

const ALL = [...declared(buildProgram(fakeIo(), () => undefined))];

/** The declared flags of all commands, by names such as `run --in`. */
const OPTIONS = new Map(
  ALL.flatMap(({ command, options }) => options.map((option) => [`${command} ${flagOf(option)}`.trim(), option])),
);
const DECLARED = [...OPTIONS.keys()];

/** Returns the words for a flag as it is declared, or null if it is not known which value it takes. */
function declaredWords(name: string): readonly string[] | null {
  const option = OPTIONS.get(name);
  if (option === undefined) return null;
  if (!option.required) return [flagOf(option)];
  const value = VALUES[/<.*>/.exec(option.flags)?.[0] ?? ''];
  return value === undefined ? null : [flagOf(option), value];
}

const wordsFor = (name: string): readonly string[] | null => FLAGS[name]?.with ?? declaredWords(name);

const isElsewhere = (name: string): boolean =>
  Object.keys(ELSEWHERE).some((one) => name === one || name.startsWith(`${one} `));

const tested = DECLARED.filter((name) => !name.endsWith(' --json') && !isElsewhere(name));

/** True in a complete test run. Other runs skip commands that need worktrees, which are slow to create. */
const isComplete = process.env['ROBOSMITH_FLAGS'] === 'all';
const SLOW = /^(?:sessions|worktrees|status|run --(?:plan|session|detach))\b/;
const isTyped = (name: string): boolean => isComplete || !SLOW.test(name);

const states = new Map<StateName, Promise<State>>();
afterAll(async () => {
  for (const state of states.values()) await (await state).at.remove();
});

function stateOf(name: StateName): Promise<State> {
  const known = states.get(name);
  if (known !== undefined) return known;
  const made = STATES[name]().then((state: State) => {
    state.at.keep();
    return state;
  });
  states.set(name, made);
  return made;
}

/** Replaces the values that differ between executions: ids, times, durations, process ids, folders. */
const steady = (text: string): string =>
  text
    .replace(/\b[rs][0-9a-f]{8,12}\b|\b[0-9a-f]{7,64}\b/g, '<id>')
    .replace(/\b\d{10,}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>')
    .replace(
      /\b\d+(?:\.\d+)? ?(?:ms|s|B|KB|kB|MB)\b|"(?:duration_ms|[a-z_]*[aA]t|tokens|pid|bytes)": ?\d+/g,
      '<measure>',
    )
    .replace(/robosmith-declared-\w+/g, '<place>');

/** Returns the effect of a command: exit code, output, and the files that exist afterwards. */
async function did(command: string, { state, args = [] }: Typed, more: readonly string[] = []): Promise<string> {
  const { at, names } = await stateOf(state);
  at.restore();
  const words = [...args, ...more].map((word) => word.replace(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? ''));
  const { code, out, err } = await at.robosmith(...command.split(' '), ...words);
  if (existsSync(at.file('.flow/engine.lock'))) await at.robosmith('host', 'stop', '--force');
  const files = filesBelow(path.dirname(at.folder)).filter(
    (file) => !/^(?:project\/)?\.flow\/(?:runs|engine)/.test(file),
  );
  return steady([`ended with ${String(code)}`, out, err, ...files].join('\n'));
}

describe('every flag that is declared', () => {
  test('can be typed, and every line names a flag', () => {
    expect(tested.filter((name) => wordsFor(name) === null)).toEqual([]);
    expect(Object.keys(FLAGS).filter((name) => !DECLARED.includes(name))).toEqual([]);
    const known = new Set(ALL.map(({ command }) => command));
    expect(Object.keys(COMMANDS).filter((command) => !known.has(command))).toEqual([]);
    expect(Object.values(ELSEWHERE).filter((file) => !existsSync(file))).toEqual([]);
  });

  test.each(tested.filter(isTyped).map((name) => [name] as const))(
    '%s changes what the command does, or is refused',
    async (name) => {
      const at = name.lastIndexOf(' ');
      const command = name.slice(0, at);
      const typed = FLAGS[name]?.typed ?? COMMANDS[command];
      if (typed === undefined) throw new Error(`it is not said how "${command}" is typed`);
      const without = await did(command, typed);
      const withIt = await did(command, typed, wordsFor(name) ?? []);
      expect(withIt).not.toBe(without);
      expect(withIt).not.toMatch(/✗ bug|nknown option/);
    },
  );
});

describe('every --json that is declared', () => {
  const commands = ALL.filter(({ options }) => options.some((option) => flagOf(option) === '--json')).map(
    ({ command }) => command,
  );

  test.each(commands.filter((name) => !isElsewhere(name) && isTyped(name)).map((name) => [name] as const))(
    '%s prints one document, whatever comes of it',
    async (command) => {
      const typed = COMMANDS[command];
      if (typed === undefined) throw new Error(`it is not said how "${command}" is typed`);
      const { at, names } = await stateOf(typed.state);
      at.restore();
      const words = (typed.args ?? []).map((word) =>
        word.replace(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? ''),
      );
      const { out } = await at.robosmith(...command.split(' '), ...words, '--json');
      expect(() => JSON.parse(out) as unknown, out).not.toThrow();
    },
  );
});
