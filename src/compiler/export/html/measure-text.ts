const CHARACTER_WIDTH = 7.23;

const columns = (text: string): number =>
  [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1), 0);

/** Of 12px text in a monospaced font: known without a screen, so the same on every machine. */
export const textWidth = (text: string): number => Math.ceil(columns(text) * CHARACTER_WIDTH);

export const shortened = (text: string, limit: number): string =>
  [...text].length <= limit ? text : `${[...text].slice(0, limit - 1).join('')}…`;
