/** Characters of a token, on the safe side for prose and code. */
const ASCII_TO_A_TOKEN = 3.6;

/** Of other scripts, a token and a bit for each UTF-16 unit. */
const TOKENS_OF_ANOTHER = 1.2;

/** How many tokens a text is, about; rather too many than too few. What a provider counts is the truth. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return Math.ceil((text.length - others) / ASCII_TO_A_TOKEN + others * TOKENS_OF_ANOTHER);
}
