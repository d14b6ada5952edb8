import type { Refused } from '#actors/session/index.ts';
import { detectCommands } from '#io/project-commands.ts';
import type { Verify } from '#io/dispositions/merge-session.ts';
import type { Session } from '#protocol/session.ts';
import { prepareSession } from './prepare-session.ts';
import type { SessionPlaceParts } from './session-place.ts';

const TESTS_MS = 3_600_000;

const isArgv = (argv: readonly string[] | undefined): argv is readonly [string, ...string[]] =>
  argv !== undefined && argv.length > 0;

/** Runs the project's tests in a folder; what they said when they fail. */
export async function verifier(
  session: Session,
  parts: SessionPlaceParts,
): Promise<{ readonly verify: Verify } | Refused> {
  const prepared = await prepareSession(session, parts);
  if (!prepared.ok) return { ok: false, why: prepared.why };
  const argv = prepared.job?.workflow.graph.commands['test'] ?? (await detectCommands(parts.root))['test'];
  if (!isArgv(argv))
    return { ok: false, why: 'no command "test" is known to verify with: name one under "commands" in the manifest' };
  return {
    verify: async (folder) => {
      const ended = await parts.processes.run({ argv, cwd: folder, timeoutMs: TESTS_MS }, new AbortController().signal);
      return ended.ended === 'exited' && ended.exitCode === 0
        ? null
        : `the tests fail on the merged tree (${argv.join(' ')}):\n${ended.output.slice(-4_000)}${ended.error ?? ''}`;
    },
  };
}
