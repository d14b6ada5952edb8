import type { WorktreeGuard } from '#protocol/agent.ts';
import type { Files, Processes } from '#protocol/services.ts';

/**
 * Returns file access that reports each write to the guard, so that the guard does not attribute the write to an agent.
 */
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

/**
 * Returns process access that reports each process to the guard for as long as it runs. The files that it changes are
 * unknown, so none of them are named.
 */
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
