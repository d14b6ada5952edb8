import path from 'node:path';
import {
  createFile,
  listIfThere,
  readIfThere,
  removeIfThere,
  replaceFile,
  statIfThere,
} from '../files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import { decodeClaim, encodeClaim } from './claim.ts';
import type { Claim } from './claim.ts';

export interface LockParts {
  readonly calls: FileCalls;
  readonly newId: () => string;
  readonly now: () => number;
}

export type FoundClaim =
  | { readonly kind: 'none' }
  /** No claim can be read in it. `age` in milliseconds. */
  | { readonly kind: 'damaged'; readonly file: string; readonly age: number }
  | { readonly kind: 'claim'; readonly claim: Claim };

/** `.flow/engine.lock/`: a file for each claim, numbered. */
export interface ClaimFolder {
  /** Ascending. */
  numbers(): readonly number[];
  read(n: number): FoundClaim;
  create(n: number, claim: Claim): 'made' | 'taken';
  /** Claims below this number are of the past: removed, or about to be. Never falls. */
  past(): number;
  /** Takes a claim back that was made by mistake. */
  remove(n: number): void;
  /** What is kept of a claim says from now on that it is released; nothing is done where somebody else's is kept. */
  release(n: number, claim: Claim): void;
  /** For the owner of `n` only. */
  forgetBelow(n: number, lower: readonly number[]): void;
}

/** A claim can't be half written. So one that can't be read is damage, most likely of a crash; or of a network disk, that shows the end of a file late. */
export function readClaim({ calls, now }: LockParts, file: string): FoundClaim {
  const bytes = readIfThere(calls, file);
  if (bytes === null) return { kind: 'none' };
  const claim = decodeClaim(bytes);
  if (claim !== null) return { kind: 'claim', claim };
  const found = statIfThere(calls, file);
  return found === null ? { kind: 'none' } : { kind: 'damaged', file, age: Math.abs(now() - found.modifiedAt) };
}

const CLAIM = /^([1-9]\d{0,14})\.json$/;
const TEMPORARY = /\.tmp$/;

/** A temporary file of this age is a dead process's: a live one needs milliseconds. */
const ABANDONED_MS = 3_600_000;

export function openClaims(parts: LockParts, folder: string): ClaimFolder {
  const { calls, newId, now } = parts;
  const fileOf = (n: number): string => path.join(folder, `${n}.json`);
  const pastFile = path.join(folder, 'past.json');

  const isMine = (n: number, { id }: Claim): boolean => {
    const found = readClaim(parts, fileOf(n));
    return found.kind === 'claim' && found.claim.id === id;
  };

  const removeAbandoned = (): void => {
    for (const name of listIfThere(calls, folder)) {
      if (!TEMPORARY.test(name)) continue;
      const file = path.join(folder, name);
      const found = statIfThere(calls, file);
      if (found !== null && now() - found.modifiedAt > ABANDONED_MS) removeIfThere(calls, file);
    }
  };

  return {
    numbers: () =>
      listIfThere(calls, folder)
        .map((name) => Number(CLAIM.exec(name)?.[1] ?? 0))
        .filter((n) => n > 0)
        .sort((a, b) => a - b),
    read: (n) => readClaim(parts, fileOf(n)),
    create: (n, claim) => {
      const created = createFile(calls, fileOf(n), encodeClaim(claim), newId());
      // NFS may say that the name is taken when the answer to the first call was lost.
      return created === 'made' || isMine(n, claim) ? 'made' : 'taken';
    },
    past: () => {
      const bytes = readIfThere(calls, pastFile);
      const below = bytes === null ? 0 : parseJsonObject(Buffer.from(bytes).toString())?.['below'];
      return typeof below === 'number' && Number.isSafeInteger(below) ? below : 0;
    },
    remove: (n) => removeIfThere(calls, fileOf(n)),
    release: (n, claim) => {
      if (isMine(n, claim)) replaceFile(calls, fileOf(n), encodeClaim({ ...claim, released: true }), newId());
    },
    forgetBelow: (n, lower) => {
      if (lower.length === 0) return;
      replaceFile(calls, pastFile, Buffer.from(`${JSON.stringify({ version: 1, below: n })}\n`), newId());
      for (const each of lower) removeIfThere(calls, fileOf(each));
      removeAbandoned();
    },
  };
}
