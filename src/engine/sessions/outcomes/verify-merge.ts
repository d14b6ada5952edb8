import type { Refused } from '#actors/session/index.ts';
import { findManifest } from '#io/project/project.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Verify } from '#io/git/outcomes/merge-session.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Session } from '#protocol/session.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';
import { mayRun } from '../../trust/check-trust.ts';
import { prepareSession } from '../creation/prepare-session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

const TESTS_MS = 3_600_000;

const isArgv = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

const isRefused = (value: object): value is Refused => 'ok' in value;

interface Checking {
  readonly argv: readonly [string, ...string[]];
  /** What the tests need beside the merged files. */
  readonly settings: WorktreeSettings;
}

/** The manifest's own command and setup need the user's trust; that the project's tests run he has just asked for. */
async function checkingOf(session: Session, parts: SessionPlaceParts): Promise<Checking | Refused> {
  const prepared = await prepareSession(session, parts);
  if (!prepared.ok) return { ok: false, why: prepared.why };
  const { job, settings } = prepared;
  const graph = job?.workflow.graph ?? (await graphHere(parts.root));
  const isTrusted = job !== null || (graph !== null && (await mayRun(graph, parts.root, parts.environment)));
  const argv = (isTrusted ? graph?.commands['test'] : undefined) ?? (await detectCommands(parts.root))['test'];
  if (isArgv(argv)) return { argv, settings: isTrusted && graph !== null ? readWorktree(graph.worktree) : settings };
  const why =
    isTrusted || graph?.commands['test'] === undefined
      ? 'no command "test" is known to verify with: name one under "commands" in the manifest'
      : 'the command "test" of the manifest is not trusted yet: `robosmith run` asks, or give it --trust';
  return { ok: false, why };
}

async function graphHere(root: string): Promise<Graph | null> {
  const file = await findManifest(root);
  const loaded = file === null ? null : await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph ?? null;
}

/**
 * Runs the project's tests in a folder, once that has what a session's worktree has beside its files (spec/worktrees.md "Ready to run");
 * what they, or its setup, said when they fail. `main`: the checkout that files are brought from.
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
