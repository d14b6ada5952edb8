import type { SessionSink } from './session-runs.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Processes } from '#protocol/services.ts';
import type { Session } from '#protocol/session.ts';

/** Variables that commands of a session see (spec/worktrees.md "Ready to run"). */
export const sessionEnvironment = ({ ports, branch, worktree }: Session): Readonly<Record<string, string>> => ({
  ROBOSMITH_BRANCH: branch,
  ...(worktree === null ? {} : { ROBOSMITH_WORKTREE: worktree }),
  ...Object.fromEntries(
    Array.from({ length: ports?.count ?? 0 }, (_, index) => [
      `ROBOSMITH_PORT_${String(index)}`,
      String((ports?.first ?? 0) + index),
    ]),
  ),
});

const withEnvironment = (processes: Processes, environment: Readonly<Record<string, string>>): Processes => ({
  run: (request, ...rest) => processes.run({ ...request, env: { ...environment, ...request.env } }, ...rest),
});

/** The outside world of a run that works for a session: its commands know its ports, and its plan grows with what it identifies. */
export function sessionPorts(ports: RunPorts, session: Session, sink: SessionSink): RunPorts {
  const { id } = session;
  const { processes } = ports;
  return {
    ...ports,
    processes: processes === null ? null : withEnvironment(processes, sessionEnvironment(session)),
    changePlan: {
      add: (paths) => {
        const { plan } = sink.get(id);
        sink.change(id, { plan: [...new Set([...plan, ...paths.map(asPath)])] });
        return Promise.resolve();
      },
    },
  };
}

/** A file's name is no pattern. */
const asPath = (file: string): string => file.replaceAll(/[\\*?[\]{}()!@+]/g, String.raw`\$&`);
