import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { buildProgram } from '#cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';
import type { Said } from './a-project.ts';
import { ADVISED_ELSEWHERE, ADVISING, ADVISING_WITH_SESSIONS } from './advice.ts';
import type { Typed } from './flags.ts';
import { type State, type StateName, STATES } from './states.ts';

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

/**
 * Returns the commands that an output suggests: on separate lines, where continued lines are joined, or in backticks.
 */
function advisedBy({ out, err }: Said): readonly string[] {
  const text = `${out}\n${err}`.replaceAll(/ \\\n\s+/g, ' ');
  const lines = Array.from(text.matchAll(/^\s+robosmith (\S.*)$/gm), ([, command = '']) => command.trim());
  const inline = Array.from(text.matchAll(/`robosmith ([^`]+)`/g), ([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  );
  return [...new Set([...lines, ...inline])];
}

/** Splits a command at blanks outside of quotes. */
const wordsOf = (command: string): readonly string[] =>
  Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );

/**
 * Returns true if this test can execute a command: it needs no terminal, ends by itself, and has no parts to fill in.
 */
const isTypeable = (command: string): boolean =>
  !/[<…]/.test(command) && !/^(?:ui|mcp|inspect|host start --foreground|sessions terminal|calls rerun)\b/.test(command);

/** Returns the error at the start of the messages, without numbers that differ each time. */
const refusalIn = ({ code, err }: Said): string | null =>
  code === 0 ? null : (/^✗ .*(?:\n(?!\n).*)*/m.exec(err)?.[0].replaceAll(/\d+/g, '0') ?? null);

const seen = new Set<string>();

/** Returns the first words of a command, which identify it, such as `sessions merge`. */
const verbOf = (words: readonly string[], known: ReadonlySet<string>): string => {
  const [first = '', second = ''] = words.filter((word, index, all) => word !== '-C' && all[index - 1] !== '-C');
  return known.has(`${first} ${second}`) ? `${first} ${second}` : first;
};

function* declared(command: Command, words: readonly string[] = []): Generator<string> {
  yield words.join(' ');
  for (const one of command.commands) yield* declared(one, [...words, one.name()]);
}

const COMMANDS = new Set([...declared(buildProgram(fakeIo(), () => undefined))].filter((name) => name !== ''));

async function type(typed: Typed, { at, names }: State): Promise<Said> {
  const words = (typed.args ?? []).map((word) => word.replace(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? ''));
  return at.robosmith(...words);
}

async function checkAdvice(typed: Typed): Promise<void> {
  const state = await stateOf(typed.state);
  const { at } = state;
  at.restore();
  const refused = await type(typed, state);
  expect(refused.err).not.toContain('✗ bug');
  const asRefused = refusalIn(refused);
  for (const command of advisedBy(refused)) {
    const words = wordsOf(command);
    seen.add(verbOf(words, COMMANDS));
    if (!isTypeable(command)) continue;
    at.restore();
    await type(typed, state);
    const done = await at.robosmith(...words);
    if (existsSync(at.file('.flow/engine.lock'))) await at.robosmith('host', 'stop', '--force');
    expect(done.err, command).not.toMatch(/✗ bug|unknown (?:command|option)/);
    if (asRefused !== null) expect(refusalIn(done), command).not.toBe(asRefused);
  }
  if (existsSync(at.file('.flow/engine.lock'))) await at.robosmith('host', 'stop', '--force');
}

const isComplete = process.env['ROBOSMITH_FLAGS'] === 'all';
const CASES = [...ADVISING, ...(isComplete ? ADVISING_WITH_SESSIONS : [])];

describe('what is advised', () => {
  test.each(CASES.map((typed) => [typed.state, (typed.args ?? []).join(' '), typed] as const))(
    'after %s: robosmith %s, does not end in the same refusal',
    (_state, _command, typed) => checkAdvice(typed),
    120_000,
  );

  test.runIf(isComplete)('each command that a message names is typed here, or listed with its test', () => {
    const unseen = [...advisedInSource()].filter((verb) => !seen.has(verb) && !Object.hasOwn(ADVISED_ELSEWHERE, verb));
    expect(unseen).toEqual([]);
    expect(Object.values(ADVISED_ELSEWHERE).filter((file) => !existsSync(file))).toEqual([]);
  });
});

/** Returns the commands that messages in the source code suggest. Examples in help texts are not included. */
function advisedInSource(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const file = path.join('src', name);
    if (!file.endsWith('.ts') || /src\/(?:cli\/declare|extension|roberto-mcp)\//.test(file)) continue;
    for (const [, words = ''] of readFileSync(file, 'utf8').matchAll(/[`'"]robosmith ([a-z]+(?: [a-z]+)?)/g)) {
      const verb = verbOf(words.split(' '), COMMANDS);
      if (COMMANDS.has(verb)) found.add(verb);
    }
  }
  return found;
}
