/** Anything shorter is no secret, and would be found in innocent words. */
const SHORTEST = 8;

const HIDDEN = '[key]';

type Redact = (text: string) => string;

function formsOf(secret: string): readonly string[] {
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), btoa(unescapeBytes(secret))];
  return [...new Set(forms)];
}

const unescapeBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** Providers repeat a part of a key in their errors (`sk-abcdefgh***wxyz`): runs of 8 characters that are in it go. */
function withoutParts(text: string, pieces: ReadonlySet<string>): string {
  let result = '';
  let from = 0;
  for (let at = 0; at + SHORTEST <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + SHORTEST))) continue;
    let end = at + SHORTEST;
    while (end < text.length && pieces.has(text.slice(end + 1 - SHORTEST, end + 1))) end += 1;
    // The end of a key that was masked in its middle.
    const masked = /^[*.…x•]{2,}[\w-]{0,8}/.exec(text.slice(end, end + 200))?.[0].length ?? 0;
    result += text.slice(from, at) + HIDDEN;
    from = end + masked;
    at = from - 1;
  }
  return result + text.slice(from);
}

/** Takes keys out of a text, whole and encoded. Quick: for all that is kept. */
export function redactorOf(secrets: readonly string[]): Redact {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
}

/** Takes a key out of what its provider says, parts of it as well (spec/workers.md "The key pool"). */
export function redactor(secret: string): Redact {
  if (secret.length < SHORTEST) return (text) => text;
  const whole = redactorOf([secret]);
  const pieces = new Set<string>();
  for (let at = 0; at + SHORTEST <= secret.length; at += 1) pieces.add(secret.slice(at, at + SHORTEST));
  return (text) => withoutParts(whole(text), pieces);
}
