import { shellWord } from '#protocol/shell-word.ts';

/** Adds `-C` to a suggested command if the current command had it. */
export const fromHere = (command: string, { place }: { readonly place?: string | undefined }): string =>
  place === undefined ? command : command.replace(/^robosmith\b/, () => `robosmith -C ${shellWord(place)}`);
