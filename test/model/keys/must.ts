/** Throws if a condition does not hold. Used because Vitest's `expect` takes longer than a whole history. */
export function must(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}
