import type { AttemptFacts } from '#protocol/ai-call.ts';

/** Anything shorter is no secret, and stands in innocent words: a server of one's own is given `x` for a key. */
const SHORTEST = 8;

/** Shorter ends of a cut body are no secret, and could be anything. */
const SHORTEST_PART = 6;

/** A body that was cut off may end within the secret. */
function withoutCutEnd(text: string, secret: string, mark: string): string {
  const start = secret.slice(0, SHORTEST_PART);
  const at = text.lastIndexOf(start);
  return at >= 0 && secret.startsWith(text.slice(at)) ? text.slice(0, at) + mark : text;
}

export function redact(text: string, secret: string, alias: string): string {
  if (text === '' || secret.length < SHORTEST) return text;
  const mark = `[key ${alias}]`;
  const forms = new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form, mark);
  return withoutCutEnd(clean, secret, mark);
}

/** Of the headers only those that say how it went: others may hold cookies and accounts. */
const TELLING =
  /^(?:retry-after|x-ms-retry-after|x-ratelimit|ratelimit|anthropic-ratelimit|request-id|x-request-id|content-type)/;

/** Before anything looks at them, so that nothing that is made of them can hold the secret. */
export function redactFacts(facts: AttemptFacts, secret: string, alias: string): AttemptFacts {
  const headers = Object.entries(facts.headers)
    .map(([name, value]) => [name.toLowerCase(), redact(value, secret, alias)] as const)
    .filter(([name]) => TELLING.test(name));
  return {
    ...facts,
    headers: Object.fromEntries(headers),
    body: redact(facts.body, secret, alias),
    error: redact(facts.error, secret, alias),
  };
}
