/** Switches off line wrap, so that a long line is cut. */
const CUT = '\u001b[?7l';
const WRAP = '\u001b[?7h';

/** Returns text whose lines are cut at the edge of the terminal, whatever its width. */
export const cutLines = (text: string): string => `${CUT}${text}${WRAP}`;
