import { createColors } from 'picocolors';
import type { CliIo, Screen } from '../terminal/cli-io.ts';

export { harmless } from '#protocol/plain-text.ts';

export interface Style {
  readonly paint: Pick<
    ReturnType<typeof createColors>,
    'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta' | 'blue'
  >;
  readonly symbols: Symbols;
}

interface Symbols {
  readonly ok: string;
  readonly bad: string;
  readonly warn: string;
  readonly halt: string;
  readonly start: string;
  readonly skipped: string;
  readonly arrow: string;
  readonly dot: string;
  readonly minus: string;
  readonly cross: string;
  readonly ellipsis: string;
}

const UNICODE: Symbols = {
  ok: '✓',
  bad: '✗',
  warn: '!',
  halt: '■',
  start: '▶',
  skipped: '–',
  arrow: '→',
  dot: '·',
  minus: '−',
  cross: '×',
  ellipsis: '…',
};
const ASCII: Symbols = {
  ok: 'ok',
  bad: 'x',
  warn: '!',
  halt: '#',
  start: '>',
  skipped: '-',
  arrow: '->',
  dot: '-',
  minus: '-',
  cross: 'x',
  ellipsis: '...',
};

/**
 * Returns the style of a screen: colours if the terminal supports and wants them (no-color.org, force-color.org), and
 * symbols if the console can display them.
 */
export function styleFor(screen: Screen, io: CliIo): Style {
  const { env } = io;
  const wanted =
    env['FORCE_COLOR'] !== undefined ? env['FORCE_COLOR'] !== '0' : screen.isTerminal && env['TERM'] !== 'dumb';
  const colours = wanted && (env['NO_COLOR'] ?? '') === '';
  const unicode = io.platform !== 'win32' || env['WT_SESSION'] !== undefined || env['TERM_PROGRAM'] === 'vscode';
  return { paint: createColors(colours), symbols: unicode ? UNICODE : ASCII };
}
