import path from 'node:path';
import { type CarriedRun, packRun, type Place } from '#actors/journal/index.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import type { Session, SessionJob } from '#protocol/session.ts';

/** What `.robo/session.json` holds: enough to go on in another clone (seed 004 §3.3.3). */
export interface HeldSession {
  readonly session: Pick<
    Session,
    'id' | 'title' | 'baseBranch' | 'base' | 'plan' | 'job' | 'isDone' | 'priority' | 'branch'
  >;
  /** Its newest run; null: none has begun. */
  readonly run: CarriedRun | null;
}

const VERSION = 1;

const moved = (job: SessionJob, move: (file: string) => string): SessionJob => ({
  ...job,
  manifest: move(job.manifest),
  script: job.script === null ? null : move(job.script),
});

/** Its paths as they are in this clone; one that leads out of it stays what it was, and is not found. */
export const jobHere = ({ session: { job } }: HeldSession, root: string): SessionJob | null =>
  job === null ? null : moved(job, (file) => path.resolve(root, file));

/** `root`: its paths are told from there, since another clone lies elsewhere. `seal`: the mark of this clone. */
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

/** Whether the clone of this seal has written the text, and nobody has changed it since. */
export function isSealedBy(text: string, held: HeldSession, seal: (held: HeldSession) => string): boolean {
  return parseJsonObject(text)?.['seal'] === seal({ session: held.session, run: held.run });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of what came with a branch, from whoever has written it; a sentence when it is none. */
export function readHeldText(text: string): HeldSession | string {
  const kept = parseJsonObject(text);
  if (kept === null) return 'it is no JSON object';
  if (kept['version'] !== VERSION) return `its version is ${JSON.stringify(kept['version'])}, not ${String(VERSION)}`;
  const { session, run } = kept;
  const isSession = isRecord(session) && typeof session['id'] === 'string' && typeof session['title'] === 'string';
  const isRun = run === null || (isRecord(run) && typeof run['run'] === 'string' && Array.isArray(run['entries']));
  return isSession && isRun ? (kept as unknown as HeldSession) : 'it holds no session';
}
