import { createInterface } from 'node:readline';
import type { BranchName } from './likely-clash.ts';
import { clashesBetween, type Comparison } from './find-clashes.ts';
import { readSide, type Side } from './read-side.ts';

/** One line of the input: two commits with their merge base. */
interface Request {
  readonly id: number;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** The maximum number of branches whose parsed files are kept for further pairs. */
const MOST_KEPT = 120;

/** Returns a function that reads the changes of a branch. A branch that is in many pairs is read once. */
function createSides(root: string): (base: string, commit: string, name: BranchName) => Promise<Side> {
  const kept = new Map<string, Promise<Side>>();
  return async (base, commit, name) => {
    const key = `${base} ${commit}`;
    const known = kept.get(key) ?? readSide(root, base, commit, name);
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > MOST_KEPT) for (const oldest of [...kept.keys()].slice(0, 1)) kept.delete(oldest);
    return { ...(await known), name };
  };
}

const isRequest = (value: unknown): value is Request =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'number' &&
  ['base', 'ours', 'theirs'].every((key) => typeof Reflect.get(value, key) === 'string');

/**
 * Compares pairs of commits until the input ends: one request and one answer per line, as JSON, in the same order. A
 * pair that can't be compared is answered with `error`.
 */
export async function serveComparisons(
  root: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<void> {
  const sideOf = createSides(root);
  const compare = async ({ base, ours, theirs }: Request): Promise<Comparison> =>
    clashesBetween(root, await sideOf(base, ours, 'ours'), await sideOf(base, theirs, 'theirs'));
  for await (const line of createInterface({ input })) {
    const request: unknown = JSON.parse(line);
    if (!isRequest(request)) throw new Error('a request has the numbers and texts id, base, ours, theirs');
    const answer = await compare(request).catch((error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }));
    output.write(`${JSON.stringify({ id: request.id, ...answer })}\n`);
  }
}
