import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { FoundFile } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isFileName } from './languages.ts';

const PATHS = ['path', 'file_path', 'filePath', 'filepath', 'filename', 'fileName', 'file', 'name'];
const TEXTS = ['content', 'contents', 'code', 'text', 'body', 'source', 'file_text'];
const LISTS = ['files', 'changes', 'outputs', 'artifacts', 'file_changes'];

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textAt = (object: JsonObject, keys: readonly string[]): string | null => {
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof value === 'string') return value;
  }
  return null;
};

const ended = (content: string): string => (content === '' || content.endsWith('\n') ? content : `${content}\n`);

function fileOf(value: JsonValue): FoundFile | null {
  if (!isObject(value)) return null;
  const [path, content] = [textAt(value, PATHS), textAt(value, TEXTS)];
  return path === null || content === null ? null : { path: withSlashes(path), content: ended(content) };
}

/** All of them, or it means something else. */
function filesOf(values: readonly JsonValue[]): readonly FoundFile[] {
  const files = values.map(fileOf);
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

function filesInValue(value: JsonValue): readonly FoundFile[] {
  if (Array.isArray(value)) return filesOf(value);
  if (!isObject(value)) return [];
  for (const key of LISTS) {
    const list = Object.hasOwn(value, key) ? value[key] : undefined;
    if (Array.isArray(list)) return filesOf(list as readonly JsonValue[]);
    if (isObject(list)) return filesByPath(list);
  }
  const one = fileOf(value);
  return one === null ? [] : [one];
}

/** Files in an answer that is JSON; empty: it is none, or means something else. */
export function filesInJson(text: string): readonly FoundFile[] {
  const bare = text.trim();
  if (!/^[{[]/.test(bare)) return [];
  try {
    return filesInValue(JSON.parse(bare) as JsonValue);
  } catch {
    return [];
  }
}
