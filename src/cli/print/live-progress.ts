import type { CliIo } from '../terminal/cli-io.ts';
import { durationText } from './time-text.ts';
import { fitOutlineLine, roomOn } from './fit-lines.ts';
import type { ActiveVisit } from './active-visits.ts';
import type { ProgressLines } from './progress-lines.ts';
import { type SpendingMeter, spendingMeter } from './spending-meter.ts';
import { styleFor } from './style.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';

export interface Progress {
  event(event: RoboSmithEvent): void;
  /** Clears the progress display until the next event. */
  pause(): void;
}

/** Prints a line per event, for pipes, logs and simulations. */
export const plainProgress = (lines: ProgressLines, io: CliIo): Progress => ({
  event: (event) => {
    for (const line of lines.linesFor(event)) io.stderr.write(`${line}\n`);
  },
  pause: () => undefined,
});

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

const MOST = 8;

/** Switches off line wrap, so that a long line is cut. */
const CUT = '\u001b[?7l';

const WRAP = '\u001b[?7h';

/** Returns text whose lines are cut at the edge of the terminal, whatever its width. */
const cutLines = (text: string): string => `${CUT}${text}${WRAP}`;

/**
 * Returns the escape sequence that erases this number of lines. It starts at the first column, because an echoed `^C`
 * may have moved the cursor.
 */
const erasing = (lines: number): string => `\r\u001b[${lines}A\u001b[0J`;

/** Prints finished steps, and below them the active ones, which are redrawn ten times a second. */
export function liveProgress(lines: ProgressLines, io: CliIo, meter: SpendingMeter = spendingMeter(null)): Progress {
  const { paint } = styleFor(io.stderr, io);
  let drawn = 0;
  let tick = 0;
  let timer: NodeJS.Timeout | null = null;

  const row = ({ name, depth, attempt, since, said }: ActiveVisit): string => {
    const spinner = FRAMES[tick % FRAMES.length] ?? '';
    const head = `${'  '.repeat(depth + 2)}${spinner} ${name}`;
    const notes = [
      durationText(Math.max(0, Date.now() - since)),
      ...(attempt > 1 ? [`attempt ${attempt}`] : []),
      ...(said === '' ? [] : [said]),
    ].join(' · ');
    return `${paint.cyan(head)}  ${paint.dim(notes)}`;
  };
  const redraw = (stays: readonly string[]): void => {
    const active = lines.active();
    // A line that has scrolled off the screen can't be erased, so the number of lines is limited.
    const room = Math.max(1, (io.stderr.rows?.() ?? Number.POSITIVE_INFINITY) - 1);
    const most = active.length <= Math.min(MOST, room) ? active.length : Math.min(MOST, room - 1);
    const shown = [
      ...active.slice(0, most).map(row),
      ...(active.length > most ? [paint.dim(`    and ${active.length - most} more`)] : []),
      // The meter needs a row of its own, which a small terminal may lack.
      ...(active.length > 0 && active.length < room ? meter.lines().map((line) => paint.dim(`    ${line}`)) : []),
    ];
    const erase = drawn === 0 ? '' : erasing(drawn);
    const text = (rows: readonly string[]): string => rows.map((line) => `${line}\n`).join('');
    // Lines are cut to one row each, because a wrapped line would not be erased completely.
    const kept = stays.flatMap((line) => fitOutlineLine(line, roomOn(io.stderr)));
    io.stderr.write(erase + text(kept) + (shown.length === 0 ? '' : cutLines(text(shown))));
    drawn = shown.length;
  };
  const pause = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    if (drawn > 0) io.stderr.write(erasing(drawn));
    drawn = 0;
  };
  return {
    event: (event) => {
      meter.take(event);
      redraw(lines.linesFor(event));
      timer ??= setInterval(() => {
        tick += 1;
        if (drawn > 0) redraw([]);
      }, 100).unref();
    },
    pause,
  };
}
