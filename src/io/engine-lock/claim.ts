import { parseJsonObject } from '#protocol/json.ts';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';

export interface LockOwner extends ProcessIdentity {
  /** The unique id of this claim. */
  readonly id: string;
  /** The address that the owner listens on, or null if it does not listen. */
  readonly socket: string | null;
  /** True if a command in the foreground owns the engine, which ends with its work. */
  readonly isCommand?: true;
  /** When the claim was made, in milliseconds since the epoch. */
  readonly since: number;
}

/** The content of `.flow/engine.lock/<n>.json`. */
export interface LockClaim extends LockOwner {
  readonly released: boolean;
}

export const encodeClaim = ({ released, ...claim }: LockClaim): Uint8Array =>
  Buffer.from(`${JSON.stringify({ version: 1, ...claim, ...(released ? { released } : {}) })}\n`);

/** Parses the content of a claim file; returns null if it is not a valid claim. */
export function decodeClaim(bytes: Uint8Array): LockClaim | null {
  const value = parseJsonObject(Buffer.from(bytes).toString());
  const who = value === null ? null : readIdentity(value);
  if (value === null || who === null) return null;
  const { id, socket, since, isCommand, released } = value;
  if (typeof id !== 'string' || typeof since !== 'number') return null;
  const owner = { ...who, id, since, socket: typeof socket === 'string' ? socket : null };
  return { ...owner, ...(isCommand === true ? { isCommand } : {}), released: released === true };
}
