import { createHash } from 'node:crypto';
import path from 'node:path';
import { placeFile, readIfThere } from '#io/files/durable-file.ts';
import type { AgentCall, AgentTalk } from '#protocol/agent.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { parseJsonObject } from '#protocol/json-object.ts';

/** Where conversations with agents are remembered: `.flow/agents/<hash>.json`, one each. */
export interface TalkPlace {
  readonly calls: FileCalls;
  /** `.flow`, absolute. */
  readonly folder: string;
  readonly newId: () => string;
}

const fileOf = ({ folder }: TalkPlace, conversation: string): string =>
  path.join(folder, 'agents', `${createHash('sha256').update(conversation).digest('hex').slice(0, 32)}.json`);

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

/** With what the log must have of a call that is under way, should its engine die. */
export interface KeptTalk extends AgentTalk {
  readonly open?: { readonly begun: AgentCall; readonly startedAt: number };
}

/** Null: there is none, or what is there is damaged, and the agent begins anew. */
export function readTalk(place: TalkPlace, conversation: string): KeptTalk | null {
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
  return isWhole ? (found as unknown as KeptTalk) : null;
}

/** Whole or not at all; not synced: what a power cut takes away begins anew. `redact`: a key can stand in a prompt. */
export function keepTalk(place: TalkPlace, talk: KeptTalk, redact: (text: string) => string): void {
  place.calls.makeFolder(path.join(place.folder, 'agents'));
  const text = `${redact(JSON.stringify(talk))}\n`;
  placeFile(place.calls, fileOf(place, talk.conversation), new TextEncoder().encode(text), place.newId());
}
