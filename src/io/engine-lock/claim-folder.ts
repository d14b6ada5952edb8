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
import { parseJsonObject } from '#protocol/json.ts';
import { decodeClaim, encodeClaim, type LockClaim } from './claim.ts';

export interface LockParts {
  readonly calls: FileCalls;
  readonly newId: () => string;
  readonly now: () => number;
}

export type FoundClaim =
  | { readonly kind: 'none' }
  /** The file contains no valid claim. `age` is the time in milliseconds since the file's last change. */
  | { readonly kind: 'damaged'; readonly file: string; readonly age: number }
  | { readonly kind: 'claim'; readonly claim: LockClaim };

/** The folder `.flow/engine.lock/`: one numbered file for each claim to the engine. */
export interface ClaimFolder {
  /** Returns the numbers of all claims in ascending order. */
  numbers(): readonly number[];
  read(n: number): FoundClaim;
  create(n: number, claim: LockClaim): 'made' | 'taken';
  /**
   * Returns the number below which all claims are obsolete: they are removed, or will be removed soon. It never
   * decreases.
   */
  past(): number;
  /** Removes a claim that was created by mistake. */
  remove(n: number): void;
  /** Marks the stored claim as released; does nothing if the file holds another process's claim. */
  release(n: number, claim: LockClaim): void;
  /** Marks all claims below `n` as obsolete and removes them. Only the owner of claim `n` may call this. */
  forgetBelow(n: number, lower: readonly number[]): void;
}

/**
 * Reads a claim file. Claims are written atomically, so an unreadable one was damaged by a crash, or lies on a network
 * disk that shows the end of a new file late.
 */
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

/**
 * The age in milliseconds from which a temporary file counts as left behind by a dead process. A live process needs the
 * file only for milliseconds.
 */
const ABANDONED_MS = 3_600_000;

export function openClaims(parts: LockParts, folder: string): ClaimFolder {
  const { calls, newId, now } = parts;
  const fileOf = (n: number): string => path.join(folder, `${n}.json`);
  const pastFile = path.join(folder, 'past.json');

  const isMine = (n: number, { id }: LockClaim): boolean => {
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
      // NFS may report "exists" although the call succeeded, if the first reply was lost and the call was repeated.
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
