import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { escapeGlob } from '#logic/queue/glob-pattern.ts';
import type { SessionSink } from '../model/session-runs.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Processes } from '#protocol/services.ts';
import type { Session } from '#protocol/session.ts';

const withEnvironment = (processes: Processes, environment: Readonly<Record<string, string>>): Processes => ({
  run: (request, ...rest) => processes.run({ ...request, env: { ...environment, ...request.env } }, ...rest),
});

/**
 * Returns the `RunPorts` of a run that works for a session. Commands receive the session's network ports, and the
 * change plan of the session can grow.
 */
export function sessionPorts(ports: RunPorts, session: Session, sink: SessionSink, main: string): RunPorts {
  const { id, worktree } = session;
  const environment = worktree === null ? {} : sessionEnvironment({ worktree, main, ports: session.ports });
  const { processes } = ports;
  return {
    ...ports,
    processes: processes === null ? null : withEnvironment(processes, environment),
    changePlan: {
      add: (paths) => {
        const { plan } = sink.get(id);
        sink.change(id, { plan: [...new Set([...plan, ...paths.map(escapeGlob)])] });
        return Promise.resolve();
      },
      written: () => sink.get(id).plan,
    },
  };
}
