import type { Cost, Spent } from '#logic/keys/ledger.ts';
import type { Standing } from '#logic/keys/key-state.ts';
import { FAILURE_CLASSES } from '#protocol/failure-class.ts';
import { parseJsonObject } from '#protocol/json.ts';

export type PoolLine =
  | { readonly kind: 'stands'; readonly gate: string; readonly standing: Standing; readonly at: number }
  | { readonly kind: 'disabled'; readonly key: string; readonly is: boolean }
  /** A fingerprint of the secret, from which only a change of the secret can be recognised. */
  | { readonly kind: 'secret'; readonly key: string; readonly print: string }
  | { readonly kind: 'spent'; readonly account: string; readonly at: number; readonly sum: Spent }
  | {
      readonly kind: 'begun';
      readonly lease: number;
      readonly at: number;
      readonly accounts: readonly string[];
      readonly cost: Cost;
    }
  /** What an attempt has cost so far, at least. */
  | { readonly kind: 'progress'; readonly lease: number; readonly cost: Cost }
  | { readonly kind: 'ended'; readonly lease: number; readonly cost: Cost | null };

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const STATES: readonly unknown[] = ['healthy', 'cooling', 'exhausted', 'invalid'] satisfies Standing['state'][];

/** Reads the state of a key; null if the value is not a valid state. */
export function standingOf(value: unknown): Standing | null {
  const { state, until, level, epoch, why, said } = fieldsOf(value);
  if (!STATES.includes(state) || !isCount(until) || !isCount(level) || !isCount(epoch)) return null;
  const known = FAILURE_CLASSES.find((name) => name === why) ?? null;
  // No probe is in progress, because the call that probed the key ended with the previous process.
  return {
    state: state as Standing['state'],
    until,
    level,
    epoch,
    probe: null,
    why: known,
    said: typeof said === 'string' ? said : '',
  };
}

function costOf(value: unknown): Cost | null {
  const { microUsd, tokens } = fieldsOf(value);
  return isCount(tokens) && (microUsd === null || isCount(microUsd)) ? { microUsd, tokens } : null;
}

function spentOf(value: unknown): Spent | null {
  const { microUsd, tokens, requests, unpriced } = fieldsOf(value);
  const whole = isCount(microUsd) && isCount(tokens) && isCount(requests) && isCount(unpriced);
  return whole ? { microUsd, tokens, requests, unpriced } : null;
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function lineOf(fields: Fields): PoolLine | null {
  const { kind, gate, key, is, account, at, lease, accounts, print } = fields;
  const standing = standingOf(fields['standing']);
  const sum = spentOf(fields['sum']);
  const cost = costOf(fields['cost']);
  if (kind === 'stands' && typeof gate === 'string' && standing !== null)
    return { kind, gate, standing, at: isCount(at) ? at : 0 };
  if (kind === 'disabled' && typeof key === 'string' && typeof is === 'boolean') return { kind, key, is };
  if (kind === 'secret' && typeof key === 'string' && typeof print === 'string') return { kind, key, print };
  if (kind === 'spent' && typeof account === 'string' && isCount(at) && sum !== null) return { kind, account, at, sum };
  if (kind === 'begun' && isCount(lease) && isCount(at) && isNames(accounts) && cost !== null)
    return { kind, lease, at, accounts, cost };
  if (kind === 'progress' && isCount(lease) && cost !== null) return { kind, lease, cost };
  if (kind === 'ended' && isCount(lease) && (cost !== null || fields['cost'] === null)) return { kind, lease, cost };
  return null;
}

/**
 * Reads the lines of the file. Torn or damaged lines are skipped: the next answer of a provider restores their
 * information.
 */
export function readPoolLines(text: string): { readonly lines: readonly PoolLine[]; readonly unreadable: number } {
  const written = text.split('\n').filter((line) => line !== '');
  const lines = written.flatMap((line) => {
    const fields = parseJsonObject(line);
    return (fields === null ? null : lineOf(fields)) ?? [];
  });
  return { lines, unreadable: written.length - lines.length };
}
