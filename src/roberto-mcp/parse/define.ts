import type { Node, QueryMatch } from 'web-tree-sitter';
import { docAbove, docstringAt } from './doc-comment.ts';
import { SYMBOL_KINDS, type SymbolKind } from './extraction.ts';
import type { LanguageName } from './languages.ts';

/** A definition before its enclosing definition is determined. */
export interface FoundDefinition {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly startRow: number;
  readonly endRow: number;
  readonly row: number;
  readonly column: number;
  readonly approximate: boolean;
  readonly signature: string;
  readonly doc: string;
}

/** A text together with its lines. */
export interface SourceText {
  readonly language: LanguageName;
  readonly text: string;
  readonly lines: readonly string[];
}

const KINDS: ReadonlySet<string> = new Set(SYMBOL_KINDS);
const isKind = (name: string): name is SymbolKind => KINDS.has(name);

const NAME_NODES = new Set([
  'identifier',
  'field_identifier',
  'type_identifier',
  'destructor_name',
  'operator_name',
  'operator_cast',
]);
const MAX_DECLARATORS = 12;

interface DeclaredName {
  readonly node: Node;
  readonly qualified: boolean;
  /** True for `(*name)(…)`: a variable that points to a function, not a function. */
  readonly parenthesized: boolean;
}

/** Finds the declared name inside a C declarator. */
function declaredName(declarator: Node): DeclaredName | null {
  let node: Node | null = declarator;
  let qualified = false;
  let parenthesized = false;
  for (let depth = 0; node !== null && depth < MAX_DECLARATORS; depth += 1) {
    if (NAME_NODES.has(node.type)) return { node, qualified, parenthesized };
    qualified ||= node.type === 'qualified_identifier';
    parenthesized ||= node.type === 'parenthesized_declarator';
    node = node.childForFieldName('declarator') ?? node.childForFieldName('name') ?? node.lastNamedChild;
  }
  return null;
}

const MAX_SIGNATURE = 300;
const BLOCKS = new Set<SymbolKind>([
  'class',
  'constructor',
  'enum',
  'function',
  'impl',
  'interface',
  'method',
  'module',
  'struct',
  'trait',
]);
const MODIFIERS = /^\s*[\w()\s]*$/u;

function bodyStart(node: Node, kind: SymbolKind): number {
  if (!BLOCKS.has(kind)) return -1;
  const holder = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node;
  const body = holder?.childForFieldName('body') ?? null;
  if (body !== null) return body.startIndex;
  const value = holder?.childForFieldName('value') ?? holder?.childForFieldName('right');
  return value?.childForFieldName('body')?.startIndex ?? -1;
}

/** Returns the text of a definition up to its body, joined into one line. */
function signatureOf({ text, lines }: SourceText, node: Node, kind: SymbolKind, end: number): string {
  const { startIndex, startPosition } = node;
  const prefix = (lines[startPosition.row] ?? '').slice(0, startPosition.column);
  const start = MODIFIERS.test(prefix) ? startIndex - prefix.trimStart().length : startIndex;
  const body = bodyStart(node, kind);
  let signature = text.slice(start, Math.min(body >= 0 ? body : end, start + MAX_SIGNATURE * 2));
  if (body < 0) {
    const stop = BLOCKS.has(kind) ? signature.search(/[{\n]/u) : signature.indexOf('\n');
    if (stop > 0) signature = signature.slice(0, stop);
  }
  return shorten(signature);
}

export function shorten(signature: string): string {
  const line = signature
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/\s*(?:\{|=>|:|=)$/u, '')
    .replace(/[;,]$/u, '');
  return line.length > MAX_SIGNATURE ? `${line.slice(0, MAX_SIGNATURE - 1)}…` : line;
}

function docOf(source: SourceText, startRow: number, node: Node, kind: SymbolKind): string {
  if (source.language === 'python' && (kind === 'function' || kind === 'class')) {
    const holder = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node;
    const body = holder?.childForFieldName('body');
    const docstring = body === null || body === undefined ? '' : docstringAt(source.lines, body.startPosition.row);
    if (docstring !== '') return docstring;
  }
  const before = (source.lines[startRow] ?? '').slice(0, node.startPosition.column);
  return startRow === 0 || !MODIFIERS.test(before) ? '' : docAbove(source.language, source.lines, startRow);
}

/** Types of syntax nodes whose direct child variables count as definitions. */
const FILE_LEVEL = new Set(['program', 'module', 'source_file', 'chunk', 'export_statement', 'ambient_declaration']);
const BLOCK = new Set(['statement_block', 'block', 'class_body', 'enum_class_body']);
const NAMESPACE = new Set(['internal_module', 'module']);
const CLASS = new Set(['class_definition', 'class_declaration', 'object_declaration', 'companion_object']);
const CONDITION = new Set(['if_statement', 'try_statement', 'else_clause', 'except_clause']);
const MAX_CONDITIONS = 4;

/** Returns the symbol kind of a variable, based on where its statement is, or null for a local variable. */
function kindInPlace(statement: Node, kind: SymbolKind | null): SymbolKind | null {
  let { parent } = statement;
  for (let depth = 0; parent !== null && depth < MAX_CONDITIONS; depth += 1) {
    if (FILE_LEVEL.has(parent.type)) return kind;
    if (!BLOCK.has(parent.type)) return null;
    const holder: Node | null = parent.parent;
    if (holder === null) return null;
    if (NAMESPACE.has(holder.type)) return kind;
    if (CLASS.has(holder.type)) return 'field';
    if (!CONDITION.has(holder.type)) return null;
    ({ parent } = holder);
  }
  return null;
}

const unquote = (name: string): string => name.replace(/^(["'`])(.*)\1$/u, '$2');

interface Captured {
  /** The statement of a variable. Its place decides whether the variable is a definition or local. */
  statement: Node | null;
  kind: SymbolKind | null;
  whole: Node | null;
  name: Node | null;
  declarator: Node | null;
}

function captured({ captures }: QueryMatch): Captured {
  const found: Captured = { statement: null, kind: null, whole: null, name: null, declarator: null };
  for (const { name, node } of captures) {
    if (name === 'name') found.name = node;
    else if (name === 'statement') found.statement = node;
    else if (name === 'declarator') found.declarator = node;
    else if (isKind(name)) {
      found.kind = name;
      found.whole = node;
    }
  }
  return found;
}

interface NamedNode {
  readonly node: Node;
  readonly kind: SymbolKind;
}

function nameOf({ name, kind, declarator }: Captured): NamedNode | null {
  if (kind === null) return null;
  if (name !== null) return { node: name, kind };
  const declared = declarator === null ? null : declaredName(declarator);
  if (declared === null) return null;
  if (kind === 'function' && declared.qualified) return { node: declared.node, kind: 'method' };
  if (declared.parenthesized && (kind === 'method' || kind === 'prototype'))
    return { node: declared.node, kind: kind === 'method' ? 'field' : 'variable' };
  return { node: declared.node, kind };
}

/** Keywords that can be mistaken for function names when C macros are misparsed. */
const NOT_NAMES = new Set(['if', 'for', 'while', 'switch', 'return', 'else', 'do', 'sizeof']);

/** Returns a name without quotes; for C++ also without template arguments and scope. */
function cleanName(language: LanguageName, written: string): string {
  const name = unquote(written);
  if (language === 'c') return NOT_NAMES.has(name) ? '' : name;
  if (language !== 'cpp') return name;
  if (NOT_NAMES.has(name)) return '';
  if (name.startsWith('operator'))
    return name.replace(/\s*\(\s*\)\s*(?:const|noexcept|\s)*$/u, '').replace(/\s+(?=\W)/gu, '');
  const plain = name.replace(/<.*$/su, '');
  const scope = plain.lastIndexOf('::');
  return scope < 0 ? plain : plain.slice(scope + 2);
}

/** Maximum length of a definition's name. Longer matches are data, such as keys of JSON files. */
const MAX_NAME = 200;

/** Returns the definition that a query match describes, or null if it describes none. */
export function define(source: SourceText, match: QueryMatch): FoundDefinition | null {
  const found = captured(match);
  if (found.statement !== null) {
    const kind = kindInPlace(found.statement, found.kind);
    if (kind === null) return null;
    found.kind = kind;
  }
  const named = nameOf(found);
  if (named === null || found.whole === null) return null;
  const { node, kind } = named;
  const name = cleanName(source.language, source.text.slice(node.startIndex, node.endIndex));
  if (name === '' || name.length > MAX_NAME || name.includes('\n')) return null;
  const { startPosition, startIndex: start, endIndex: end, endPosition } = found.whole;
  const endRow =
    endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row - 1 : endPosition.row;
  return {
    kind,
    name,
    start,
    end,
    startRow: startPosition.row,
    endRow,
    row: node.startPosition.row,
    column: node.startPosition.column,
    approximate: false,
    signature: signatureOf(source, found.whole, kind, end),
    doc: docOf(source, startPosition.row, found.whole, kind),
  };
}
