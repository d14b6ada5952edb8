import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Payload, Segment } from '#protocol/payload.ts';
import type { Files, FileToWrite, Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { FILE_FORM } from '../answer/file-form.ts';
import {
  type FoundFile,
  type LeftOut,
  problem,
  type Reading,
  type WriteCode,
  type WriteProblem,
} from '../answer/found.ts';
import { fenceLines } from '../answer/fence-line.ts';
import { readFiles } from '../answer/read-files.ts';
import { judgeFile, type Permission, permissionOf } from './judge-file.ts';
import { whyNothing } from './write-access.ts';
import { writeService } from './write-service.ts';
import { readDocument } from '../answer/read-document.ts';

const describeProblem = ({ path, reason }: WriteProblem): string => {
  if (path === '') return reason;
  return `${JSON.stringify(path)} was rejected, so nothing was written: ${reason}`;
};

/** Codes of problems that a model can correct by writing its answer again in the form that it was asked for. */
const CORRECTABLE: ReadonlySet<WriteCode> = new Set<WriteCode>([
  ...(['no_files', 'truncated', 'ambiguous_fences', 'ambiguous', 'excerpt', 'framed', 'edit_format'] as const),
  ...(['bad_diff', 'placeholder', 'lazy_rewrite'] as const),
]);

/** Describes problems to a model, with the form of an answer if that would have avoided them. */
function described(problems: readonly WriteProblem[]): string {
  const form = problems.some(({ code }) => CORRECTABLE.has(code)) ? ['', FILE_FORM] : [];
  return [...problems.map(describeProblem), ...form].join('\n');
}

/** Returns a FAILURE whose segment tells the model how to correct its answer. */
function writeFailure(problems: readonly WriteProblem[]): WorkerResult {
  const refused = problems.filter(({ path }) => path !== '');
  const meta: JsonObject = { code: problems[0]?.code ?? 'no_files', ...(refused.length === 0 ? {} : { refused }) };
  return { signal: FAILURE, append: [{ type: 'WRITE_ERROR', content: described(problems), meta }] };
}

const countLines = (files: readonly FoundFile[]): number =>
  files.reduce(
    (sum, { content }) => sum + content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0),
    0,
  );

const twice = (path: string, other: string): WriteProblem =>
  problem('unsafe_path', path, other === path ? 'it is listed twice' : `it is the same file as "${other}"`);

/** Describes a block of an answer that was not written to a file. */
const leftOutText = ({ language, first }: LeftOut): string =>
  `Not written, because it is no file: ${language === '' ? 'a block' : `a ${language} block`} beginning with ${JSON.stringify(first)}`;

const namedText = (named: readonly string[]): readonly string[] =>
  named.length === 0 ? [] : [`Named in the answer, but neither written nor deleted: ${named.join(', ')}`];

async function writeAll(
  { files: found, leftOut, named }: Extract<Reading, { ok: true }>,
  files: Files,
  allowed: Permission,
): Promise<WorkerResult> {
  const service = writeService(files, allowed.access);
  const problems: WriteProblem[] = [];
  const wanted: FileToWrite[] = [];
  const places = new Map<string, string>();
  await files.settle();
  for (const file of found) {
    const place = await service.locate(file.path);
    if ('reason' in place) {
      problems.push(problem(place.code, place.path, place.reason));
      continue;
    }
    const judged = await judgeFile(file, files, allowed);
    const other = places.get(place.real);
    if ('problem' in judged) problems.push(judged.problem);
    else if (other !== undefined) problems.push(twice(file.path, other));
    else if (judged.write !== null) wanted.push(judged.write);
    places.set(place.real, file.path);
  }
  if (problems.length > 0) return writeFailure(problems);
  const refused = await service.write(wanted);
  if (refused.length > 0) return writeFailure(refused.map(({ code, path, reason }) => problem(code, path, reason)));
  const names = found.map(({ path }) => path);
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'FILES_WRITTEN',
        content: [...names, ...leftOut.map(leftOutText), ...namedText(named)].join('\n'),
        meta: {
          written: wanted.map(({ path }) => path),
          ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
          ...(named.length === 0 ? {} : { named }),
        },
      },
    ],
    stats: { filesWritten: found.length, linesWritten: countLines(found), files: names },
  };
}

const literal = (pattern: string): boolean => !/[*?[{]/.test(pattern);

/** Returns the only file of the block's `artifact`, or null. */
function onlyArtifact({ artifact }: GraphBlock): string | null {
  const [only] = artifact;
  return artifact.length === 1 && only !== undefined && literal(only) ? only : null;
}

/** Returns the path of the only requested file, from the segment's meta or the block's `artifact`, or null. */
const askedFor = ({ meta: { path } }: Segment, block: GraphBlock): string | null =>
  typeof path === 'string' ? path : onlyArtifact(block);

/**
 * Reads the files of a segment. A program that writes a file, without a fence, says its path in the segment's meta, which
 * no answer of a model can set.
 */
function readSegment({ content, meta: { path } }: Segment, asked: string | null, data: string | null): Reading {
  if (typeof path !== 'string' || fenceLines(content.split('\n')).length > 0) return readFiles(content, asked, data);
  return { ok: true, files: [{ path, announced: 'stated', content }], leftOut: [], named: [] };
}

/** The types of segments that the writers read. */
const WRITTEN_TYPES: ReadonlySet<string> = new Set(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT']);

const stepOf = (segment: Segment | undefined): string => segment?.id.replace(/\.\d+$/, '') ?? '';

/** Returns the data of an answer, which is the next segment of the same step, or null. */
function dataOf(payload: Payload, at: number): string | null {
  const next = payload[at + 1];
  return next?.type === 'ANSWER_DATA' && stepOf(next) === stepOf(payload[at]) ? next.content : null;
}

/**
 * Returns why the writer block would not write an answer, with the form to use, or null if it would, or if its reason is
 * none that another answer could avoid. Writes nothing. Without `files`, only the text is checked.
 */
export async function whyNotWritten(
  { text, data }: { readonly text: string; readonly data: string | null },
  writer: GraphBlock,
  files: Files | null,
): Promise<string | null> {
  const reading = readFiles(text, onlyArtifact(writer), data);
  if (!reading.ok) return described(reading.problems);
  if (files === null) return null;
  const allowed = permissionOf(writer);
  const problems: WriteProblem[] = [];
  for (const file of reading.files) {
    const judged = await judgeFile(file, files, allowed);
    if ('problem' in judged && CORRECTABLE.has(judged.problem.code)) problems.push(judged.problem);
  }
  return problems.length === 0 ? null : described(problems);
}

/**
 * Writes the files that `read` finds in the newest answer: all or none. Older answers are ignored, because earlier
 * visits have already written them.
 */
async function writeAnswer(
  payload: Payload,
  { files, block }: Services,
  read: (answer: Segment, asked: string | null, data: string | null) => Reading,
): Promise<WorkerResult> {
  if (files === null)
    throw new RoboSmithError('precondition_failed', "this run can't use files, because it has no directory to work in");
  const allowed = permissionOf(block);
  const nothing = whyNothing(block.access);
  if (nothing !== null)
    return writeFailure([problem('access_denied', '', `${block.id} may not write any file: ${nothing}`)]);
  const at = payload.findLastIndex(({ type }) => WRITTEN_TYPES.has(type));
  const answer = payload[at];
  if (answer === undefined)
    return writeFailure([problem('no_answer', '', 'there is no CODE_OUTPUT or DOCUMENTATION_OUTPUT segment')]);
  const reading = read(answer, askedFor(answer, block), dataOf(payload, at));
  return reading.ok ? writeAll(reading, files, allowed) : writeFailure(reading.problems);
}

/**
 * The worker `Internal:DocumentationWriter`. It writes the document in the newest answer, without the remarks before
 * its first heading or rule.
 */
export const documentationWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, services) =>
    writeAnswer(payload, services, ({ content }, asked) => readDocument(content, asked)),
};

/**
 * The worker `Internal:FileSystemWriter`. It writes the files of the newest CODE_OUTPUT or DOCUMENTATION_OUTPUT
 * segment: all or none.
 */
export const fileSystemWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, services) => writeAnswer(payload, services, readSegment),
};
