import { parseJsonObject } from '#protocol/json-object.ts';
import { readIdentity } from '#protocol/process-identity.ts';
import type { ProcessIdentity } from '#protocol/process-identity.ts';

export interface LockOwner extends ProcessIdentity {
  /** No two claims have the same. */
  readonly id: string;
  /** Where it can be talked to; null where it listens nowhere. */
  readonly socket: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** What `.flow/engine.lock/<n>.json` says. */
export interface Claim extends LockOwner {
  readonly released: boolean;
}

export const encodeClaim = ({ released, ...claim }: Claim): Uint8Array =>
  Buffer.from(`${JSON.stringify({ version: 1, ...claim, ...(released ? { released } : {}) })}\n`);

/** Null when it is none. */
export function decodeClaim(bytes: Uint8Array): Claim | null {
  const value = parseJsonObject(Buffer.from(bytes).toString());
  const who = value === null ? null : readIdentity(value);
  if (value === null || who === null) return null;
  const { id, socket, since, released } = value;
  if (typeof id !== 'string' || typeof since !== 'number') return null;
  return { ...who, id, since, socket: typeof socket === 'string' ? socket : null, released: released === true };
}
