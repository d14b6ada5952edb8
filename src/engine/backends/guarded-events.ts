import type { WorktreeGuard } from '#protocol/agent.ts';
import type { Files, Processes } from '#protocol/services.ts';

/** Files whose writes are no agent's. */
export const toldFiles = (files: Files, guard: WorktreeGuard): Files => ({
  ...files,
  writeAll: async (wanted, compared) => {
    const done = guard.others(
      files.root,
      wanted.map(({ path, located }) => located ?? path),
    );
    try {
      await files.writeAll(wanted, compared);
    } finally {
      done();
    }
  },
});

/** Processes of another step: nobody knows what they change. */
export const toldProcesses = (processes: Processes, guard: WorktreeGuard): Processes => ({
  run: async (request, ...others) => {
    const done = guard.others(request.cwd, null);
    try {
      return await processes.run(request, ...others);
    } finally {
      done();
    }
  },
});
