import path from 'node:path';
import { readIfThere, replaceFile, writeFully } from '#io/files/durable-file.ts';
import type { Cost, Ledger, Spent } from '#logic/keys/ledger.ts';
import { NOTHING_SPENT } from '#logic/keys/ledger.ts';
import type { Standing } from '#logic/keys/key-state.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import { type PoolLine, readPoolLines } from './pool-lines.ts';

interface PoolFileParts {
  readonly calls: FileCalls;
  /** The absolute path of `.flow/key-pool.jsonl`. */
  readonly file: string;
  readonly newId: () => string;
  readonly now: () => number;
  readonly report: (message: string) => void;
}

/** The state that the previous process stored. */
interface StoredPoolState {
  readonly standings: ReadonlyMap<string, Standing>;
  readonly disabled: ReadonlySet<string>;
  /** Fingerprints of the secrets, by alias. */
  readonly prints: ReadonlyMap<string, string>;
  readonly spent: ReadonlyMap<string, Spent>;
}

type Stands = Extract<PoolLine, { readonly kind: 'stands' }>;

interface Memory {
  readonly standings: Map<string, Stands>;
  readonly disabled: Set<string>;
  readonly prints: Map<string, string>;
  readonly spent: Map<string, { readonly at: number; readonly sum: Spent }>;
  readonly begun: Map<number, Extract<PoolLine, { readonly kind: 'begun' }>>;
}

/** The age at which the spending of a run is forgotten. */
const FORGOTTEN_MS = 90 * 86_400_000;
const FULL_BYTES = 1024 * 1024;

const plus = (one: Spent, cost: Cost): Spent => ({
  microUsd: one.microUsd + (cost.microUsd ?? 0),
  tokens: one.tokens + cost.tokens,
  requests: one.requests + 1,
  unpriced: one.unpriced + (cost.microUsd === null ? 1 : 0),
});

function charge({ spent }: Memory, accounts: readonly string[], at: number, cost: Cost): void {
  for (const account of accounts) spent.set(account, { at, sum: plus(spent.get(account)?.sum ?? NOTHING_SPENT, cost) });
}

function remember(memory: Memory, line: PoolLine): void {
  switch (line.kind) {
    case 'stands':
      memory.standings.set(line.gate, line);
      return;
    case 'disabled':
      if (line.is) memory.disabled.add(line.key);
      else memory.disabled.delete(line.key);
      return;
    case 'secret':
      memory.prints.set(line.key, line.print);
      return;
    case 'spent':
      memory.spent.set(line.account, { at: line.at, sum: line.sum });
      return;
    case 'begun':
      memory.begun.set(line.lease, line);
      return;
    case 'progress': {
      const begun = memory.begun.get(line.lease);
      if (begun !== undefined) memory.begun.set(line.lease, { ...begun, cost: line.cost });
      return;
    }
    case 'ended': {
      const begun = memory.begun.get(line.lease);
      memory.begun.delete(line.lease);
      if (begun !== undefined && line.cost !== null) charge(memory, begun.accounts, begun.at, line.cost);
    }
  }
}

function* linesOf({ standings, disabled, prints, spent, begun }: Memory, now: number): Generator<PoolLine> {
  for (const line of standings.values())
    if (line.standing.state !== 'healthy' || !line.gate.startsWith('model:')) yield line;
  for (const key of disabled) yield { kind: 'disabled', key, is: true };
  for (const [key, print] of prints) yield { kind: 'secret', key, print };
  for (const [account, { at, sum }] of spent) if (now - at < FORGOTTEN_MS) yield { kind: 'spent', account, at, sum };
  yield* begun.values();
}

/** Corrects times in the future, which were written before the clock was set back: the remaining pause starts now. */
function inTime(line: PoolLine, now: number): PoolLine {
  if (line.kind !== 'stands' || line.at <= now) return line;
  const { standing, at } = line;
  return { ...line, at: now, standing: { ...standing, until: Math.max(0, standing.until - (at - now)) } };
}

const encode = (lines: Iterable<PoolLine>): Buffer =>
  Buffer.from(Array.from(lines, (line) => `${JSON.stringify(line)}\n`).join(''));

/**
 * Opens `.flow/key-pool.jsonl`: states of keys and spending, one line per change, without secrets. Lines are written
 * without a sync: a killed process loses nothing, a power loss the last seconds. A call that began and did not end is
 * charged with its input and the output that had arrived. File errors are reported, and the pool keeps running.
 */
export function openPoolFile({ calls, file, newId, now, report }: PoolFileParts) {
  const memory: Memory = {
    standings: new Map(),
    disabled: new Set(),
    prints: new Map(),
    spent: new Map(),
    begun: new Map(),
  };
  let descriptor: number | null = null;
  let size = 0;
  let torn = false;
  let isReported = false;

  const attempt = (what: string, call: () => void): void => {
    try {
      call();
    } catch (thrown) {
      torn = true;
      if (!isReported) report(`${path.basename(file)} can't be ${what}: ${messageOf(thrown)}`);
      isReported = true;
    }
  };

  const read = (): void => {
    const bytes = readIfThere(calls, file);
    if (bytes === null) return;
    const { lines, unreadable } = readPoolLines(Buffer.from(bytes).toString());
    for (const line of lines) remember(memory, inTime(line, now()));
    if (unreadable > 0) report(`${path.basename(file)}: ${unreadable} unreadable lines were skipped`);
    for (const { accounts, at, cost } of memory.begun.values()) charge(memory, accounts, at, cost);
    memory.begun.clear();
  };

  const close = (): void => {
    if (descriptor !== null) calls.close(descriptor);
    descriptor = null;
  };

  const compact = (): void => {
    close();
    const bytes = encode(linesOf(memory, now()));
    calls.makeFolder(path.dirname(file));
    replaceFile(calls, file, bytes, newId());
    descriptor = calls.open(file, 'a');
    size = bytes.length;
    torn = false;
  };

  const note = (line: PoolLine): void => {
    remember(memory, line);
    attempt('written', () => {
      if (descriptor === null || size > FULL_BYTES || torn) return compact();
      const bytes = encode([line]);
      writeFully(calls, descriptor, bytes);
      size += bytes.length;
    });
  };

  attempt('read', read);
  const { standings, disabled, prints } = memory;
  const spent = new Map(Array.from(memory.spent, ([account, { sum }]) => [account, sum] as const));
  const remembered: StoredPoolState = {
    standings: new Map(Array.from(standings, ([gate, { standing }]) => [gate, standing] as const)),
    disabled: new Set(disabled),
    prints: new Map(prints),
    spent,
  };
  return { remembered, note, close: () => attempt('closed', close) };
}

export type PoolFile = ReturnType<typeof openPoolFile>;

export function restoreLedger(ledger: Ledger, { spent }: StoredPoolState): void {
  for (const [account, sum] of spent) ledger.spent.set(account, sum);
}
