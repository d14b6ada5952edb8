import path from 'node:path';
import { readIfThere } from '#io/files/durable-file.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { KeyPlaces } from '../keys/load-keys.ts';
import type { SecretInPrompt } from './redact-order.ts';

/** The file with the user's own rules about what may be sent. A project can't change it. */
const FILE = 'outgoing.json';

const unreadable = (file: string, why: string): RoboSmithError =>
  new RoboSmithError('precondition_failed', `${file} ${why}, so nothing was sent. Correct the file or remove it.`);

function refusesUnknown({ calls, folder }: KeyPlaces): boolean {
  const file = path.join(folder, FILE);
  const bytes = readIfThere(calls, file);
  if (bytes === null) return false;
  const settings = parseJsonObject(new TextDecoder().decode(bytes));
  if (settings === null) throw unreadable(file, 'is not a JSON object');
  const { unknown_keys: unknown = 'warn' } = settings;
  if (unknown !== 'warn' && unknown !== 'refuse') throw unreadable(file, '"unknown_keys" must be "warn" or "refuse"');
  return unknown === 'refuse';
}

/** Throws `precondition_failed` if the user forbids texts that look like keys, and the prompt has one. */
export function checkMaySend(found: readonly SecretInPrompt[], { request }: AiOrder, places: KeyPlaces): void {
  const unknown = found.find(({ key }) => key === null);
  if (unknown === undefined || !refusesUnknown(places)) return;
  const message = `Nothing was sent to ${request.model}: a text in ${unknown.where} looks like a key, and your ${FILE} refuses such prompts. Remove that text, or set "unknown_keys" to "warn" there.`;
  throw new RoboSmithError('precondition_failed', message);
}
