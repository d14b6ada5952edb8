import { looksRandom } from './random-key.ts';
import { cutRedactor, redactor, redactorOf, type StreamRedactor, streamRedactor } from './redact.ts';

export interface KeyRedactors {
  /** For what a provider says of the key, perhaps a part of it. */
  readonly facts: (text: string) => string;
  /** For all else. */
  readonly all: (text: string) => string;
  /** For an answer that broke off, perhaps within the key. */
  readonly cut: (text: string) => string;
  /** For the answer that is used, whole or as far as it came: what is no secret must not alter it. */
  readonly answer: (text: string, isWhole: boolean) => string;
  /** For what is shown of one answer while it comes. */
  readonly shown: () => StreamRedactor;
}

/** More keys than anybody has. */
const MOST = 256;

/** What takes a key out of texts takes as long to make as a call to begin: it is kept. */
export function keyRedactors(): (key: string) => KeyRedactors {
  const known = new Map<string, KeyRedactors>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const all = redactorOf([key]);
    const cut = cutRedactor(key);
    const ofAnswer = (text: string, isWhole: boolean): string => (isWhole ? all(text) : cut(text));
    const answer = looksRandom(key) ? ofAnswer : (text: string): string => text;
    const made: KeyRedactors = { facts: redactor(key), all, cut, answer, shown: streamRedactor(key) };
    const [oldest] = known.keys();
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
    known.set(key, made);
    return made;
  };
}
