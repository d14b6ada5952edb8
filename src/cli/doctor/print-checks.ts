import type { Check } from '../print/json-documents.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { harmless, styleFor, type Style } from '../print/style.ts';

/** Indentation of continued messages; advice is indented further. */
const MESSAGE = '        ';
const ADVICE = '          ';

/** Prints one line per check, with advice below it if there is a problem. */
export function printChecks(checks: readonly Check[], io: CliIo): void {
  const style = styleFor(io.stdout, io);
  const room = roomOn(io.stdout);
  for (const check of checks) for (const line of linesOf(check, style, room)) io.stdout.write(`${line}\n`);
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  const parts = [
    `${count('ok')} ok`,
    ...(count('warn') > 0 ? [`${count('warn')} to check`] : []),
    ...(count('fail') > 0 ? [`${count('fail')} to fix`] : []),
  ];
  io.stdout.write(`\n${parts.join(', ')}.\n`);
}

function linesOf({ status, message, advice }: Check, { paint, symbols }: Style, room: number): readonly string[] {
  const mark =
    status === 'ok' ? paint.green(symbols.ok) : status === 'warn' ? paint.yellow(symbols.warn) : paint.red(symbols.bad);
  const word = status === 'ok' ? paint.green('ok  ') : status === 'warn' ? paint.yellow('warn') : paint.red('fail');
  return [
    ...fitLines(`${mark} ${word}  ${harmless(message)}`, room, MESSAGE),
    ...(advice === null ? [] : fitLines(`${ADVICE}${harmless(advice)}`, room, ADVICE).map(paint.dim)),
  ];
}
