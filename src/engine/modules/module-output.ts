import { StringDecoder } from 'node:string_decoder';
import { harmless } from '#protocol/plain-text.ts';
import { createKnownSecrets } from '../keys/known-secrets.ts';

/** The maximum length of a reported line. A longer line is split into parts of this length. */
const LONGEST_LINE = 65_536;

interface ModuleOutput {
  add(bytes: Uint8Array): void;
  /** Reports the last line if it has no line end. */
  end(): void;
}

/** Reports the output of a module line by line, without keys and terminal control characters. */
export function createModuleOutput(
  report: (text: string) => void,
  environment: Readonly<Record<string, string | undefined>>,
): ModuleOutput {
  const decoder = new StringDecoder('utf8');
  const secrets = createKnownSecrets(environment);
  let held = '';
  const reportPart = (text: string): void => {
    if (text !== '') report(harmless(secrets.redact(text)));
  };
  const take = (text: string): void => {
    held += text;
    const end = held.length > LONGEST_LINE ? held.length : held.lastIndexOf('\n') + 1;
    reportPart(held.slice(0, end));
    held = held.slice(end);
  };
  return {
    add: (bytes) => take(decoder.write(Buffer.from(bytes))),
    end: () => {
      reportPart(held + decoder.end());
      held = '';
    },
  };
}
