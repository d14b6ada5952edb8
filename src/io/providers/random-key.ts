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
