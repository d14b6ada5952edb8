import { withoutSequences } from '#protocol/plain-text.ts';
import type { Start } from '#protocol/run.ts';

/** The maximum number of characters of a title that is taken from an input. */
const LONGEST = 60;

/** Returns the values of declared inputs, one per line. An input that is not a JSON object is returned unchanged. */
function textOf(input: string): string {
  if (!input.startsWith('{')) return input;
  try {
    return Object.values(JSON.parse(input) as object)
      .map(String)
      .join('\n');
  } catch {
    return input;
  }
}

/**
 * Returns the first line of a run's input without Markdown markup, or the name of the run's start if there is no input.
 */
export function sessionTitle({ input, start }: { readonly input: string | null; readonly start: Start }): string {
  const lines = withoutSequences(textOf(input ?? '')).split(/\r?\n/);
  const texts = lines.map((line) =>
    line
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
      .replace(/^[\s#>*-]+/, '')
      .trim(),
  );
  const first = texts.find((text) => /[\p{L}\p{N}]/u.test(text));
  if (first === undefined) return 'node' in start ? start.node : start.block;
  if (first.length <= LONGEST) return first;
  const cut = first.slice(0, LONGEST);
  const end = cut.lastIndexOf(' ');
  return `${(end > LONGEST / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}
