/** The streams for questions; stdout is reserved for results. */
export interface PersonStreams {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** A closed terminal counts as cancelling. */
export function personStreams(): PersonStreams {
  const gone = new AbortController();
  process.stdin.once('end', () => gone.abort());
  return { output: process.stderr, signal: gone.signal };
}
