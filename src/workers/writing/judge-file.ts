import { RoboSmithError } from '#protocol/error.ts';
import type { Access, GraphBlock } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Files, FileToWrite } from '#protocol/services.ts';
import { type FoundFile, problem, type WriteCode, type WriteProblem } from '../answer/found.ts';
import { whyIncomplete } from '../answer/omission.ts';

/** A block's access, and the replacements that its `params` allow. */
export interface Permission {
  readonly access: Access;
  /** True if existing files may be replaced completely. */
  readonly rewrite: boolean;
  /** True if a replacement may have less than half of the old file's size. */
  readonly shorten: boolean;
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

/** Returns the permission of a block. Throws `precondition_failed` if one of its `params` is no flag. */
export const permissionOf = (block: GraphBlock): Permission => ({
  access: block.access,
  rewrite: flag(block, 'rewrite'),
  shorten: flag(block, 'shorten'),
});

/** Converts an unsafe path error to a problem of the answer. Other errors are thrown again. */
function unsafe(thrown: unknown): CheckedFile {
  if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
  const { path, why } = thrown.data;
  return refuse('unsafe_path', typeof path === 'string' ? path : '', typeof why === 'string' ? why : thrown.message);
}

/**
 * Converts new text to the line endings of the old text, adds the old text's byte order mark, and leaves out the last
 * line ending if the old text has none.
 */
function inStyleOf(old: string, written: string): string {
  const isOpen = old !== '' && !old.endsWith('\n') && written.endsWith('\n');
  const content = isOpen ? written.slice(0, written.endsWith('\r\n') ? -2 : -1) : written;
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
async function judge(file: FoundFile, files: Files, allowed: Permission): Promise<CheckedFile> {
  const { path, content } = file;
  const old = await oldText(path, files);
  if (old === null) {
    const why = await whyAlias(path, files);
    if (why !== null) return refuse('unsafe_path', path, why);
    const incomplete = whyIncomplete(file, null, allowed.shorten);
    return incomplete === null ? { write: { path, content, expected: null } } : { problem: incomplete };
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
  const incomplete = whyIncomplete(file, old.text.replace(/^\uFEFF/, ''), allowed.shorten);
  return incomplete === null ? { write: { path, content: wanted, expected: old.hash } } : { problem: incomplete };
}

/** Decides whether a file may be written, without writing it. */
export const judgeFile = (file: FoundFile, files: Files, allowed: Permission): Promise<CheckedFile> =>
  judge(file, files, allowed).catch(unsafe);
