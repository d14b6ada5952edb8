import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** The shortest time in milliseconds between two changes of the line. */
const PAUSE_MS = 250;

/** One line on stderr that is rewritten while something goes on. Shows nothing if stderr is not a terminal. */
export function createLiveLine(io: CliIo) {
  const { stderr } = io;
  const { paint, symbols } = styleFor(stderr, io);
  let last = 0;
  let isShown = false;
  return {
    show: (text: string): void => {
      const now = performance.now();
      if (!stderr.isTerminal || now - last < PAUSE_MS) return;
      last = now;
      isShown = true;
      stderr.write(`\r\u001b[K${paint.dim(`${symbols.start} ${text}`.slice(0, stderr.columns() - 1))}`);
    },
    clear: (): void => {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}
