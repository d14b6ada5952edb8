import { readFileSync, rmSync, statSync } from 'node:fs';
import type { HostStatus } from '#protocol/host.ts';
import { type DurableProject, durableProject, RUN } from './durable.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

export interface HostedProject extends DurableProject {
  /** Returns the status of the running host, or null if none runs. */
  host(): Promise<HostStatus | null>;
  /** Starts a host and returns its status. */
  startHost(...more: readonly string[]): Promise<HostStatus>;
  /** Starts a run in the host and returns its id. */
  detach(...more: readonly string[]): Promise<string>;
  token(status: HostStatus): string;
}

export const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

export const killHard = async (pid: number): Promise<void> => {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid), `the end of process ${pid}`);
};

/** Creates a project that kills all its hosts when it is removed. */
export async function hostedProject(files: Readonly<Record<string, unknown>> = {}): Promise<HostedProject> {
  const at = await durableProject(files);
  const hosts = new Map<number, string>();
  const host = async (): Promise<HostStatus | null> => {
    const { out } = await at.robosmith('host', 'status', '--json');
    const { host: status } = JSON.parse(out) as { readonly host: HostStatus | null };
    if (status !== null) hosts.set(status.pid, status.socket);
    return status;
  };
  return {
    ...at,
    host,
    startHost: async (...more) => {
      const { out, err } = await at.robosmith('host', 'start', '--json', ...more);
      const { host: status } = JSON.parse(out) as { readonly host: HostStatus | undefined };
      if (status === undefined) throw new Error(err);
      hosts.set(status.pid, status.socket);
      return status;
    },
    detach: async (...more) => {
      const { err, code } = await at.robosmith(...RUN, '--detach', ...more);
      const [run] = /\br[0-9a-f]{12}\b/.exec(err) ?? [];
      if (code !== 0 || run === undefined) throw new Error(err);
      await host();
      return run;
    },
    token: ({ socket }) => readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8'),
    remove: async () => {
      await host().catch(() => null);
      for (const [pid, socket] of hosts) {
        await killHard(pid);
        // A host would remove the socket and token of a dead one, but no further host starts in this project.
        for (const file of [socket, socket.replace(/\.sock$/, '.token')]) rmSync(file, { force: true });
      }
      await at.remove();
    },
  };
}
