import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { Liveness, ProcessIdentity } from '#protocol/process-identity.ts';
import { openClaims } from '#io/engine-lock/claim-folder.ts';
import type { ClaimFolder, FoundClaim, LockParts } from '#io/engine-lock/claim-folder.ts';
import type { LockClaim, LockOwner } from '#io/engine-lock/claim.ts';
import { judge } from '#io/engine-lock/judge.ts';
import { makePlace } from './make-place.ts';

/*
 * Acquires the lock of one engine per project, without a system lock, since network disks have no reliable one.
 *
 * 1. Claims are numbered without gaps; the highest counts. Claim n + 1 is created atomically and exclusively (a hard link), only by a process that has read that claim n is released or its process dead.
 * 2. The highest claim is never removed: at the end it is replaced by one that says `released`.
 * 3. The owner removes lower claims, but first records them as past (`past.json`). A process that has created a claim reads that record afterwards, and withdraws a number that was in use before. So the holder of a claim is the first with its number.
 *
 * By 3 and 1, nobody creates n + 1 while the process of n lives and has not released it. So there is at most one owner in any order of the calls. Neither atomic folder listings nor synchronised clocks are needed.
 */

export interface EngineLockParts extends LockParts {
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly liveness: Liveness;
  /** The address of the owner's socket. */
  readonly socket: string | null;
  /** True if a command in the foreground owns the engine. */
  readonly isCommand?: boolean;
}

export type EngineLock =
  | {
      readonly ok: true;
      /**
       * Releases the lock. Throws the system's error on failure; the claim then stays in force until this process ends
       * or a later call succeeds.
       */
      release(): void;
      /**
       * Returns whether the claim is still where it was made. It is not after its folder was removed, moved with the
       * project or replaced: another process may own the engine then.
       */
      isHeld(): boolean;
      /** The claim's id, as `findOwner` returns it. */
      readonly id: string;
      /** A number that is higher for every later owner. */
      readonly generation: number;
      /** The previous owner, if it died while it held the lock; null if the lock was released. */
      readonly tookOver: ProcessIdentity | null;
    }
  /** `other_host`: the owner runs on another host, so this process can't tell whether it is alive. */
  | { readonly ok: false; readonly owner: LockOwner; readonly why: 'alive' | 'other_host' };

/** The maximum number of tries; each failed try means that another process made progress. */
const MOST_TRIES = 100;

/** The highest claim number accepted, more than any project will reach. */
const HIGHEST = 1e12;

function checkCounted(place: string, generation: number): void {
  if (generation <= HIGHEST) return;
  const why = 'its owner number is impossibly high, so it is damaged';
  throw new RoboSmithError('io', `${place}: ${why}. Remove this folder while no engine runs`, { path: place });
}

/**
 * The result of reading the highest claim. `again`: a later owner has meanwhile recorded this claim as past, so the
 * highest claim must be read again. A claim that is missing for another reason was removed by hand.
 */
type TopClaim =
  | { readonly kind: 'again'; readonly past: number }
  | { readonly kind: 'top'; readonly top: number; readonly found: FoundClaim; readonly numbers: readonly number[] };

function look(claims: ClaimFolder, known: number): TopClaim {
  const numbers = claims.numbers();
  const top = Math.max(known, numbers.at(-1) ?? 0);
  const found: FoundClaim = top === 0 ? { kind: 'none' } : claims.read(top);
  const past = claims.past();
  return past > top ? { kind: 'again', past } : { kind: 'top', top, found, numbers };
}

/** Withdraws a claim and ignores errors, because the caller already reports an error. */
function withdraw(claims: ClaimFolder, n: number, mine: LockClaim): void {
  try {
    claims.release(n, mine);
  } catch {
    // The claim counts until this process ends.
  }
}

type ClaimOutcome = { readonly kind: 'owner' } | { readonly kind: 'again'; readonly past: number };

function claim(claims: ClaimFolder, n: number, mine: LockClaim): ClaimOutcome {
  try {
    if (claims.create(n, mine) === 'taken') return { kind: 'again', past: 0 };
    const past = claims.past();
    if (past <= n) return { kind: 'owner' };
    claims.remove(n);
    return { kind: 'again', past };
  } catch (thrown) {
    withdraw(claims, n, mine);
    throw thrown;
  }
}

/** Returns false only if the claim is certainly gone: a disk that can't be read for a moment changes nothing. */
function isClaimed(claims: ClaimFolder, n: number, { id }: LockClaim): boolean {
  try {
    const found = claims.read(n);
    return found.kind === 'damaged' || (found.kind === 'claim' && found.claim.id === id);
  } catch {
    return true;
  }
}

/** Removes lower claims. Claims that can't be removed are left to the next owner. */
function tidy(claims: ClaimFolder, n: number, numbers: readonly number[]): void {
  try {
    claims.forgetBelow(
      n,
      numbers.filter((each) => each < n),
    );
  } catch {
    // The folder then contains a few more small files, which do no harm.
  }
}

export function acquireEngineLock(parts: EngineLockParts): EngineLock {
  const { liveness, newId, now, socket, isCommand = false } = parts;
  const place = path.join(parts.folder, 'engine.lock');
  const before = makePlace(parts, place);
  if (!before.free) return { ok: false, owner: before.owner, why: before.why };
  const claims = openClaims(parts, place);
  const owner = { ...liveness.self, id: newId(), socket, since: now() };
  const mine: LockClaim = { ...owner, ...(isCommand ? { isCommand } : {}), released: false };
  let known = 0;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = look(claims, known);
    if (seen.kind === 'again') {
      known = seen.past;
      continue;
    }
    const verdict = judge(seen.found, liveness);
    if (!verdict.free) return { ok: false, owner: verdict.owner, why: verdict.why };
    const generation = seen.top + 1;
    checkCounted(place, generation);
    const made = claim(claims, generation, mine);
    if (made.kind === 'owner') {
      tidy(claims, generation, seen.numbers);
      const tookOver = verdict.tookOver ?? before.tookOver;
      return {
        ok: true,
        id: mine.id,
        generation,
        tookOver,
        release: () => claims.release(generation, mine),
        isHeld: () => isClaimed(claims, generation, mine),
      };
    }
    known = made.past;
  }
  throw new RoboSmithError('io', `${place} keeps changing, because too many processes start at once. Try again`, {
    path: place,
  });
}
