import type { Readable } from 'node:stream';
import { usageError } from './usage-error.ts';
import { personStreams } from './person-streams.ts';

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

/** Never from the command's words: others see those in the list of processes, and shells keep them. */
export async function readSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return readAll(process.stdin);
  const clack = await import('@clack/prompts');
  const typed = await clack.password({ ...personStreams(), message: question });
  return clack.isCancel(typed) ? null : (typed ?? '');
}
