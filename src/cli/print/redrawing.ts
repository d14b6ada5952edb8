import type { Screen } from '../terminal/cli-io.ts';

const END_OF_LINE = '\u001b[K';
const END_OF_SCREEN = '\u001b[0J';
/** A line that is too long is cut, and takes no second one. */
const CUT = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const FROM_THE_TOP = '\u001b[2J\u001b[H';

/** For a terminal: none of these lines is broken into two, however narrow it is and however wide its characters are. */
export const cutLines = (text: string): string => `${CUT}${text}${WRAP}`;

/** Lines that stay in their place: each is overwritten, and never the screen cleared before, so that nothing flickers. */
export function redrawing(screen: Screen) {
  let drawn = 0;
  let width = screen.columns();
  return {
    draw: (lines: readonly string[]): void => {
      const room = Math.max(1, (screen.rows?.() ?? Number.POSITIVE_INFINITY) - 1);
      const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), '…'];
      const now = screen.columns();
      // Lines have been broken anew: where they begin nobody knows.
      const back = now !== width ? FROM_THE_TOP : drawn === 0 ? '' : `\r\u001b[${drawn}A`;
      width = now;
      drawn = shown.length;
      screen.write(cutLines(`${back}${shown.map((line) => `${line}${END_OF_LINE}\n`).join('')}${END_OF_SCREEN}`));
    },
  };
}
