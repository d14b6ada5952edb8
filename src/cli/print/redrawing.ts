import type { Screen } from '../terminal/cli-io.ts';

const END_OF_LINE = '\u001b[K';
const END_OF_SCREEN = '\u001b[0J';
/** Switches off line wrap, so that a long line is cut. */
const CUT = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const FROM_THE_TOP = '\u001b[2J\u001b[H';

/** Returns text whose lines are cut at the edge of the terminal, whatever its width. */
export const cutLines = (text: string): string => `${CUT}${text}${WRAP}`;

/** Returns a display that overwrites its lines in place. The screen is not cleared first, to avoid flicker. */
export function redrawing(screen: Screen) {
  let drawn = 0;
  let width = screen.columns();
  return {
    draw: (lines: readonly string[]): void => {
      const room = Math.max(1, (screen.rows?.() ?? Number.POSITIVE_INFINITY) - 1);
      const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), '…'];
      const now = screen.columns();
      // After a resize the terminal has rewrapped lines, so their position is unknown.
      const back = now !== width ? FROM_THE_TOP : drawn === 0 ? '' : `\r\u001b[${drawn}A`;
      width = now;
      drawn = shown.length;
      screen.write(cutLines(`${back}${shown.map((line) => `${line}${END_OF_LINE}\n`).join('')}${END_OF_SCREEN}`));
    },
  };
}
