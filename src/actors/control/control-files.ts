import path from 'node:path';
import type { ControlAnswer, ControlRequest } from '#protocol/control.ts';
import { CONTROL_VERBS } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';
import { isObject } from '#protocol/json.ts';
import { parseJsonObject } from '#protocol/json-object.ts';

export const controlFolder = (flow: string): string => path.join(flow, 'control');

export const requestName = (id: string): string => `${id}.json`;
export const answerName = (id: string): string => `${id}.done.json`;

const REQUEST = /^([0-9A-Za-z_-]{1,64})\.json$/;
const ANSWER = /^[0-9A-Za-z_-]{1,64}\.done\.json$/;
const TEMPORARY = /\.tmp$/;

/** The kind of a file in the folder, by its name; unknown names are garbage. */
type FileKind = 'request' | 'answer' | 'temporary' | 'garbage';

export function kindOf(name: string): FileKind {
  if (TEMPORARY.test(name)) return 'temporary';
  if (ANSWER.test(name)) return 'answer';
  return REQUEST.test(name) ? 'request' : 'garbage';
}

/** Reads a request. Returns null if the content is not a request, or not the one that the file is named after. */
export function decodeRequest(name: string, bytes: Uint8Array): ControlRequest | null {
  const { id, run, verb, at, by, edit, pid } = parseJsonObject(Buffer.from(bytes).toString()) ?? {};
  if (typeof id !== 'string' || requestName(id) !== name) return null;
  if (typeof at !== 'number' || typeof by !== 'string') return null;
  if (verb === 'plan' && isObject(edit) && typeof pid === 'number') return { id, verb, edit, pid, at, by };
  const known = CONTROL_VERBS.find((one) => one === verb);
  return known === undefined || typeof run !== 'string' ? null : { id, run: run as RunId, verb: known, at, by };
}

export function decodeAnswer(bytes: Uint8Array): ControlAnswer | null {
  const { accepted, message, result } = parseJsonObject(Buffer.from(bytes).toString()) ?? {};
  if (typeof accepted !== 'boolean' || typeof message !== 'string') return null;
  return { accepted, message, ...(isObject(result) ? { result } : {}) };
}

export const encode = (value: ControlRequest | ControlAnswer): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`);
