import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Said } from './a-project.ts';
import { type Advised, advisedInSource, commandWords, readCommand } from './advised-in-source.ts';
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
 * Returns the commands that an output advises: in lines of their own, joined where they are continued, in backticks, or
 * in a sentence.
 */
function advisedBy({ out, err }: Said): readonly string[] {
  const text = `${out}\n${err}`.replaceAll(/ \\\n\s+/g, ' ');
  const lines = Array.from(text.matchAll(/^\s+robosmith (\S.*)$/gm), ([, command = '']) => command.trim());
  const inline = Array.from(text.matchAll(/`robosmith ([^`]+)`/g), ([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  );
  const prose = Array.from(text.matchAll(/[:;,] robosmith (\S.*)$/gm), ([, rest = '']) => commandWords(rest).join(' '));
  return [...new Set([...lines, ...inline, ...prose])];
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

/** The forms of the commands that the typed cases have been advised. */
const seen = new Set<string>();

/** Returns a command without its arguments and values: `sessions discard --force`. */
const formOf = ({ name, flags }: Pick<Advised, 'name' | 'flags'>): string => [name, ...flags.toSorted()].join(' ');

const isHelp = (form: string): boolean => form.endsWith('--help');

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
    seen.add(formOf(readCommand(words)));
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

/** Returns whether the source of a test starts a command of this form, with its words as separate arguments or as one. */
function isTypedIn(source: string, form: string): boolean {
  const words = form.split(' ');
  const flags = words.filter((word) => word.startsWith('-'));
  const name = words.filter((word) => !word.startsWith('-'));
  const apart = name.map((word) => `['"\`]${word}['"\`]`).join(',\\s*');
  return new RegExp(`${apart}|['"\`]${name.join(' ')}\\b`).test(source) && flags.every((flag) => source.includes(flag));
}

const isComplete = process.env['ROBOSMITH_FLAGS'] === 'all';
const CASES = [...ADVISING, ...(isComplete ? ADVISING_WITH_SESSIONS : [])];

describe('what is advised', () => {
  test.each(CASES.map((typed) => [typed.state, (typed.args ?? []).join(' '), typed] as const))(
    'after %s: robosmith %s, does not end in the same refusal',
    (_state, _command, typed) => checkAdvice(typed),
    120_000,
  );

  test.each(Object.entries(ADVISED_ELSEWHERE))('%s is typed in %s', (form, file) => {
    expect(readFileSync(file, 'utf8')).toSatisfy((source: string) => isTypedIn(source, form));
  });

  test.runIf(isComplete)('each form of a command that a text advises is typed here, or listed with its test', () => {
    // A help text is never refused, and the unit test of the advised commands checks that the command exists.
    const forms = new Set(
      advisedInSource()
        .map(formOf)
        .filter((form) => !isHelp(form)),
    );
    const listed = Object.keys(ADVISED_ELSEWHERE);
    expect([...forms].filter((form) => !seen.has(form) && !listed.includes(form)).toSorted()).toEqual([]);
    expect(listed.filter((form) => seen.has(form) || !forms.has(form)).toSorted()).toEqual([]);
  });
});
