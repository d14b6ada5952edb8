/** Where questions are asked: stdout stays free for what was asked for. */
export interface PersonStreams {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Whoever closes the terminal has turned away. */
export function personStreams(): PersonStreams {
  const gone = new AbortController();
  process.stdin.once('end', () => gone.abort());
  return { output: process.stderr, signal: gone.signal };
}
