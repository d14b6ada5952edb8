import { refusedAnswerText } from '#protocol/run.ts';
import { storedSessionOf } from '#engine/index.ts';
import { createLiveLine } from '../clash/live-line.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import type { Reporter } from '../print/reporter.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { namesOf } from './do-run.ts';
import { type DoRows, doRows } from './do-rows.ts';
import { timeText } from './row-text.ts';

/** How often the line about what goes on is rewritten, in milliseconds. */
const TICK_MS = 250;

/** Reports a task of `robosmith do`: a heading, a row for each step, and one line about what goes on. */
export function doReporter(root: string, io: CliIo): Reporter {
  const { stderr } = io;
  const style = styleFor(stderr, io);
  const { paint, symbols } = style;
  const live = createLiveLine(io);
  let rows: DoRows | null = null;
  let timer: NodeJS.Timeout | null = null;

  const print = (text: string): void => {
    live.clear();
    for (const line of fitLines(text, roomOn(stderr), '    ')) stderr.write(`${line}\n`);
  };
  const tick = (): void => {
    const now = rows?.active() ?? null;
    if (now === null) return live.clear();
    const said = now.said === '' ? '' : `  ${now.said}`;
    live.show(harmless(`${now.name}  ${timeText(Math.max(0, Date.now() - now.since))}${said}`));
  };
  const pause = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    live.clear();
  };
  const warn = (message: string): void => print(paint.yellow(`${symbols.warn} ${harmless(message)}`));
  return {
    started: ({ graph, kept }) => {
      rows = doRows(namesOf(graph), style, stderr);
      const session = kept === null ? null : storedSessionOf(root, kept.run);
      const title = paint.bold(harmless(session?.title ?? 'Task'));
      print(
        `${paint.cyan(symbols.start)} ${title}${session === null ? '' : `   ${paint.dim(harmless(session.branch))}`}`,
      );
    },
    event: (event) => {
      for (const line of rows?.linesFor(event) ?? []) print(line);
      timer ??= setInterval(tick, TICK_MS).unref();
    },
    refused: ({ why, allowed }) => warn(refusedAnswerText({ why, allowed })),
    warn,
    // The end screen says where the work is.
    note: () => undefined,
    prompt: () => undefined,
    asking: pause,
    pause,
    ended: pause,
  };
}
