/** Returns the text of an invoked actor's line in the box of its state. */
export const invokedText = (name: string): string => `invoke ${name}`;

/** Matches characters that are twice as wide as a letter: those of East Asian scripts, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/gu;

/** Returns the width of a text as a number of letters. */
export const lettersOf = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0);
