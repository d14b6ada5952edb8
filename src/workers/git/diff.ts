import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { DiffRequest, DirectoryDiff, Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';

/** Default size limit of a diff in bytes (`max_bytes`): about 50,000 tokens. */
const DEFAULT_BYTES = 200_000;
/** Maximum number of files that the segment's `meta` lists; their total count is given separately. */
const SHOWN = 200;

/** Reads the block's settings, which the compiler has checked. */
function requestOf({ params }: GraphBlock, { system }: BlockMemory): DiffRequest {
  const { since, paths, max_bytes: most } = params;
  return {
    since: since === 'commit' ? 'commit' : 'base',
    paths: Array.isArray(paths) ? paths.filter((one) => typeof one === 'string') : [],
    maxBytes: typeof most === 'number' ? most : DEFAULT_BYTES,
    run: system.run,
  };
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function textOf({ since, files, added, deleted, patch, omitted, keptBack }: DirectoryDiff): string {
  const head = `${plural(added, 'line')} added and ${deleted} deleted in ${plural(files.length, 'file')} since ${since.slice(0, 10)}.`;
  const notes = [
    ...(omitted > 0 ? [`${plural(omitted, 'line')} of the diff are left out because it is too long.`] : []),
    ...(keptBack.length > 0 ? [`Not shown, because of the project's rules: ${keptBack.join(', ')}.`] : []),
  ];
  return [head, ...notes, ...(patch === '' ? [] : ['', patch.trimEnd()])].join('\n');
}

async function execute(memory: BlockMemory, { changes = null, block }: Services): Promise<WorkerResult> {
  if (changes === null)
    throw new RoboSmithError('precondition_failed', "this run can't use git, because it has no directory to work in");
  const read = await changes.read(requestOf(block, memory));
  if ('problem' in read)
    return {
      signal: FAILURE,
      append: [{ type: 'DIFF_ERROR', content: `There is no diff: ${read.problem}`, meta: { code: 'no_diff' } }],
    };
  const { since, files, added, deleted, omitted, keptBack } = read;
  const counts = { files: files.length, added, deleted };
  const listed = files.slice(0, SHOWN).map((file) => file.path);
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'DIFF',
        content: textOf(read),
        meta: { since, ...counts, listed, omitted, kept_back: keptBack.slice(0, SHOWN) },
      },
    ],
    exports: { 'diff.files': files.length, 'diff.added': added, 'diff.deleted': deleted },
  };
}

/**
 * The worker `Internal:Diff`. It adds a segment with the changes in the run's directory, for reviewers. The segment is
 * limited in size and contains no secrets and no files that must not leave the machine.
 */
export const diff: Worker = { sideEffects: 'none', execute };
