import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { Liveness, ProcessIdentity } from '#protocol/process-identity.ts';
import { openClaims } from '#io/engine-lock/claim-folder.ts';
import type { ClaimFolder, FoundClaim, LockParts } from '#io/engine-lock/claim-folder.ts';
import type { Claim, LockOwner } from '#io/engine-lock/claim.ts';
import { judge } from '#io/engine-lock/judge.ts';
import { makePlace } from './make-place.ts';

/*
 * One engine a project, without a lock of the system's (network disks have none that can be relied on):
 *
 * 1. Claims are numbered without a gap; the highest counts. Number n + 1 is made, whole and exclusively (a hard link),
 *    only by who has read that claim n is released or its process dead.
 * 2. The highest claim is never removed: at the end it is replaced by one that says `released`.
 * 3. The owner removes lower claims, but says before that they are of the past (`past.json`). Who has made a claim reads that
 *    afterwards: a number below it was in use before and is taken back. So whoever keeps a claim is the first with its number.
 *
 * By 3 and 1 nobody makes n + 1 while the process of n lives and has not released it; so there is at most one owner, whatever
 * the order of the calls. It needs neither that a folder is listed in one instant, nor clocks that agree.
 */

export interface EngineLockParts extends LockParts {
  /** `.flow`, absolute. */
  readonly folder: string;
  readonly liveness: Liveness;
  /** Where the owner can be talked to. */
  readonly socket: string | null;
}

export type EngineLock =
  | {
      readonly ok: true;
      /** Throws the system's error; the claim then counts until this process ends, or this is called again. */
      release(): void;
      /** Of the claim, as `findOwner` tells it. */
      readonly id: string;
      /** Higher for every later owner. */
      readonly generation: number;
      /** The process that had it before, and died with it. */
      readonly tookOver: ProcessIdentity | null;
    }
  /** `other_host`: whether the owner lives can't be seen from here. */
  | { readonly ok: false; readonly owner: LockOwner; readonly why: 'alive' | 'other_host' };

/** Each try that comes to nothing means that another process made a step. */
const MOST_TRIES = 100;

/** More than all engines of a project will ever be, and counted without loss: whoever wrote a higher number was none. */
const HIGHEST = 1e12;

function checkCounted(place: string, generation: number): void {
  if (generation <= HIGHEST) return;
  const why = 'it counts more owners than there can have been';
  throw new RoboSmithError('io', `${place}: ${why}. Remove this folder while no engine runs`, { path: place });
}

/** The highest claim; `again`: it was of the past by the time that it was read. One that has gone otherwise was removed by hand. */
type Look =
  | { readonly kind: 'again'; readonly past: number }
  | { readonly kind: 'top'; readonly top: number; readonly found: FoundClaim; readonly numbers: readonly number[] };

function look(claims: ClaimFolder, known: number): Look {
  const numbers = claims.numbers();
  const top = Math.max(known, numbers.at(-1) ?? 0);
  const found: FoundClaim = top === 0 ? { kind: 'none' } : claims.read(top);
  const past = claims.past();
  return past > top ? { kind: 'again', past } : { kind: 'top', top, found, numbers };
}

/** Without an error of its own: there is one already. */
function withdraw(claims: ClaimFolder, n: number, mine: Claim): void {
  try {
    claims.release(n, mine);
  } catch {
    // It counts until this process ends.
  }
}

type Made = { readonly kind: 'owner' } | { readonly kind: 'again'; readonly past: number };

function claim(claims: ClaimFolder, n: number, mine: Claim): Made {
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

/** What stays is removed by the next owner. */
function tidy(claims: ClaimFolder, n: number, numbers: readonly number[]): void {
  try {
    claims.forgetBelow(
      n,
      numbers.filter((each) => each < n),
    );
  } catch {
    // A few small files more.
  }
}

export function acquireEngineLock(parts: EngineLockParts): EngineLock {
  const { liveness, newId, now, socket } = parts;
  const place = path.join(parts.folder, 'engine.lock');
  const before = makePlace(parts, place);
  if (!before.free) return { ok: false, owner: before.owner, why: before.why };
  const claims = openClaims(parts, place);
  const mine: Claim = { ...liveness.self, id: newId(), socket, since: now(), released: false };
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
      return { ok: true, id: mine.id, generation, tookOver, release: () => claims.release(generation, mine) };
    }
    known = made.past;
  }
  throw new RoboSmithError('io', `${place} changes all the time: too many processes start at once`, { path: place });
}
