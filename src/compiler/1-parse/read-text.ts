import { printParseErrorCode } from 'jsonc-parser';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { buildTree } from './build-tree.ts';
import type { Diagnose } from './diagnose.ts';
import { findDeepBracket, MAX_NESTING } from './find-deep-bracket.ts';
import { actualType, isObject } from './json-reader.ts';
import { lineStarts, type LocatedPlace, memberPointer, placeAt, type SourceFile } from './origins.ts';

const MAX_BYTES = 32 * 1024 * 1024;

/** The number of syntax errors that are reported per file; further ones mostly follow from the first. */
const MAX_SYNTAX_ERRORS = 5;

const SENTENCE: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value',
  InvalidNumberFormat: 'this is not a JSON number',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'the end of the file is expected',
  InvalidCommentToken: 'a comment is not allowed',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
  UnexpectedEndOfNumber: 'the number is not complete',
  InvalidUnicode: 'the escape \\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape is unknown',
  InvalidCharacter: 'a control character must be escaped in a string',
};

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

interface Opened {
  readonly text: string;
  readonly file: SourceFile;
  place(offset: number): LocatedPlace;
}

function isTooLarge(source: ManifestSource, order: number, { findings }: Diagnose): boolean {
  const start = placeAt({ path: source.path, order, starts: [0] }, 0, '');
  // A UTF-16 code unit takes at most three bytes in UTF-8, so the exact size is computed only for long texts.
  const size = source.text.length * 3 <= MAX_BYTES ? 0 : utf8Length(source.text);
  if (size > MAX_BYTES) findings.report('RS1002', start, { size: String(size), limit: String(MAX_BYTES) });
  return size > MAX_BYTES;
}

function isReadable({ text, place }: Opened, { findings }: Diagnose): boolean {
  const nul = text.indexOf('\0');
  if (nul !== -1) findings.report('RS1004', place(nul), {});
  const deep = nul === -1 ? findDeepBracket(text) : null;
  if (deep !== null) findings.report('RS1003', place(deep), { limit: String(MAX_NESTING) });
  return nul === -1 && deep === null;
}

function readTree({ text, file, place }: Opened, { findings, origins }: Diagnose): JsonObject | null {
  let syntaxErrors = 0;
  let lastError = -1;
  const root = buildTree(text, file, origins, {
    syntax: (code, offset, pointer) => {
      syntaxErrors += 1;
      if (syntaxErrors > MAX_SYNTAX_ERRORS || offset === lastError) return;
      lastError = offset;
      findings.report('RS1001', placeAt(file, offset, pointer), {
        problem: SENTENCE[printParseErrorCode(code)] ?? 'it cannot be read',
      });
    },
    duplicateKey: (key, first, again, owner) => {
      const pointer = memberPointer(owner, key);
      const related = [{ ...placeAt(file, first, pointer).place, message: 'The key is first defined here.' }];
      findings.report('RS1005', placeAt(file, again, pointer), { key }, { related });
    },
    forbiddenKey: (key, offset, owner) => {
      findings.report('RS1006', placeAt(file, offset, memberPointer(owner, key)), { key });
    },
    infiniteNumber: (offset, length, pointer) => {
      findings.report('RS1007', placeAt(file, offset, pointer), { number: text.slice(offset, offset + length) });
    },
    loneSurrogate: (value, offset, pointer) => {
      findings.report('RS1008', placeAt(file, offset, pointer), { text: value });
    },
  });
  if (syntaxErrors > 0 || root === undefined) return null;
  if (isObject(root)) return root;
  findings.report('RS1009', place(0), { what: 'The file', expected: 'an object', actual: actualType(root) });
  return null;
}

/**
 * Parses the text of one file and records the origins of its values. Returns null if it is no JSON object. `order` is
 * the file's position among the sources.
 */
export function readText(source: ManifestSource, order: number, diagnose: Diagnose): JsonObject | null {
  if (isTooLarge(source, order, diagnose)) return null;
  const text = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  const file: SourceFile = { path: source.path, order, starts: lineStarts(text) };
  const opened: Opened = { text, file, place: (offset) => placeAt(file, offset, '') };
  return isReadable(opened, diagnose) ? readTree(opened, diagnose) : null;
}
