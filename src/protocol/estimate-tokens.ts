/** ASCII characters per token; a conservative estimate for prose and code. */
const ASCII_TO_A_TOKEN = 3.6;

/** Tokens per UTF-16 unit of non-ASCII text. */
const TOKENS_OF_ANOTHER = 1.2;

/** Estimates the number of tokens of a text. The estimate is more often too high than too low. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return Math.ceil((text.length - others) / ASCII_TO_A_TOKEN + others * TOKENS_OF_ANOTHER);
}
