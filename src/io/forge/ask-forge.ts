import { type ForgeCode, type ForgeProblem, forgeProblem } from '#protocol/forge.ts';
import type { Processes } from '#protocol/services.ts';
import { FORGE_PROGRAMS, type ForgeProgram } from './forge-programs.ts';
import type { ForgePlace } from './pull-request-page.ts';

export interface ForgeCall {
  /** A folder inside the repository. */
  readonly folder: string;
  readonly timeoutMs?: number;
}

/** How the program of a forge ended. `said`: everything that it printed, stderr first. */
type ForgeAnswer =
  | { readonly kind: 'ended'; readonly ok: boolean; readonly out: string; readonly said: string }
  | { readonly kind: 'failed'; readonly isMissing: boolean; readonly why: string };

export type AskForge = (program: ForgeProgram, argv: readonly [string, ...string[]]) => Promise<ForgeAnswer>;

/** The timeout of the forge's program in milliseconds. The forge may be slow, or the program may wait for input. */
const PROGRAM_MS = 60_000;

const LONGEST_REASON = 600;

/** Returns a function that starts the program of a forge: without a shell, without prompts and with a timeout. */
export const askForge =
  (processes: Processes, { folder, timeoutMs = PROGRAM_MS }: ForgeCall): AskForge =>
  async ({ name, env, envNames }, argv) => {
    let err = '';
    const { ended, exitCode, output, error } = await processes.run(
      { argv, cwd: folder, env, envNames, timeoutMs, graceMs: 1_000, stderr: 'apart', outputLimit: 4_000_000 },
      new AbortController().signal,
      undefined,
      undefined,
      (text) => (err += text),
    );
    if (ended === 'not_started')
      return { kind: 'failed', isMissing: true, why: `${name} could not be started: ${error ?? 'unknown reason'}` };
    if (ended === 'exited') return { kind: 'ended', ok: exitCode === 0, out: output, said: `${err}\n${output}` };
    const why =
      ended === 'timed_out' ? `took longer than ${String(timeoutMs / 1000)} s and was stopped` : 'was stopped';
    return { kind: 'failed', isMissing: false, why: `${name} ${why}` };
  };

/** Returns the end of the program's output as one line. */
export const reasonOf = (said: string): string =>
  said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ')
    .slice(-LONGEST_REASON);

/**
 * Returns the program for a forge. If the host name doesn't show which forge it is, returns the program that is logged
 * in to that host.
 */
export async function programFor({ forge, host }: ForgePlace, ask: AskForge): Promise<ForgeProgram | null> {
  if (forge !== null) return FORGE_PROGRAMS.find((one) => one.forge === forge) ?? null;
  for (const program of FORGE_PROGRAMS) {
    const known = await ask(program, program.knows(host));
    if (known.kind === 'ended' && known.ok) return program;
  }
  return null;
}

/** Patterns in the output of the programs, with the code of the failure that each one shows. The first match counts. */
const KNOWN: readonly (readonly [RegExp, ForgeCode])[] = [
  [/rate limit|HTTP 429|429 Too Many Requests/i, 'rate_limited'],
  [
    /auth login|not logged in|HTTP 401|401 Unauthorized|Bad credentials|authentication required|no token found/i,
    'not_logged_in',
  ],
  [/Could not resolve to an? |HTTP 404|404 Not Found|no pull requests found|issue not found/i, 'not_on_forge'],
];

const ADVICE: Readonly<Partial<Record<ForgeCode, string>>> = {
  rate_limited: 'Repeat the command later',
  not_logged_in: 'Log in with it first',
};

/** Returns why the program failed, with a code that depends on what it printed. */
export function forgeRefusal({ name }: ForgeProgram, asked: ForgeAnswer, what: string): ForgeProblem {
  if (asked.kind === 'failed')
    return asked.isMissing
      ? forgeProblem('no_forge_program', `${asked.why}. Install ${name} and log in with it`)
      : forgeProblem('forge_failed', asked.why);
  const code = KNOWN.find(([pattern]) => pattern.test(asked.said))?.[1] ?? 'forge_failed';
  const advice = ADVICE[code];
  const text = `${what}: ${name} refused: ${reasonOf(asked.said)}`;
  return forgeProblem(code, advice === undefined ? text : `${text}. ${advice}`);
}

/** Returns the program for a forge, or why there is none. */
export async function findForgeProgram(
  place: ForgePlace | null,
  ask: AskForge,
): Promise<{ readonly ok: true; readonly program: ForgeProgram; readonly place: ForgePlace } | ForgeProblem> {
  if (place === null)
    return forgeProblem('no_remote', 'the remote origin is not on a host with issues and pull requests');
  const program = await programFor(place, ask);
  if (program !== null) return { ok: true, program, place };
  return place.forge === null
    ? forgeProblem('not_logged_in', `no program is logged in to ${place.host}. Install gh or glab, and log in with it`)
    : forgeProblem('no_forge_program', `there is no program for ${place.host}: only gh and glab are supported`);
}
