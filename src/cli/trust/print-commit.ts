import type { ForeignCommit } from '#protocol/session-api.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { showsAll } from './shows-all.ts';

/** The maximum number of lines of one section. A command that shows the others is printed. */
const MOST = 30;

/** Returns a section with a title; nothing if it has no lines. `all`: the command that shows every line. */
export function section(title: string, lines: readonly string[], all: string): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST;
  return [
    title,
    ...lines.slice(0, MOST).map((line) => `  ${showsAll(line)}`),
    ...(more > 0 ? [`  … and ${String(more)} more: ${all}`] : []),
  ];
}

const command = (...words: readonly string[]): string => words.map(shellWord).join(' ');

/** Describes a commit from elsewhere: its authors and changed files, and the command that shows the changes. */
export function commitLines({ commit, base, authors, files, first }: ForeignCommit): readonly string[] {
  const range = base === null ? commit : `${base}..${commit}`;
  const others = files?.filter((file) => !first.includes(file)) ?? [];
  const names =
    base === null
      ? command('git', 'ls-tree', '-r', '--name-only', commit)
      : command('git', 'diff', '--name-only', base, commit);
  return [
    `at ${commit}`,
    ...section('by, according to its commits:', authors, command('git', 'log', '--format=%an <%ae>', range)),
    ...(files === null ? ['It has no commit in common with the current checkout.'] : []),
    ...section('Changed files that a command names, or that configure programs:', first, names),
    ...section('Other changed files:', others, names),
    `To see the changes: ${base === null ? command('git', 'show', commit) : command('git', 'diff', base, commit)}`,
  ];
}

/** Prints lines below a title, followed by an empty line. */
export function printLines(title: string, lines: readonly string[], io: CliIo): void {
  io.stderr.write([title, ...lines.map((line) => `  ${line}`), '', ''].join('\n'));
}
