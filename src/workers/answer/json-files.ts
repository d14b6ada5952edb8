import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { FoundFile } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isFileName, mayBe } from './languages.ts';

/** Keys that hold only the path, or only the content, of a file. */
const PATHS = ['path', 'file_path', 'filePath', 'filepath', 'filename', 'fileName'];
const TEXTS = ['content', 'contents', 'file_text', 'file_content', 'fileContent'];
/** Keys that may hold a path or content, but also occur in other data. */
const MAYBE_PATHS = ['file', 'name'];
const MAYBE_TEXTS = ['code', 'text', 'body', 'source'];
/** Keys that models add to describe a file. */
const REMARKS: ReadonlySet<string> = new Set([
  ...['language', 'lang', 'type', 'kind', 'action', 'operation', 'status', 'mode', 'encoding', 'id', 'title'],
  ...['description', 'explanation', 'reason', 'why', 'summary', 'purpose', 'comment', 'notes', 'isNew', 'is_new'],
]);
const LISTS = ['files', 'changes', 'outputs', 'artifacts', 'file_changes'];

const textAt = (object: JsonObject, keys: readonly string[]): readonly [string, string] | null => {
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof value === 'string') return [key, value];
  }
  return null;
};

const ended = (content: string): string => (content === '' || content.endsWith('\n') ? content : `${content}\n`);

/**
 * Returns the file that a JSON object describes, or null. With `isSurely`, only unambiguous keys count, because the
 * requested file may itself be JSON whose data looks like a file description.
 */
function fileOf(value: JsonValue, isSurely: boolean): FoundFile | null {
  if (!isObject(value)) return null;
  const said = textAt(value, [...PATHS, ...MAYBE_PATHS]);
  const text = textAt(value, [...TEXTS, ...MAYBE_TEXTS]);
  if (said === null || text === null) return null;
  const path = withSlashes(said[1]);
  const isNamed = isFileName(path) && !/\s/.test(path);
  const isPlain = PATHS.includes(said[0]) && TEXTS.includes(text[0]);
  const isOnly = Object.keys(value).every((key) => key === said[0] || key === text[0] || REMARKS.has(key));
  const isFile = isPlain ? isNamed || (isOnly && !isSurely) : isNamed && isOnly && !isSurely;
  return isFile ? { path, content: ended(text[1]) } : null;
}

/** Returns the files of a list, or none unless every value is a file. */
function filesOf(values: readonly JsonValue[], isSurely: boolean): readonly FoundFile[] {
  const files = values.map((value) => fileOf(value, isSurely));
  return files.every((file) => file !== null) ? files : [];
}

/**
 * Returns the files of an object that maps paths to contents, `{ "src/a.ts": "…" }`, or none unless every entry is a
 * file.
 */
function filesByPath(table: JsonObject): readonly FoundFile[] {
  const entries = Object.entries(table);
  const files = entries.map(([path, content]) =>
    typeof content === 'string' && isFileName(withSlashes(path))
      ? { path: withSlashes(path), content: ended(content) }
      : null,
  );
  return files.every((file) => file !== null) ? files : [];
}

function filesInValue(value: JsonValue, isSurely: boolean): readonly FoundFile[] {
  if (Array.isArray(value)) return filesOf(value, isSurely);
  if (!isObject(value)) return [];
  for (const key of LISTS) {
    const list = Object.hasOwn(value, key) ? value[key] : undefined;
    if (Array.isArray(list)) return filesOf(list as readonly JsonValue[], isSurely);
    if (isObject(list)) return isSurely ? [] : filesByPath(list);
  }
  const one = fileOf(value, isSurely);
  return one === null ? [] : [one];
}

/**
 * Returns the files of an answer in JSON, or an empty list if the answer is not JSON or is not a list of files. `asked`
 * is the path of the only requested file, or null; that file may itself be JSON.
 */
export function filesInJson(text: string, asked: string | null): readonly FoundFile[] {
  const bare = text.trim();
  if (!/^[{[]/.test(bare)) return [];
  try {
    return filesInValue(JSON.parse(bare) as JsonValue, asked !== null && mayBe('json', asked));
  } catch {
    return [];
  }
}
