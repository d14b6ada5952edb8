import type { Processes } from '#protocol/services.ts';
import { FORGE_PROGRAMS, type ForgeProgram, type PullRequestText } from './forge-programs.ts';
import type { ForgePlace } from './pull-request-page.ts';

export interface PullRequestOrder extends PullRequestText {
  /** A folder inside the repository. */
  readonly folder: string;
  /** The forge that the remote belongs to; null if it belongs to none. */
  readonly place: ForgePlace | null;
  readonly timeoutMs?: number;
}

export type PullRequest =
  /** `isNew` is false if the pull request was already open. */
  | { readonly kind: 'open'; readonly url: string; readonly isNew: boolean }
  /** `why` is the reason for a failure, as a message for people. */
  | { readonly kind: 'not_opened'; readonly why: string };

/** The timeout of the forge's program in milliseconds. The forge may be slow, or the program may wait for input. */
const PROGRAM_MS = 60_000;

const LONGEST_REASON = 600;

type Asked =
  | { readonly kind: 'ended'; readonly ok: boolean; readonly out: string; readonly said: string }
  | { readonly kind: 'failed'; readonly why: string };

type Ask = (program: ForgeProgram, argv: readonly [string, ...string[]]) => Promise<Asked>;

const asking =
  (processes: Processes, { folder, timeoutMs = PROGRAM_MS }: PullRequestOrder): Ask =>
  async ({ name, env, envNames }, argv) => {
    let err = '';
    const { ended, exitCode, output, error } = await processes.run(
      { argv, cwd: folder, env, envNames, timeoutMs, graceMs: 1_000, stderr: 'apart' },
      new AbortController().signal,
      undefined,
      undefined,
      (text) => (err += text),
    );
    if (ended === 'not_started')
      return { kind: 'failed', why: `${name} could not be started: ${error ?? 'unknown reason'}` };
    if (ended === 'exited') return { kind: 'ended', ok: exitCode === 0, out: output, said: `${err}\n${output}` };
    const why =
      ended === 'timed_out' ? `took longer than ${String(timeoutMs / 1000)} s and was stopped` : 'was stopped';
    return { kind: 'failed', why: `${name} ${why}` };
  };

/** Returns the end of the program's output as one line. */
const reasonOf = (said: string): string =>
  said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ')
    .slice(-LONGEST_REASON);

/** Returns the last URL in a text. The program describes its progress before that. */
const addressIn = (text: string): string | null => text.match(/https?:\/\/[^\s\p{Cc}"'<>]+/gu)?.at(-1) ?? null;

function listedAddress(out: string, key: string): string | null {
  try {
    const list: unknown = JSON.parse(out);
    const first: unknown = Array.isArray(list) ? list[0] : null;
    const found: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, key) : null;
    return typeof found === 'string' ? addressIn(found) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the program for a forge. If the host name doesn't reveal the forge, returns the program that is logged in to
 * that host.
 */
async function programFor({ forge, host }: ForgePlace, ask: Ask): Promise<ForgeProgram | null> {
  if (forge !== null) return FORGE_PROGRAMS.find((one) => one.forge === forge) ?? null;
  for (const program of FORGE_PROGRAMS) {
    const known = await ask(program, program.knows(host));
    if (known.kind === 'ended' && known.ok) return program;
  }
  return null;
}

/**
 * Opens a pull request with the forge's own program, `gh` or `glab`, and its own login: without a shell, without
 * prompts and with a timeout. If one is already open for these branches, it is returned. A failure is returned as
 * `not_opened` and changes nothing else.
 */
export async function openPullRequest(processes: Processes, order: PullRequestOrder): Promise<PullRequest> {
  const { place } = order;
  const notOpened = (why: string): PullRequest => ({ kind: 'not_opened', why });
  if (place === null) return notOpened('its remote is not on a host that supports pull requests');
  const ask = asking(processes, order);
  const program = await programFor(place, ask);
  if (program === null)
    return notOpened(`no program is logged in to ${place.host}. Install gh or glab, and log in with it`);
  const { name } = program;
  const made = await ask(program, program.create(place, order));
  if (made.kind === 'failed') return notOpened(made.why);
  const url = made.ok ? addressIn(made.out) : null;
  if (url !== null) return { kind: 'open', url, isNew: true };
  const listed = await ask(program, program.find(place, order));
  const known = listed.kind === 'ended' && listed.ok ? listedAddress(listed.out, program.addressKey) : null;
  if (known !== null) return { kind: 'open', url: known, isNew: made.ok };
  return notOpened(
    made.ok ? `${name} did not print the address of the pull request` : `${name} refused: ${reasonOf(made.said)}`,
  );
}
