import type { RoboSmithEvent } from '#protocol/event.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ProgressLines } from './progress-lines.ts';

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
