import type { SessionRefusal } from '#actors/session/index.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Verify } from '#io/git/outcomes/merge-session.ts';
import { UNNAMED_FAILURE } from '#protocol/landing.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { createFiles } from '#io/transactions/files.ts';
import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import { prepareTests, type TestOutcome } from '#workers/index.ts';
import type { ProcessResult } from '#protocol/services.ts';
import type { Session } from '#protocol/session.ts';
import { mayVerify } from '../../trust/check-trust.ts';
import { verifyingGraph } from '../../trust/list-verifying-commands.ts';
import { processesFor, type SessionPlaceParts } from '../model/session-place.ts';

const TESTS_MS = 3_600_000;

/** The number of failures that a refusal names. */
const MOST_FAILURES = 10;

const isArgv = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

const isRefused = (value: object): value is SessionRefusal => 'ok' in value;

/** What the tests of a session depend on. Without an id, they are those of the project. */
type TestedSession = Pick<Session, 'job' | 'resolving'> & Partial<Pick<Session, 'id' | 'ports'>>;

interface Checking {
  readonly argv: readonly [string, ...string[]];
  /** True: tests of which none ran have passed. */
  readonly allowEmpty: boolean;
  /** What the tests need in addition to the merged files. */
  readonly settings: WorktreeSettings;
}

/**
 * Returns the test command and the worktree settings. Both need the user's trust if the manifest defines them. The
 * project's ordinary tests need none: the user has requested them.
 */
async function checkingOf(
  session: TestedSession,
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
        ? 'the commands that test the merged files are not trusted: repeat the command with --trust'
        : `its base has changed, and the commands that test the merged files are not trusted: robosmith sessions merge ${session.id ?? ''} --trust runs the tests, --no-verify merges without them`,
    };
  if (isArgv(argv)) {
    const allowEmpty = graph?.allowEmpty?.includes('test') ?? false;
    return { argv, allowEmpty, settings: readWorktree(graph?.worktree ?? {}) };
  }
  return {
    ok: false,
    why: 'there is no command "test" to verify the merge with: add one under "commands" in the manifest',
  };
}

/** The result of the project's tests in a folder. */
interface TestsEnd {
  /** The names of the failed tests; empty if all passed. Contains `UNNAMED_FAILURE` if not every failure has a name. */
  readonly failures: readonly string[];
  /** The failures with their messages, or the end of the output; empty if all passed. */
  readonly text: string;
  /** The number of tests; null if unknown. */
  readonly counts: { readonly passed: number; readonly failed: number } | null;
}

/** The project's tests for merged files. */
export interface ProjectTests {
  readonly argv: readonly [string, ...string[]];
  /** Sets up a folder like a session's worktree, and runs the tests there. */
  readonly run: (folder: string, signal: AbortSignal) => Promise<TestsEnd>;
}

function endOf({ passed, report, remark }: TestOutcome, { output, error }: ProcessResult, command: string): TestsEnd {
  const known = report?.counts ?? null;
  const counts = known === null ? null : { passed: known.passed, failed: known.failed };
  if (passed) return { failures: [], text: '', counts };
  const errors = report?.findings.filter(({ severity }) => severity === 'error') ?? [];
  const names = errors.flatMap(({ file, name }) => (name === null ? [] : [file === null ? name : `${file} > ${name}`]));
  const isWhole = names.length > 0 && names.length === (report?.found.errors ?? 0);
  const found = errors.slice(0, MOST_FAILURES).map(({ name, message }) => [name, message].filter(Boolean).join(': '));
  const text = found.length > 0 ? found.join('\n') : output;
  return {
    failures: [...new Set([...names, ...(isWhole ? [] : [UNNAMED_FAILURE])])],
    text: `the tests fail on the merged tree (${command}${remark === '' ? '' : `, ${remark}`}):\n${text.slice(0, 4_000)}${error ?? ''}`,
    counts,
  };
}

/**
 * Returns the project's tests. `main`: the checkout that files are copied from. Returns null if the tests were not
 * requested and no command `test` is known.
 */
export async function projectTests(
  session: TestedSession,
  main: string,
  isAsked: boolean,
  parts: SessionPlaceParts,
): Promise<ProjectTests | SessionRefusal | null> {
  const checking = await checkingOf(session, isAsked, parts);
  if (checking === null || isRefused(checking)) return checking;
  const { argv, allowEmpty, settings } = checking;
  const { copy, link, share, setup } = settings;
  const { git } = parts;
  const { id = null, ports = null } = session;
  const processes = id === null ? parts.processes : processesFor(parts, id);
  return {
    argv,
    run: async (folder, signal) => {
      const what = { main, worktree: folder, ports, copy, link, share, setup };
      const ready = await bootstrapWorktree(git, processes, what, signal);
      if (ready.kind === 'refused')
        return { failures: [UNNAMED_FAILURE], text: `${ready.message}\n${ready.log.slice(-4_000)}`, counts: null };
      const env = sessionEnvironment({ worktree: folder, main, ports });
      const tests = await prepareTests({ argv, cwd: folder, files: createFiles(folder), allowEmpty });
      const request = { ...tests.request, env, timeoutMs: TESTS_MS };
      const result = await tests.processes(processes).run(request, signal);
      return endOf(await tests.end(result), result, argv.join(' '));
    },
  };
}

/** Returns a function that runs the project's tests in a folder; it returns the output of a failure, otherwise null. */
export async function verifier(
  session: Session,
  main: string,
  isAsked: boolean,
  parts: SessionPlaceParts,
): Promise<{ readonly verify: Verify } | SessionRefusal | null> {
  const tests = await projectTests(session, main, isAsked, parts);
  if (tests === null || 'ok' in tests) return tests;
  const { signal } = new AbortController();
  return {
    verify: async (folder) => {
      const { failures, text } = await tests.run(folder, signal);
      return failures.length === 0 ? null : text;
    },
  };
}
