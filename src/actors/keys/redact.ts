import type { AttemptFacts } from '#protocol/ai-call.ts';

/**
 * The shortest text treated as a secret: shorter ones occur in ordinary words, for example `x` as the key of a local
 * server.
 */
const SHORTEST = 8;

/** The shortest part of a secret that is redacted at the end of a truncated body. */
const SHORTEST_PART = 6;

/** Redacts a secret that was cut off at the end of a truncated body, so that only its beginning is left. */
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

/** The response headers that are kept: others may contain cookies or account names. */
const KEPT_HEADERS =
  /^(?:location|retry-after|x-ms-retry-after|x-ratelimit|ratelimit|anthropic-ratelimit|request-id|x-request-id|content-type)/;

/** Redacts the secret in the facts of an attempt before anything else uses them. */
export function redactFacts(facts: AttemptFacts, secret: string, alias: string): AttemptFacts {
  const headers = Object.entries(facts.headers)
    .map(([name, value]) => [name.toLowerCase(), redact(value, secret, alias)] as const)
    .filter(([name]) => KEPT_HEADERS.test(name));
  return {
    ...facts,
    headers: Object.fromEntries(headers),
    body: redact(facts.body, secret, alias),
    error: redact(facts.error, secret, alias),
  };
}
