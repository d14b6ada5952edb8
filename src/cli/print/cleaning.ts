import type { CleaningResult } from '#protocol/host.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';

const WHAT: Readonly<Record<CleaningResult['what'], string>> = {
  worktree: 'worktree',
  registration: 'stale git entry',
  session: 'session',
  recovery: 'saved work',
  runs: 'runs',
};

const isPath = ({ what }: CleaningResult): boolean => what === 'worktree' || what === 'registration';

/** Prints each item with the reason why it is removed or kept. */
export function printCleaning(heading: string, items: readonly CleaningResult[], io: CliIo): void {
  if (items.length === 0) return;
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.bold(`${heading}:`)}\n`);
  const room = roomOn(io.stdout);
  for (const item of items) {
    const name = harmless(isPath(item) ? shownPath(item.name, io) : item.name).replaceAll('\n', ' ');
    const head = fitLines(`  ${paint.dim(WHAT[item.what])} ${paint.cyan(name)}`, room, '    ');
    const why = fitLines(`      ${harmless(item.message)}`, room, '      ');
    io.stdout.write(`${[...head, ...why].join('\n')}\n`);
  }
}
