import { createFiles } from '#io/transactions/files.ts';
import { type Application, applyOperations, describeProblem, readOperations } from '#workers/index.ts';

export type { AppliedFile, LoomProblem } from '#workers/index.ts';
export { describeProblem };

/** What a person asks the Loom for, without a run: the operations in a text, applied below a folder. */
export async function applyEdits(text: string, folder: string, dryRun: boolean): Promise<Application> {
  const parsed = readOperations(text);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  return applyOperations(parsed.operations, {
    files: createFiles(folder),
    // A person has chosen these edits, so that every file in them counts as named.
    access: { mode: 'shared', paths: parsed.operations.map(({ path }) => path) },
    dryRun,
  });
}
