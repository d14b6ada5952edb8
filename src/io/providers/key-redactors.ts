import { cutRedactor, redactor, redactorOf, type StreamRedactor, streamRedactor } from './redact.ts';

/** Matches the prefixes of vendors' keys, also used by compatible services. */
const VENDOR = /^(?:sk-|sk_|AIza|gsk_|xai-|hf_|pplx-|nvapi-|AKIA|ghp_|github_pat_|glpat-|tgp_|fw_|csk-|r8_)/;

const LONG = 16;

/** The minimum length of a key that is certainly not an ordinary word. */
const LONGEST_WORD = 32;

const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/] as const;

/**
 * Returns whether a key is a real secret, not a word that a local server accepts as one (`placeholder`, `not-needed`).
 * Such a word may also occur in legitimate answers.
 */
export function looksRandom(key: string): boolean {
  if (VENDOR.test(key) || key.length >= LONGEST_WORD) return true;
  return key.length >= LONG && KINDS.filter((kind) => kind.test(key)).length > 1;
}

export interface KeyRedactors {
  /** Redacts a provider's messages, which may quote a part of the key. */
  readonly facts: (text: string) => string;
  /** Redacts all other texts. */
  readonly all: (text: string) => string;
  /** Redacts an answer that broke off, possibly in the middle of the key. */
  readonly cut: (text: string) => string;
  /** Redacts the answer that the run uses, complete or broken off. A key that is an ordinary word is not removed. */
  readonly answer: (text: string, isWhole: boolean) => string;
  /** Creates a redactor for the text that is displayed while an answer arrives. */
  readonly shown: () => StreamRedactor;
}

/** The maximum number of keys whose redactors are cached, which is more than users have. */
const MOST = 256;

/**
 * Returns a function that gives the redactors of a key. They are cached, because creating them takes as long as
 * starting a call.
 */
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
