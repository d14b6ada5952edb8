import { type FormattingOptions, type JSONPath, modify } from 'jsonc-parser';
import type { JsonValue } from '#protocol/json.ts';
import type { ManifestDocument } from '../text/document.ts';
import type { TextEdit } from '../text/place.ts';

/** Detects the indentation and line endings of a JSON text. */
function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 4 : indent.length, eol };
}

/**
 * Returns the edits that set the value at a JSON path; the value undefined removes it. Comments and formatting are
 * kept. A new property becomes the first or the last one of its object.
 */
export function setValue(
  document: ManifestDocument,
  path: readonly (string | number)[],
  value: JsonValue | undefined,
  place: 'first' | 'last' = 'last',
): readonly TextEdit[] {
  const { text } = document;
  const edits = modify(text, path as JSONPath, value, {
    formattingOptions: formattingOf(text),
    ...(place === 'first' ? { getInsertionIndex: () => 0 } : {}),
  });
  return edits.map(({ offset, length, content }) => ({
    file: document.path,
    range: document.rangeOf({ from: offset, to: offset + length }),
    newText: content,
  }));
}
