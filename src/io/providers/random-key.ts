/** Of vendors, and of who took their form over. */
const VENDOR = /^(?:sk-|sk_|AIza|gsk_|xai-|hf_|pplx-|nvapi-|AKIA|ghp_|github_pat_|glpat-|tgp_|fw_|csk-|r8_)/;

const LONG = 16;
/** No word is so long. */
const LONGEST_WORD = 32;

const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/] as const;

/** Is it a secret, or the word that a local server is given for one (`placeholder`, `not-needed`)? Such a word stands in good answers too. */
export function looksRandom(key: string): boolean {
  if (VENDOR.test(key) || key.length >= LONGEST_WORD) return true;
  return key.length >= LONG && KINDS.filter((kind) => kind.test(key)).length > 1;
}
