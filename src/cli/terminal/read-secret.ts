import type { Readable } from 'node:stream';
import { usageError } from './usage-error.ts';

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

const LONGEST = 65_536;

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > LONGEST)
      throw usageError('The input on stdin is too long for a key.', ['robosmith keys add --help']);
  }
  return text;
}

/**
 * Reads a secret. It is never an argument, which other users could see in the process list, and which shells keep in
 * their history.
 */
export async function readSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return readAll(process.stdin);
  const clack = await import('@clack/prompts');
  const typed = await clack.password({ ...personStreams(), message: question });
  return clack.isCancel(typed) ? null : (typed ?? '');
}
