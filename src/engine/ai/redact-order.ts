import { redactorOf } from '#io/providers/redact.ts';
import type { AiRequest } from '#protocol/ai-call.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { KnownSecret } from '../keys/known-secrets.ts';

/** A secret in a prompt. */
export interface SecretInPrompt {
  /** The segment or file that contains it. */
  readonly where: string;
  /** The alias of the key; null for an unknown text that looks like a key. */
  readonly key: string | null;
}

interface RedactedOrder {
  readonly order: AiOrder;
  readonly found: readonly SecretInPrompt[];
}

/** Patterns of the keys of well-known vendors. */
const KEY_LIKE =
  /\b(?:sk-[A-Za-z0-9_-]{20,200}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|gh[pousr]_[A-Za-z0-9]{36,200}|github_pat_[A-Za-z0-9_]{50,200}|glpat-[A-Za-z0-9_-]{20,200}|xox[abprs]-[A-Za-z0-9-]{20,200}|hf_[A-Za-z0-9]{30,200})|-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY-----/;

type Redact = (text: string) => string;

function redactRequest(request: AiRequest, redact: Redact): AiRequest {
  const { instructions, messages, schema } = request;
  return {
    ...request,
    instructions: redact(instructions),
    messages: messages.map(({ role, content }) => ({ role, content: redact(content) })),
    schema: schema === null ? null : (JSON.parse(redact(JSON.stringify(schema))) as JsonObject),
  };
}

/**
 * Replaces known keys in everything that would be sent, and reports where keys and texts that look like keys were
 * found.
 */
export function redactOrder(order: AiOrder, secrets: readonly KnownSecret[]): RedactedOrder {
  const { request, prompt } = order;
  const redact = redactorOf(secrets.map(({ secret }) => secret));
  const parts = [
    ...prompt.segments.map(({ name, text }) => ({ where: name, text })),
    ...(request.schema === null
      ? []
      : [{ where: 'the JSON schema of the answer', text: JSON.stringify(request.schema) }]),
  ];
  const found = parts.flatMap(({ where, text }): readonly SecretInPrompt[] => {
    const clean = redact(text);
    const known = clean === text ? [] : secrets.filter(({ secret }) => redactorOf([secret])(text) !== text);
    const isKeyLike = KEY_LIKE.test(clean);
    return [...known.map(({ alias }) => ({ where, key: alias })), ...(isKeyLike ? [{ where, key: null }] : [])];
  });
  if (found.every(({ key }) => key === null)) return { order, found };
  const segments = prompt.segments.map((segment) => ({ ...segment, text: redact(segment.text) }));
  return { order: { ...order, request: redactRequest(request, redact), prompt: { ...prompt, segments } }, found };
}
