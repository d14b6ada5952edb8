import path from 'node:path';
import { type CarriedRun, packRun, type Place } from '#actors/journal/index.ts';
import { isObject, parseJsonObject } from '#protocol/json.ts';
import type { Session, SessionJob } from '#protocol/session.ts';

/** The content of `.robo/session.json`: everything needed to continue in another clone. */
export interface HeldSession {
  readonly session: Pick<
    Session,
    'id' | 'title' | 'baseBranch' | 'base' | 'plan' | 'job' | 'isDone' | 'priority' | 'branch'
  >;
  /** Its newest run; null if none has started. */
  readonly run: CarriedRun | null;
}

const VERSION = 1;

const moved = (job: SessionJob, move: (file: string) => string): SessionJob => ({
  ...job,
  manifest: move(job.manifest),
  script: job.script === null ? null : move(job.script),
});

/**
 * Returns the job with its paths resolved in this clone. A path outside of the clone is resolved as well, although its
 * file probably doesn't exist here.
 */
export const jobHere = ({ session: { job } }: HeldSession, root: string): SessionJob | null =>
  job === null ? null : moved(job, (file) => path.resolve(root, file));

/**
 * Serializes a session. `root`: paths are stored relative to it, since other clones have other folders. `seal`: the
 * seal of this clone.
 */
export function heldText(session: Session, place: Place, root: string, seal: (held: HeldSession) => string): string {
  const { id, title, baseBranch, base, plan, isDone, priority, branch, runs } = session;
  const job = session.job === null ? null : moved(session.job, (file) => path.relative(root, file));
  const newest = runs.at(-1);
  const held: HeldSession = {
    session: { id, title, baseBranch, base, plan, job, isDone, priority, branch },
    run: newest === undefined ? null : packRun(place, newest),
  };
  return `${JSON.stringify({ version: VERSION, ...held, seal: seal(held) }, null, 1)}\n`;
}

/** Returns whether the clone that owns this seal wrote the text, and the text was not changed since. */
export function isSealedBy(text: string, held: HeldSession, seal: (held: HeldSession) => string): boolean {
  return parseJsonObject(text)?.['seal'] === seal({ session: held.session, run: held.run });
}

/** Parses text from a branch, which may have been written by anybody. Returns a message if it is invalid. */
export function readHeldText(text: string): HeldSession | string {
  const kept = parseJsonObject(text);
  if (kept === null) return 'it is not a JSON object';
  if (kept['version'] !== VERSION) return `its version is ${JSON.stringify(kept['version'])}, not ${String(VERSION)}`;
  const { session, run } = kept;
  const isSession = isObject(session) && typeof session['id'] === 'string' && typeof session['title'] === 'string';
  const isRun = run === null || (isObject(run) && typeof run['run'] === 'string' && Array.isArray(run['entries']));
  return isSession && isRun ? (kept as unknown as HeldSession) : 'it contains no session';
}
