import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { FoundFile } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isFileName, mayBe } from './languages.ts';

/** What only says where a file is, and what only says what is in it … */
const PATHS = ['path', 'file_path', 'filePath', 'filepath', 'filename', 'fileName'];
const TEXTS = ['content', 'contents', 'file_text', 'file_content', 'fileContent'];
/** … and what data has as well. */
const MAYBE_PATHS = ['file', 'name'];
const MAYBE_TEXTS = ['code', 'text', 'body', 'source'];
/** What models say of a file beside it. */
const REMARKS: ReadonlySet<string> = new Set([
  ...['language', 'lang', 'type', 'kind', 'action', 'operation', 'status', 'mode', 'encoding', 'id', 'title'],
  ...['description', 'explanation', 'reason', 'why', 'summary', 'purpose', 'comment', 'notes', 'isNew', 'is_new'],
]);
const LISTS = ['files', 'changes', 'outputs', 'artifacts', 'file_changes'];

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textAt = (object: JsonObject, keys: readonly string[]): readonly [string, string] | null => {
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof value === 'string') return [key, value];
  }
  return null;
};

const ended = (content: string): string => (content === '' || content.endsWith('\n') ? content : `${content}\n`);

/** `isSurely`: only what can be nothing else counts; where data is asked for, an object of data may look like a file. */
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

/** All of them, or it means something else. */
function filesOf(values: readonly JsonValue[], isSurely: boolean): readonly FoundFile[] {
  const files = values.map((value) => fileOf(value, isSurely));
  return files.every((file) => file !== null) ? files : [];
}

/** `{ "src/a.ts": "…" }`. */
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

/** Files in an answer that is JSON; empty: it is none, or means something else. `asked` is the path of the one file that is asked for: JSON itself may be meant then. */
export function filesInJson(text: string, asked: string | null): readonly FoundFile[] {
  const bare = text.trim();
  if (!/^[{[]/.test(bare)) return [];
  try {
    return filesInValue(JSON.parse(bare) as JsonValue, asked !== null && mayBe('json', asked));
  } catch {
    return [];
  }
}
