import { RoboSmithError } from '#protocol/error.ts';
import type { Access, GraphBlock } from '#protocol/graph.ts';
import type { Payload, Segment } from '#protocol/payload.ts';
import type { Files } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { type CodeFile, codeFiles } from './code-blocks.ts';
import { whyNothing } from './write-access.ts';
import { type Refused, writeService } from './write-service.ts';

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

const failure = (content: string, refused: readonly Refused[] = []): WorkerResult => ({
  signal: FAILURE,
  append: [{ type: 'WRITE_ERROR', content, ...(refused.length === 0 ? {} : { meta: { refused } }) }],
});

const failureOf = (refused: readonly Refused[]): WorkerResult =>
  failure(
    refused.map(({ path, reason }) => `${JSON.stringify(path)} is refused, nothing was written: ${reason}`).join('\n'),
    refused,
  );

async function write(found: readonly CodeFile[], files: Files, access: Access): Promise<WorkerResult> {
  const refused = await writeService(files, access).write(found);
  if (refused.length > 0) return failureOf(refused);
  const names = found.map(({ path }) => path);
  return {
    signal: SUCCESS,
    append: [{ type: 'FILES_WRITTEN', content: names.join('\n') }],
    stats: { filesWritten: found.length, linesWritten: countLines(found), files: names },
  };
}

/** Writes the files of the newest CODE_OUTPUT or DOCUMENTATION_OUTPUT segment, all or none (spec/workers.md). */
export const fileSystemWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, { files, block }) => {
    if (files === null)
      throw new RoboSmithError('precondition_failed', 'no files here: this run has no directory to work in');
    const nothing = whyNothing(block.access);
    if (nothing !== null) return failure(`${block.id} may write nothing: ${nothing}`);
    const answer = newestAnswer(payload);
    if (answer === null) return failure('There is no CODE_OUTPUT segment to write.');
    const found = codeFiles(answer.content, fallbackPath(answer, block));
    return found.length === 0
      ? failure('The answer has no fenced code block that names a file, like ```ts path=src/a.ts')
      : write(found, files, block.access);
  },
};
