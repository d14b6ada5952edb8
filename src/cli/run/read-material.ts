import { keyPlaces } from '#engine/authoring.ts';
import { fetchBranch, knownRedactor, projectThread, storedSessions } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { hasEnded } from '#protocol/session.ts';

interface MaterialFlags {
  readonly issue?: string;
  readonly pullRequest?: string;
  readonly session?: string;
  readonly in?: string;
  readonly showPrompt?: true;
}

/** An issue or a pull request as the input of a run. */
export interface Material {
  readonly kind: 'issue' | 'pull_request';
  /** The text of the issue or pull request, marked as foreign text, with known secrets removed. */
  readonly text: string;
  readonly title: string;
  /** The session that works on the branch of the pull request and is continued; null if there is none. */
  readonly session: string | null;
  /** The branch to which a new session is attached; null if it gets a new branch. */
  readonly attach: string | null;
}

export const hasMaterial = ({ issue, pullRequest }: MaterialFlags): boolean =>
  issue !== undefined || pullRequest !== undefined;

function refuseTogether(one: string, other: string): never {
  throw usageError(`${one} and ${other} can't be combined.`, ['robosmith run --help']);
}

/** Refuses flags that make no sense together, before anything is read. */
export function checkMaterial({ issue, pullRequest, session, showPrompt }: MaterialFlags): void {
  const flag = issue === undefined ? '--pull-request' : '--issue';
  if (issue !== undefined && pullRequest !== undefined) refuseTogether('--issue', '--pull-request');
  if (pullRequest !== undefined && session !== undefined) refuseTogether('--pull-request', '--session');
  if (showPrompt === true && (issue ?? pullRequest) !== undefined) refuseTogether(flag, '--show-prompt');
  for (const [name, text] of [
    ['--issue', issue],
    ['--pull-request', pullRequest],
  ] as const)
    if (text !== undefined && !/^#?[1-9]\d{0,8}$/.test(text))
      throw usageError(`${name} takes a number, not "${text}".`, ['robosmith run --help']);
}

/** Returns the session that works on a branch, or the branch to attach a new one to, which is fetched if missing. */
async function placeOf(branch: string, root: string): Promise<Pick<Material, 'session' | 'attach'>> {
  const known = storedSessions(root).find((one) => one.branch === branch && !hasEnded(one));
  if (known !== undefined) return { session: known.id, attach: null };
  const why = await fetchBranch(root, branch);
  if (why === null) return { session: null, attach: branch };
  throw new RoboSmithError('forge_failed', `The pull request can't be continued: ${why}.`, {});
}

const NEXT: Readonly<Record<string, readonly string[]>> = {
  no_remote: ['robosmith doctor'],
  not_on_forge: ['robosmith run --help'],
};

/** Reads what `--issue` or `--pull-request` names; null without these flags. */
export async function readMaterial(flags: MaterialFlags, root: string, io: CliIo): Promise<Material | null> {
  const given = flags.issue ?? flags.pullRequest;
  if (given === undefined) return null;
  const kind = flags.issue === undefined ? 'pull_request' : 'issue';
  const read = await projectThread(root, kind, Number(given.replace('#', '')));
  if (!read.ok) {
    const { code, message } = read;
    throw new RoboSmithError(code, `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {
      next: [...(NEXT[code] ?? [])],
    });
  }
  const redact = await knownRedactor(keyPlaces(io.env, io.keychain));
  const isHere = flags.in !== undefined || read.branch === null;
  const place = isHere ? { session: null, attach: null } : await placeOf(read.branch, root);
  return { kind, text: redact(read.text), title: redact(read.title), ...place };
}
