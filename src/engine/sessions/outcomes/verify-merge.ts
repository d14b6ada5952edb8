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

/** The manifest's own command and set-up need the user's trust. That the project's tests run is what the user asks for. */
async function checkingOf(
  session: Session,
  isAsked: boolean,
  { root, environment }: SessionPlaceParts,
): Promise<Checking | Refused | null> {
  const graph = await verifyingGraph(session, root);
  if (graph === null && jobInTurn(session) !== null)
    return { ok: false, why: 'the manifest of the session has errors: robosmith validate shows them' };
  // A test that nobody has asked for is that of a manifest.
  const argv = graph?.commands['test'] ?? (isAsked ? (await detectCommands(root))['test'] : undefined);
  if (!isAsked && !isArgv(argv)) return null;
  if (graph !== null && !(await mayVerify(graph, root, environment, isAsked)))
    return {
      ok: false,
      why: isAsked
        ? 'what the manifest runs to verify a merge is not trusted: give the merge --trust'
        : `its base has moved on, and what tests the merged files is not trusted: robosmith sessions merge ${session.id} --trust runs the tests, --no-verify merges without them`,
    };
  if (isArgv(argv)) return { argv, settings: readWorktree(graph?.worktree ?? {}) };
  return {
    ok: false,
    why: 'no command "test" is known to verify with: name one under "commands" in the manifest',
  };
}

/**
 * Runs the project's tests in a folder, once that has what a session's worktree has beside its files;
 * what they, or its setup, said when they fail. `main`: the checkout that files are brought from. Null: nobody has asked for
 * them, and no command `test` is known.
 */
export async function verifier(
  session: Session,
  main: string,
  isAsked: boolean,
  parts: SessionPlaceParts,
): Promise<{ readonly verify: Verify } | Refused | null> {
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
