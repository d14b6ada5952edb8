import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Payload, Segment } from '#protocol/payload.ts';
import type { Worker } from '#protocol/worker.ts';
import { type CodeFile, codeFiles } from './code-blocks.ts';

const WRITES: ReadonlySet<string> = new Set(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT']);

/** The newest answer: what earlier visits said has been written by earlier visits. */
function newestAnswer(payload: Payload): Segment | null {
  for (let index = payload.length - 1; index >= 0; index -= 1) {
    const segment = payload[index];
    if (segment !== undefined && WRITES.has(segment.type)) return segment;
  }
  return null;
}

const literal = (pattern: string): boolean => !/[*?[{]/.test(pattern);

function fallbackPath(answer: Segment, { artifact }: GraphBlock): string | null {
  const { path } = answer.meta;
  if (typeof path === 'string') return path;
  const [only] = artifact;
  return artifact.length === 1 && only !== undefined && literal(only) ? only : null;
}

const countLines = (files: readonly CodeFile[]): number =>
  files.reduce((sum, { content }) => sum + content.split('\n').length - 1, 0);

/** Writes the files of the newest CODE_OUTPUT or DOCUMENTATION_OUTPUT segment, all or none (spec/workers.md). */
export const fileSystemWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, { files, block }) => {
    if (files === null)
      throw new RoboSmithError('precondition_failed', 'no files here: this run has no directory to work in');
    const answer = newestAnswer(payload);
    const found = answer === null ? [] : codeFiles(answer.content, fallbackPath(answer, block));
    if (found.length === 0) {
      const content =
        answer === null
          ? 'There is no CODE_OUTPUT segment to write.'
          : 'The answer has no fenced code block that names a file, like ```ts path=src/a.ts';
      return { signal: 'SIGNAL:FAILURE', append: [{ type: 'WRITE_ERROR', content }] };
    }
    await files.writeAll(found);
    const names = found.map(({ path }) => path);
    return {
      signal: 'SIGNAL:SUCCESS',
      append: [{ type: 'FILES_WRITTEN', content: names.join('\n') }],
      stats: { filesWritten: found.length, linesWritten: countLines(found), files: names },
    };
  },
};
