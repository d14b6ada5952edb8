import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { FoundFile } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isFileName, isQuotedPath } from './languages.ts';

/** Keys that hold the path of a file, and keys that hold its text. */
const SURE_PATHS = ['path', 'file_path', 'filePath', 'filepath', 'filename', 'fileName'];
const SURE_TEXTS = ['content', 'contents', 'file_text', 'file_content', 'fileContent'];
/** The same, with keys that also occur in other data. */
const PATHS = [...SURE_PATHS, 'file', 'name'];
const TEXTS = [...SURE_TEXTS, 'code', 'text', 'body', 'source'];
/** Keys that may describe a file. An object with any other key is not understood as a file. */
const REMARKS: ReadonlySet<string> = new Set([
  ...['language', 'lang', 'encoding', 'id', 'title', 'description', 'explanation', 'reason', 'why', 'summary'],
  ...['purpose', 'comment', 'notes', 'isNew', 'is_new'],
]);
/** Keys that say what to do with a file. */
const ACTIONS = ['action', 'operation', 'status', 'mode', 'type', 'kind', 'change'];
const WRITES =
  /^(?:create|created|new|add|added|update|updated|modify|modified|write|replace|replaced|overwrite|rewrite|file|code|full|source)$/i;

const LISTS = ['files', 'changes', 'outputs', 'artifacts', 'file_changes'];

const keyOf = (object: JsonObject, keys: readonly string[]): string | null =>
  keys.find((key) => Object.hasOwn(object, key) && typeof object[key] === 'string') ?? null;

const textAt = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === 'string' ? value : '';
};

const file = (path: string, content: string): FoundFile => ({
  path,
  announced: 'stated',
  content: content === '' || content.endsWith('\n') ? content : `${content}\n`,
});

const isWritten = (key: string, value: JsonValue | undefined): boolean =>
  ACTIONS.includes(key) ? typeof value === 'string' && WRITES.test(value) : REMARKS.has(key);

/** Returns the file that a JSON object describes, or null if the object has anything else. */
function fileOf(value: JsonValue): FoundFile | null {
  if (!isObject(value)) return null;
  const [said, text] = [keyOf(value, PATHS), keyOf(value, TEXTS)];
  if (said === null || text === null) return null;
  const path = withSlashes(textAt(value, said));
  const isOnly = Object.entries(value).every(([key, one]) => key === said || key === text || isWritten(key, one));
  return isOnly && isQuotedPath(path) ? file(path, textAt(value, text)) : null;
}

/** Returns the files of a list, or none unless every value is a file. */
function filesOf(values: readonly JsonValue[]): readonly FoundFile[] {
  const files = values.map(fileOf);
  return files.every((one) => one !== null) ? files : [];
}

/** Returns the files of an object that maps paths to texts, `{ "src/a.ts": "…" }`, or none. */
function filesByPath(table: JsonObject): readonly FoundFile[] {
  const files = Object.entries(table).map(([path, content]) =>
    typeof content === 'string' && isFileName(withSlashes(path)) ? file(withSlashes(path), content) : null,
  );
  return files.every((one) => one !== null) ? files : [];
}

/** Returns the files that a JSON value lists, or an empty list if it is anything else. */
function filesInValue(value: JsonValue): readonly FoundFile[] {
  if (Array.isArray(value)) return filesOf(value as readonly JsonValue[]);
  if (!isObject(value)) return [];
  const key = LISTS.find((one) => Object.hasOwn(value, one));
  const list = key === undefined ? undefined : value[key];
  const others = Object.entries(value).filter(([one]) => one !== key);
  if (others.some(([, one]) => Array.isArray(one) && one.length > 0)) return [];
  if (Array.isArray(list)) return filesOf(list as readonly JsonValue[]);
  if (isObject(list)) return filesByPath(list);
  const one = fileOf(value);
  return one === null ? [] : [one];
}

/** Returns the files of a JSON text, or an empty list if it is not JSON or holds anything but files. */
export function filesInJson(text: string): readonly FoundFile[] {
  const bare = text.trim();
  if (!/^[{[]/.test(bare)) return [];
  try {
    return filesInValue(JSON.parse(bare) as JsonValue);
  } catch {
    return [];
  }
}

/** Returns true if a JSON text has objects with a path and a text, whatever else they have. */
export function hasSureFiles(text: string): boolean {
  try {
    const value = JSON.parse(text) as JsonValue;
    const list = isObject(value) ? LISTS.map((key) => value[key]).find((one) => Array.isArray(one)) : value;
    const all: readonly JsonValue[] = Array.isArray(list) ? (list as readonly JsonValue[]) : [value];
    return all.some((one) => {
      if (!isObject(one) || keyOf(one, SURE_TEXTS) === null) return false;
      const said = keyOf(one, SURE_PATHS);
      return said !== null && isFileName(withSlashes(textAt(one, said)));
    });
  } catch {
    return false;
  }
}

/** Returns true if a JSON Schema describes a list of files. */
export function listsFiles(schema: JsonValue): boolean {
  if (!isObject(schema)) return false;
  const { properties } = schema;
  return schema['type'] === 'array' || (isObject(properties) && LISTS.some((key) => Object.hasOwn(properties, key)));
}
