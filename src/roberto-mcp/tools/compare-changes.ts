import { ComparisonError, findCommit, mergeBase } from '../compare/commit-files.ts';
import { type ClashSide, findClashes } from '../compare/find-clashes.ts';
import { maxResultsArgument, DEFAULT_RESULTS, nameArgument } from './arguments.ts';
import { boundRows, cutNote } from './bound-answer.ts';
import { type Tool, ToolFailure } from './tool.ts';

async function commitOf(root: string, given: string): Promise<string> {
  const commit = await findCommit(root, given);
  if (commit === null)
    throw new ToolFailure(
      'unknown_commit',
      `There is no commit ${given} in this repository. Give a commit or a branch.`,
    );
  return commit;
}

/** Finds the clashes of two commits. A comparison that git can't do is reported as a failure of the tool. */
async function clashesOf(root: string, base: string, ours: string, theirs: string): ReturnType<typeof findClashes> {
  try {
    return await findClashes(root, base, ours, theirs);
  } catch (thrown) {
    throw thrown instanceof ComparisonError ? new ToolFailure('internal', thrown.message) : thrown;
  }
}

const render = ({ branch, file, line, text }: ClashSide): string => `  ${branch} ${file}:${line} ${text}`;

export const compareChanges: Tool = {
  name: 'compare_changes',
  title: 'Likely semantic clashes of two branches',
  description:
    'Compares what two commits changed since their base and reports changes that git would merge without a conflict but that probably do not work together: a renamed, removed or no longer exported symbol, a changed signature, type or value against lines that the other branch added and that resolve to it; a moved file; a symbol that both added; two migrations with one number. Suspicions, not proofs: confirm with the compiler or tests on the merged tree.',
  input: {
    ours: nameArgument.describe('Commit or branch.'),
    theirs: nameArgument.describe('Commit or branch.'),
    base: nameArgument.optional().describe('Common base (default: the merge base of the two).'),
    max_results: maxResultsArgument,
  },
  skipsFreshening: true,
  run: async (args, { worktree: { root } }) => {
    const ours = await commitOf(root, String(args['ours']));
    const theirs = await commitOf(root, String(args['theirs']));
    const given = args['base'] as string | undefined;
    const base = given === undefined ? await mergeBase(root, ours, theirs) : await commitOf(root, given);
    if (base === null)
      throw new ToolFailure('unknown_commit', 'The two commits have no common ancestor. Give one in base.');
    const { clashes, leftOut } = await clashesOf(root, base, ours, theirs);
    const shown = boundRows(clashes, (args['max_results'] as number | undefined) ?? DEFAULT_RESULTS);
    return {
      data: {
        base,
        ours,
        theirs,
        clashes: shown.rows,
        total: clashes.length,
        truncated: shown.truncated,
        not_compared: leftOut.slice(0, DEFAULT_RESULTS),
        not_compared_total: leftOut.length,
      },
      text:
        [
          `${clashes.length} likely clashes`,
          ...(leftOut.length === 0
            ? []
            : [
                `Not compared: ${leftOut.length} changed files, such as ${leftOut[0] ?? ''} (too many, too large or too complex)`,
              ]),
          ...shown.rows.flatMap(({ kind, name, why, change, use }) => [
            `${kind} ${name}: ${why}`,
            render(change),
            render(use),
          ]),
        ].join('\n') + cutNote(shown.rows.length, clashes.length),
      paths: [],
    };
  },
};
