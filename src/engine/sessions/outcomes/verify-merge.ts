import type { Refused } from '#actors/session/index.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Verify } from '#io/git/outcomes/merge-session.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { jobInTurn } from '#machines/queue/job-in-turn.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { mayVerify } from '../../trust/check-trust.ts';
import { verifyingGraph } from '../../trust/what-verifies.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const TESTS_MS = 3_600_000;

const isArgv = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

const isRefused = (value: object): value is Refused => 'ok' in value;

interface Checking {
  readonly argv: readonly [string, ...string[]];
  /** What the tests need in addition to the merged files. */
  readonly settings: WorktreeSettings;
}

/**
 * Returns what is run. The manifest's own command and set-up need the user's trust; the project's detected tests are
 * what the user requests.
 */
async function checkingOf(session: Session, { root, environment }: SessionPlaceParts): Promise<Checking | Refused> {
  const graph = await verifyingGraph(session, root);
  if (graph === null && jobInTurn(session) !== null)
    return { ok: false, why: 'the manifest of the session has errors: robosmith validate shows them' };
  if (graph !== null && !(await mayVerify(graph, root, environment)))
    return { ok: false, why: 'what the manifest runs to verify a merge is not trusted: give the merge --trust' };
  const argv = graph?.commands['test'] ?? (await detectCommands(root))['test'];
  if (isArgv(argv)) return { argv, settings: readWorktree(graph?.worktree ?? {}) };
  return {
    ok: false,
    why: 'no command "test" is known to verify with: name one under "commands" in the manifest',
  };
}

/**
 * Returns a function that runs the project's tests in a folder, once it is set up like a session's worktree; it returns
 * their output, or that of the set-up, on failure. `main`: the checkout that files are copied from.
 */
export async function verifier(
  session: Session,
  main: string,
  parts: SessionPlaceParts,
): Promise<{ readonly verify: Verify } | Refused> {
  const checking = await checkingOf(session, parts);
  if (isRefused(checking)) return checking;
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
