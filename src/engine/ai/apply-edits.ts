import { createFiles } from '#io/transactions/files.ts';
import { type Application, applyOperations, describeProblem, readOperations } from '#workers/index.ts';

export type { AppliedFile, LoomProblem } from '#workers/index.ts';
export { describeProblem };

/** Applies the Loom operations in a text to a folder, outside of a run. */
export async function applyEdits(text: string, folder: string, dryRun: boolean): Promise<Application> {
  const parsed = readOperations(text);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  return applyOperations(parsed.operations, {
    files: createFiles(folder),
    // A person has chosen these edits, so every file in them counts as permitted.
    access: { mode: 'shared', paths: parsed.operations.map(({ path }) => path) },
    dryRun,
  });
}
