import { shellWord } from '#protocol/shell-word.ts';

/** A command to type next, as it has to be typed where this one was. */
export const fromHere = (command: string, { place }: { readonly place?: string | undefined }): string =>
  place === undefined ? command : command.replace(/^robosmith\b/, () => `robosmith -C ${shellWord(place)}`);
