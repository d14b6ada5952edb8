import { APPROVALS } from '#protocol/approvals.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { type Session, SESSION_STATES } from '#protocol/session.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const whole: Check = (value) => Number.isSafeInteger(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]));

/** Accepts only a full hash, as git prints it, because git could interpret other text as an option. */
const commit: Check = (value) => typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);

const isState: Check = (value) => SESSION_STATES.some((state) => state === value);

const STOOD: ReadonlySet<unknown> = new Set(['ready', 'halted', 'failed']);

const start: Check = (value) => shape({ node: text })(value) || shape({ block: text })(value);

/** One check per field of a session. The type makes the compiler report a forgotten field. */
const FIELDS: Readonly<Record<keyof Session, Check>> = {
  id: (value) => typeof value === 'string' && /^s[0-9a-f]{8}$/.test(value),
  title: text,
  branch: text,
  isAttached: (value) => typeof value === 'boolean',
  base: orNull(shape({ branch: text, commit })),
  baseBranch: text,
  worktree: orNull(text),
  isWorktreeKept: (value) => typeof value === 'boolean',
  remarks: listOf(text),
  plan: listOf(text),
  changed: listOf(text),
  job: orNull(
    shape({
      start,
      manifest: text,
      input: orNull(text),
      script: orNull(text),
      answers: orAbsent(listOf(shape({ block: text, answer: text }))),
      stepMode: (value) => typeof value === 'boolean',
      approvals: orAbsent((value) => APPROVALS.some((one) => one === value)),
    }),
  ),
  runs: listOf(text),
  isDone: (value) => typeof value === 'boolean',
  resolving: orNull(
    shape({
      start,
      manifest: text,
      base: text,
      files: listOf(text),
      known: whole,
      stood: (value) => STOOD.has(value),
      why: orNull(text),
    }),
  ),
  state: isState,
  before: isState,
  why: orNull(text),
  unmerged: orNull(shape({ why: orNull(text) })),
  returned: (value) => value === undefined || orNull(text)(value),
  merged: (value) => value === undefined || shape({ from: commit, commit })(value),
  update: orNull(shape({ base: commit, before: commit, files: listOf(text) })),
  priority: orNull(whole),
  submission: orNull(whole),
  after: listOf(text),
  ports: orNull(shape({ first: whole, count: whole })),
  createdAt: whole,
  updatedAt: whole,
};

/** Returns whether data from any source is a valid session. */
export const isSession = (value: unknown): value is Session => shape(FIELDS)(value);

const ADDED = { resolving: null, unmerged: null, update: null, isWorktreeKept: false, remarks: [] };

/** Adds fields that lists of earlier versions lack. */
const withAllFields = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? { ...ADDED, ...value } : value;

export interface StoredSessions {
  /** The number of the last submission. */
  readonly submissions: number;
  readonly sessions: readonly Session[];
}

const VERSION = 1;

/** Reads the content of `.flow/sessions.json`, or returns why it can't be read. */
export function decodeSessions(bytes: Uint8Array): StoredSessions | { readonly fault: string } {
  const kept = parseJsonObject(Buffer.from(bytes).toString());
  if (kept === null) return { fault: 'it is not a JSON object' };
  if (kept['version'] !== VERSION)
    return { fault: `its version is ${JSON.stringify(kept['version'])}, not ${VERSION}` };
  const { submissions, sessions: stored } = kept;
  if (!Array.isArray(stored) || !whole(submissions)) return { fault: 'it has no list of sessions' };
  const sessions: readonly unknown[] = stored.map(withAllFields);
  const damaged = sessions.findIndex((one) => !isSession(one));
  if (damaged !== -1) return { fault: `entry ${String(damaged + 1)} of its list of sessions is damaged` };
  return { submissions: submissions as number, sessions: sessions as unknown as readonly Session[] };
}

export const encodeSessions = (stored: StoredSessions): Uint8Array =>
  Buffer.from(`${JSON.stringify({ version: VERSION, ...stored }, null, 2)}\n`);
