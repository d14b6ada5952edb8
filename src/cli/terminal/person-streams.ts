/** The streams for questions; stdout is reserved for results. */
export interface PersonStreams {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Returns the streams for questions. If the terminal is closed, the question counts as cancelled. */
export function personStreams(): PersonStreams {
  const gone = new AbortController();
  process.stdin.once('end', () => gone.abort());
  return { output: process.stderr, signal: gone.signal };
}
