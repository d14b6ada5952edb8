import { RoboSmithError } from '#protocol/error.ts';
import type { Access, GraphBlock } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Payload, Segment } from '#protocol/payload.ts';
import type { Files, FileToWrite, Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import {
  type FoundFile,
  type LeftOut,
  problem,
  type Reading,
  type WriteCode,
  type WriteProblem,
} from '../answer/found.ts';
import { lazyRewrite } from '../answer/lazy-rewrite.ts';
import { whyNothing } from './write-access.ts';
import { writeService } from './write-service.ts';

/** A block's access, and the replacements that its `params` allow. */
interface Permission {
  readonly access: Access;
  /** True if existing files may be replaced completely. */
  readonly rewrite: boolean;
  /** True if a replacement may have less than half of the old file's size. */
  readonly shorten: boolean;
}

const describeProblem = ({ path, reason }: WriteProblem): string => {
  if (path === '') return reason;
  return `${JSON.stringify(path)} was rejected, so nothing was written: ${reason}`;
};

/** Returns a FAILURE whose segment tells the model how to correct its answer. */
function writeFailure(problems: readonly WriteProblem[]): WorkerResult {
  const refused = problems.filter(({ path }) => path !== '');
  const meta: JsonObject = { code: problems[0]?.code ?? 'no_files', ...(refused.length === 0 ? {} : { refused }) };
  return {
    signal: FAILURE,
    append: [{ type: 'WRITE_ERROR', content: problems.map(describeProblem).join('\n'), meta }],
  };
}

/** Converts an unsafe path error to a problem of the answer. Other errors are thrown again. */
function unsafe(thrown: unknown): CheckedFile {
  if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
  const { path, why } = thrown.data;
  return refuse('unsafe_path', typeof path === 'string' ? path : '', typeof why === 'string' ? why : thrown.message);
}

/** Converts new text to the line endings of the old text, and adds the old text's byte order mark. */
function inStyleOf(old: string, content: string): string {
  const ends = old.split('\n').length - 1;
  const hasMark = old.startsWith('\uFEFF') && !content.startsWith('\uFEFF');
  const windows = ends > 0 && (old.split('\r\n').length - 1) * 2 > ends;
  const plain = ends > 0 ? content.replaceAll('\r\n', '\n') : content;
  return `${hasMark ? '\uFEFF' : ''}${windows ? plain.replaceAll('\n', '\r\n') : plain}`;
}

/** Maximum size in bytes of an existing file that may be replaced; a larger one is treated as binary. */
const MOST_BYTES = 100 * 1024 * 1024;

interface Old {
  readonly text: string;
  readonly hash: string;
}

/** Reads an existing file. Returns null if there is none, and 'no text' if it is too large or not valid UTF-8 text. */
async function oldText(path: string, files: Files): Promise<Old | null | 'no text'> {
  const found = await files.readBytes(path, MOST_BYTES);
  if (found.kind === 'missing') return null;
  if (found.kind === 'too_large') return 'no text';
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(found.bytes);
    return text.includes('\0') ? 'no text' : { text, hash: found.hash };
  } catch {
    return 'no text';
  }
}

type CheckedFile = { readonly problem: WriteProblem } | { readonly write: FileToWrite | null };

const refuse = (code: WriteCode, path: string, reason: string): CheckedFile => ({
  problem: problem(code, path, reason),
});

const ALIASED = /^(@[\w-]*)\/./;

/** Returns why a new path looks like an import alias (`@/a.ts`, or `@src/a.ts` beside a folder `src`), or null. */
async function whyAlias(path: string, files: Files): Promise<string | null> {
  const folder = ALIASED.exec(path)?.[1];
  if (folder === undefined || (await files.glob([`${folder}/**`])).length > 0) return null;
  const meant = folder.slice(1);
  if (meant !== '' && (await files.glob([`${meant}/**`])).length === 0) return null;
  const instead = meant === '' ? '' : `, only "${meant}"`;
  return `there is no folder "${folder}" here${instead}. "${folder}" is an import alias; write the path relative to the project folder`;
}

/** Decides whether one file is written. A `write` of null means that the file already has this content. */
async function judge({ path, content }: FoundFile, files: Files, allowed: Permission): Promise<CheckedFile> {
  const old = await oldText(path, files);
  if (old === null) {
    const why = await whyAlias(path, files);
    return why === null ? { write: { path, content, expected: null } } : refuse('unsafe_path', path, why);
  }
  const wanted = old === 'no text' ? content : inStyleOf(old.text, content);
  // An interrupted execution may also have written this content already.
  if (old !== 'no text' && wanted === old.text) return { write: null };
  if (!allowed.rewrite)
    return refuse(
      'file_exists',
      path,
      'the file exists, and this block may only create new files. Edit it with Internal:Loom, or allow rewriting with "params": { "rewrite": true }',
    );
  if (old === 'no text') return refuse('not_text', path, 'the file is not a text file');
  const lazy = lazyRewrite(path, old.text, content, allowed.shorten);
  return lazy === null ? { write: { path, content: wanted, expected: old.hash } } : { problem: lazy };
}

const countLines = (files: readonly FoundFile[]): number =>
  files.reduce(
    (sum, { content }) => sum + content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0),
    0,
  );

const twice = (path: string, other: string): WriteProblem =>
  problem('unsafe_path', path, other === path ? 'it is listed twice' : `it is the same file as "${other}"`);

/** Describes a block of an answer that was not written to a file. */
const leftOutText = ({ why, language, first }: LeftOut): string =>
  `Not written (${why}): ${language === '' ? 'a block' : `a ${language} block`} beginning with ${JSON.stringify(first)}`;

async function writeAll(
  found: readonly FoundFile[],
  leftOut: readonly LeftOut[],
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
    const judged = await judge(file, files, allowed).catch(unsafe);
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
        content: [...names, ...leftOut.map(leftOutText)].join('\n'),
        meta: { written: wanted.map(({ path }) => path), ...(leftOut.length === 0 ? {} : { left_out: leftOut }) },
      },
    ],
    stats: { filesWritten: found.length, linesWritten: countLines(found), files: names },
  };
}

function flag({ id, params }: GraphBlock, name: string): boolean {
  const value: JsonValue | undefined = params[name];
  if (value === undefined || value === false || value === 'FALSE') return false;
  if (value === true || value === 'TRUE') return true;
  throw new RoboSmithError(
    'precondition_failed',
    `${id} has a "${name}" in its "params" that is neither true nor false`,
  );
}

const literal = (pattern: string): boolean => !/[*?[{]/.test(pattern);

/** Returns the path of the only requested file, from the segment's meta or the block's `artifact`, or null. */
function askedFor(answer: Segment, { artifact }: GraphBlock): string | null {
  const { path } = answer.meta;
  if (typeof path === 'string') return path;
  const [only] = artifact;
  return artifact.length === 1 && only !== undefined && literal(only) ? only : null;
}

const WRITES: ReadonlySet<string> = new Set(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT']);

/**
 * Writes the files that `read` finds in the newest answer: all or none. Older answers are ignored, because earlier
 * visits have already written them.
 */
export async function writeAnswer(
  payload: Payload,
  { files, block }: Services,
  read: (text: string, path: string | null) => Reading,
): Promise<WorkerResult> {
  if (files === null)
    throw new RoboSmithError('precondition_failed', "this run can't use files, because it has no directory to work in");
  const allowed = { access: block.access, rewrite: flag(block, 'rewrite'), shorten: flag(block, 'shorten') };
  const nothing = whyNothing(block.access);
  if (nothing !== null)
    return writeFailure([problem('access_denied', '', `${block.id} may not write any file: ${nothing}`)]);
  const answer = payload.findLast(({ type }) => WRITES.has(type));
  if (answer === undefined)
    return writeFailure([problem('no_answer', '', 'there is no CODE_OUTPUT or DOCUMENTATION_OUTPUT segment')]);
  const reading = read(answer.content, askedFor(answer, block));
  return reading.ok ? writeAll(reading.files, reading.leftOut ?? [], files, allowed) : writeFailure(reading.problems);
}
