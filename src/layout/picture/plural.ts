/** Returns a count with its noun, in the plural unless the count is 1: `2 blocks`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
