import { StringDecoder } from 'node:string_decoder';
import { harmless } from '#protocol/plain-text.ts';
import { createKnownSecrets } from '../keys/known-secrets.ts';

/** A line that does not end is told in parts of this size. */
const LONGEST_LINE = 65_536;

export interface ModuleOutput {
  add(bytes: Uint8Array): void;
  /** Tells a last line that has no end. */
  end(): void;
}

/** Tells what a module prints line by line, without keys and without what steers a terminal. */
export function createModuleOutput(
  tell: (text: string) => void,
  environment: Readonly<Record<string, string | undefined>>,
): ModuleOutput {
  const decoder = new StringDecoder('utf8');
  const secrets = createKnownSecrets(environment);
  let held = '';
  const tellPart = (text: string): void => {
    if (text !== '') tell(harmless(secrets.redact(text)));
  };
  const take = (text: string): void => {
    held += text;
    const end = held.length > LONGEST_LINE ? held.length : held.lastIndexOf('\n') + 1;
    tellPart(held.slice(0, end));
    held = held.slice(end);
  };
  return {
    add: (bytes) => take(decoder.write(Buffer.from(bytes))),
    end: () => {
      tellPart(held + decoder.end());
      held = '';
    },
  };
}
