import type { SessionRefusal } from '#actors/session/index.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Verify } from '#io/git/outcomes/merge-session.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { jobInTurn } from '#machines/queue/job-in-turn.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { mayVerify } from '../../trust/check-trust.ts';
import { verifyingGraph } from '../../trust/list-verifying-commands.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const TESTS_MS = 3_600_000;

const isArgv = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

const isRefused = (value: object): value is SessionRefusal => 'ok' in value;

interface Checking {
  readonly argv: readonly [string, ...string[]];
  /** What the tests need in addition to the merged files. */
  readonly settings: WorktreeSettings;
}

/**
 * Returns the test command and the worktree settings. Both need the user's trust if the manifest defines them. The
 * project's ordinary tests need none: the user has requested them.
 */
async function checkingOf(
  session: Session,
  isAsked: boolean,
  { root, environment }: SessionPlaceParts,
): Promise<Checking | SessionRefusal | null> {
  const graph = await verifyingGraph(session, root);
  if (graph === null && jobInTurn(session) !== null)
    return { ok: false, why: 'the manifest of the session has errors: robosmith validate shows them' };
  // Without a request of the user, only a test command of the manifest runs.
  const argv = graph?.commands['test'] ?? (isAsked ? (await detectCommands(root))['test'] : undefined);
  if (!isAsked && !isArgv(argv)) return null;
  if (graph !== null && !(await mayVerify(graph, root, environment, isAsked)))
    return {
      ok: false,
      why: isAsked
        ? 'the commands that verify a merge are not trusted: repeat the merge with --trust'
        : `its base has changed, and the commands that test the merged files are not trusted: robosmith sessions merge ${session.id} --trust runs the tests, --no-verify merges without them`,
    };
  if (isArgv(argv)) return { argv, settings: readWorktree(graph?.worktree ?? {}) };
  return {
    ok: false,
    why: 'there is no command "test" to verify the merge with: add one under "commands" in the manifest',
  };
}

/**
 * Returns a function that sets up a folder like a session's worktree and runs the project's tests there; it returns the
 * output of a failure, otherwise null. `main`: the checkout that files are copied from. Returns null if the tests were
 * not requested and no command `test` is known.
 */
export async function verifier(
  session: Session,
  main: string,
  isAsked: boolean,
  parts: SessionPlaceParts,
): Promise<{ readonly verify: Verify } | SessionRefusal | null> {
  const checking = await checkingOf(session, isAsked, parts);
  if (checking === null || isRefused(checking)) return checking;
  const { argv, settings } = checking;
  const { copy, link, share, setup } = settings;
  const { git, processes } = parts;
  return {
    verify: async (folder) => {
      const { signal } = new AbortController();
      const what = { main, worktree: folder, ports: session.ports, copy, link, share, setup };
      const ready = await bootstrapWorktree(git, processes, what, signal);
      if (ready.kind === 'refused') return `${ready.message}\n${ready.log.slice(-4_000)}`;
      const env = sessionEnvironment({ worktree: folder, main, ports: session.ports });
      const ended = await processes.run({ argv, cwd: folder, env, timeoutMs: TESTS_MS }, signal);
      return ended.ended === 'exited' && ended.exitCode === 0
        ? null
        : `the tests fail on the merged tree (${argv.join(' ')}):\n${ended.output.slice(-4_000)}${ended.error ?? ''}`;
    },
  };
}
