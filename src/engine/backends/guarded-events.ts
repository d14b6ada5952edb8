import type { WorktreeGuard } from '#protocol/agent.ts';
import type { Files, Processes } from '#protocol/services.ts';

/** Returns files that report their writes to the guard, so that they are not attributed to an agent. */
export const reportingFiles = (files: Files, guard: WorktreeGuard): Files => ({
  ...files,
  writeAll: async (wanted, ...more) => {
    const done = guard.others(
      files.root,
      wanted.map(({ path, located }) => located ?? path),
    );
    try {
      await files.writeAll(wanted, ...more);
    } finally {
      done();
    }
  },
});

/** Returns processes that are registered with the guard: it is unknown what they change. */
export const reportingProcesses = (processes: Processes, guard: WorktreeGuard): Processes => ({
  run: async (request, ...others) => {
    const done = guard.others(request.cwd, null);
    try {
      return await processes.run(request, ...others);
    } finally {
      done();
    }
  },
});
