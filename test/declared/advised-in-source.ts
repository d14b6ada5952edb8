import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '#cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';

/** A command that a text of the source advises. */
export interface Advised {
  readonly file: string;
  readonly line: number;
  /** The name of the command, such as `sessions merge`; empty for `robosmith` itself. */
  readonly name: string;
  /** The flags in written order. */
  readonly flags: readonly string[];
}

const PROGRAM = buildProgram(fakeIo(), () => undefined);

function* declared(command: Command, words: readonly string[] = []): Generator<readonly [string, Command]> {
  yield [words.join(' '), command];
  for (const one of command.commands) yield* declared(one, [...words, one.name()]);
}

export const COMMANDS: ReadonlyMap<string, Command> = new Map(declared(PROGRAM));

/** Returns the declaration of a flag of a command, or undefined if the command has no such flag. */
const optionOf = (name: string, flag: string) =>
  [...(COMMANDS.get(name)?.options ?? []), ...PROGRAM.options].find(
    ({ long, short }) => long === flag || short === flag,
  );

const isEverywhere = (flag: string): boolean => flag === '--help' || flag === '--version';

export const isKnownFlag = (name: string, flag: string): boolean =>
  isEverywhere(flag) || optionOf(name, flag) !== undefined;

/** Replaces each `${…}` with one word, also where another template is nested in it. */
function withoutExpressions(text: string): string {
  let shown = '';
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.startsWith('${', at)) {
      if (depth === 0) shown += '{}';
      depth += 1;
      at += 1;
    } else if (depth > 0 && text[at] === '{') depth += 1;
    else if (depth > 0 && text[at] === '}') depth -= 1;
    else if (depth === 0) shown += text[at] ?? '';
  }
  return shown;
}

/** The end of a command in a text: a quotation mark, a bracket, or punctuation before a blank. */
const END = /[`'"\\()|<]|[.,;:](?=\s|$)|[.,;:]$/;

/** Reads a command from the words after `robosmith`. */
export function readCommand(all: readonly string[]): Pick<Advised, 'name' | 'flags'> {
  const words = all[0] === '-C' ? all.slice(2) : all;
  const known = [words.slice(0, 2), words.slice(0, 1)].find((some) => COMMANDS.has(some.join(' ')) && some.length > 0);
  const name = known?.join(' ') ?? words[0]?.replace(/\{.*/, '') ?? '';
  const flags = words.slice(known?.length ?? 1).flatMap((word) => /^--?[a-z][a-z-]*(?==|$)/.exec(word)?.[0] ?? []);
  return { name, flags };
}

/** Returns whether a word is the id of a run or session, or the value of a flag. */
const isArgument = (word: string, before: string): boolean =>
  /^[rs][0-9a-f]{8,12}$/.test(word) || before.startsWith('-');

/** Returns the words of a command that stands in a sentence, without the sentence after it. */
export function commandWords(text: string): readonly string[] {
  const words = text
    .slice(0, END.exec(text)?.index ?? text.length)
    .split(/\s+/)
    .filter((word) => word !== '');
  const prose = words.findIndex((word, at) => at > 1 && /^[a-z]/.test(word) && !isArgument(word, words[at - 1] ?? ''));
  return prose === -1 ? words : words.slice(0, prose);
}

/** Lines of comments, and code that reads or starts commands. */
const isNoText = (line: string): boolean => /^\s*(?:\*|\/\/|\/\*)/.test(line);

/** Returns the commands that the texts of a file advise. */
function* advisedIn(file: string): Generator<Advised> {
  for (const [index, source] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (isNoText(source)) continue;
    const line = withoutExpressions(source);
    for (const { index: at } of line.matchAll(/(?<=^|[\s`'"(>])robosmith (?=[a-z{])/g))
      yield { file, line: index + 1, ...readCommand(commandWords(line.slice(at + 'robosmith '.length))) };
  }
}

/**
 * Examples in help texts are tested on their own, and the editor and the analysis server advise other things. The last
 * files build commands or complete them, and advise none.
 */
const OTHERS =
  /^src\/(?:cli\/declare|extension|roberto-mcp|cli\/completion)\/|\/generated\/|names\/(?:command-|program-version)/;

export const advisedInSource = (): readonly Advised[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => path.join('src', name).replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.ts') && !OTHERS.test(file))
    .flatMap((file) => [...advisedIn(file)])
    // The name is an expression.
    .filter(({ name }) => name !== '');
