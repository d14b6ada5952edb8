import { createHash } from 'node:crypto';
import path from 'node:path';
import { placeFile, readIfThere } from '#io/files/durable-file.ts';
import type { AgentCall, AgentConversation } from '#protocol/agent.ts';
import type { ConversationTotals } from '#logic/calls/since-total.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { parseJsonObject } from '#protocol/json.ts';

/** The place of stored conversations with agents: `.flow/agents/<hash>.json`, one file each. */
interface ConversationPlace {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly newId: () => string;
}

const fileOf = ({ folder }: ConversationPlace, conversation: string): string =>
  path.join(folder, 'agents', `${createHash('sha256').update(conversation).digest('hex').slice(0, 32)}.json`);

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

/**
 * A stored conversation. `totals` are the figures that the agent has reported for all calls so far. `open` describes its active call, so that the call can
 * be logged if the engine dies.
 */
export interface StoredConversation extends AgentConversation {
  readonly totals?: ConversationTotals;
  readonly open?: { readonly begun: AgentCall; readonly startedAt: number };
}

/**
 * Reads a stored conversation. Returns null if it does not exist or is damaged; the agent then starts a new
 * conversation.
 */
export function readConversation(place: ConversationPlace, conversation: string): StoredConversation | null {
  const bytes = readIfThere(place.calls, fileOf(place, conversation));
  const found = bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes));
  if (found === null) return null;
  const { agent, session, visit, seen, call, outcome } = found;
  const isWhole =
    found['conversation'] === conversation &&
    isText(agent) &&
    isText(call) &&
    [session, visit, outcome].every(isTextOrNull) &&
    Array.isArray(seen) &&
    seen.every(isText);
  return isWhole ? (found as unknown as StoredConversation) : null;
}

/**
 * Replaces the file atomically, without fsync: after a power loss the agent starts a new conversation. `redact` removes
 * keys from the prompt.
 */
export function writeConversation(
  place: ConversationPlace,
  talk: StoredConversation,
  redact: (text: string) => string,
): void {
  place.calls.makeFolder(path.join(place.folder, 'agents'));
  const text = `${redact(JSON.stringify(talk))}\n`;
  placeFile(place.calls, fileOf(place, talk.conversation), new TextEncoder().encode(text), place.newId());
}
