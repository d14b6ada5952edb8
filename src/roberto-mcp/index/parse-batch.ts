import { decodeText, skippedByContent, skippedByName } from '../parse/classify.ts';
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
  if (read.kind === 'skipped') return { ...none, stamp, racy, skipped: read.reason };
  const { bytes } = read;
  const named = skippedByName(path);
  if (named !== null) return { ...none, stamp, racy, skipped: named };
  const text = decodeText(bytes);
  const language = languageOf(path, text);
  const key = blobKey(bytes, language);
  // A stored result means that this content was not skipped, so that its bytes need not be examined again.
  const blob = force ? null : reader.findBlob(key);
  if (blob !== null) return { ...none, stamp, racy, blob };
  const skipped = skippedByContent(bytes);
  if (skipped !== null) return { ...none, stamp, racy, skipped };
  const extraction = await extract(language, text);
  return { ...none, stamp, racy, packed: packFile(key, language, bytes.length, extraction) };
}

/** Parses the files of a batch one after the other. */
export async function parseBatch(request: ParseRequest, reader: BlobReader): Promise<readonly ParsedFile[]> {
  const files: ParsedFile[] = [];
  for (const path of request.paths) files.push(await parseFile(request.root, path, request.force, reader));
  return files;
}
