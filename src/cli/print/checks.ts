import type { Check } from '../doctor/check.ts';
import type { CliIo } from '../cli-io.ts';
import { harmless, styleFor, type Style } from './style.ts';

/** A line a check, and below it what to do when something is amiss. */
export function printChecks(checks: readonly Check[], io: CliIo): void {
  const style = styleFor(io.stdout, io);
  for (const check of checks) io.stdout.write(lineOf(check, style));
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  const parts = [
    `${count('ok')} ok`,
    ...(count('warn') > 0 ? [`${count('warn')} to look at`] : []),
    ...(count('fail') > 0 ? [`${count('fail')} to mend`] : []),
  ];
  io.stdout.write(`\n${parts.join(', ')}.\n`);
}

function lineOf({ status, message, advice }: Check, { paint, symbols }: Style): string {
  const mark =
    status === 'ok' ? paint.green(symbols.ok) : status === 'warn' ? paint.yellow(symbols.warn) : paint.red(symbols.bad);
  const word = status === 'ok' ? paint.green('ok  ') : status === 'warn' ? paint.yellow('warn') : paint.red('fail');
  return `${mark} ${word}  ${harmless(message)}\n${advice === null ? '' : `          ${paint.dim(harmless(advice))}\n`}`;
}
