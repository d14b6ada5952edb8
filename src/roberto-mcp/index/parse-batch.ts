import { decodeText, skipReason } from '../parse/classify.ts';
import { extract } from '../parse/extract.ts';
import { languageOf } from '../parse/languages.ts';
import type { BlobReader } from '../store/blob-reader.ts';
import { packFile } from '../store/packed-file.ts';
import { blobKey } from '../store/schema.ts';
import type { ParsedFile, ParseRequest } from './jobs.ts';
import { readFileOnce } from './read-file.ts';

/** Reads and parses one file, unless the parse result for its content is already stored. */
async function parseFile(root: string, path: string, force: boolean, reader: BlobReader): Promise<ParsedFile> {
  const read = readFileOnce(root, path);
  const none = { path, blob: null, skipped: null, racy: false, stamp: null, packed: null };
  if (read.kind === 'gone') return none;
  const { stamp, racy } = read;
  const skipped = read.kind === 'skipped' ? read.reason : skipReason(path, read.bytes);
  if (skipped !== null || read.kind === 'skipped') return { ...none, stamp, racy, skipped };
  const text = decodeText(read.bytes);
  const language = languageOf(path, text);
  const key = blobKey(read.bytes, language);
  const blob = force ? null : reader.findBlob(key);
  if (blob !== null) return { ...none, stamp, racy, blob };
  const extraction = await extract(language, text);
  return { ...none, stamp, racy, packed: packFile(key, language, read.bytes.length, extraction) };
}

/** Parses the files of a batch one after the other. */
export async function parseBatch(request: ParseRequest, reader: BlobReader): Promise<readonly ParsedFile[]> {
  const files: ParsedFile[] = [];
  for (const path of request.paths) files.push(await parseFile(request.root, path, request.force, reader));
  return files;
}
