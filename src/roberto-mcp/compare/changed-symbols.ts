import type { Definition } from '../parse/extraction.ts';
import type { FileChange } from './commit-files.ts';
import { incompatibility } from './parameters.ts';
import { bodyOf, type FileVersion, fullName } from './read-version.ts';

export type SymbolChangeKind = 'removed' | 'renamed' | 'signature' | 'unexported' | 'value' | 'type';

/** A change of a symbol between the merge base and a branch, after which uses of the symbol may be wrong. */
export interface SymbolChange {
  readonly kind: SymbolChangeKind;
  readonly name: string;
  /** Name of the type that contains a member; null for top-level symbols. */
  readonly container: string | null;
  /** Path of the symbol's file in the merge base. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Place of the change in the branch. For a removed symbol this is its place in the merge base. */
  readonly changedFile: string;
  readonly changedLine: number;
  readonly changedText: string;
  readonly why: string;
}

const CALLABLE = new Set(['constructor', 'function', 'method']);
const VALUES = new Set(['constant', 'variable', 'enum_member']);
const TYPES = new Set(['class', 'enum', 'interface', 'struct', 'trait', 'type']);
const IGNORED = new Set(['impl', 'prototype']);

const squeeze = (text: string): string => text.replace(/\s+/gu, ' ').trim();

function similar(a: string, b: string): boolean {
  const words = (text: string): Set<string> => new Set(text.match(/[\w$]+/gu) ?? []);
  const [left, right] = [words(a), words(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / Math.max(1, Math.max(left.size, right.size)) >= 0.6;
}

interface Versions {
  readonly before: FileVersion;
  readonly after: FileVersion | undefined;
  readonly change: FileChange;
}

const byFullName = (version: FileVersion | undefined): ReadonlyMap<string, Definition> =>
  new Map(
    (version?.extraction.definitions ?? [])
      .filter(({ kind }) => !IGNORED.has(kind))
      .map((one) => [fullName(version as FileVersion, one), one]),
  );

const isKeptByExport = (after: FileVersion | undefined, name: string): boolean =>
  after?.extraction.exports.some((one) => one.name === name) ?? false;

/** Returns how the members of a type changed for its users, or null if every use still fits. */
function typeChange({ before, after }: Versions, old: Definition, now: Definition): string | null {
  if (after === undefined || old.kind === 'class') return null;
  if (old.kind === 'type' && squeeze(old.signature) !== squeeze(now.signature) && !old.signature.includes('{'))
    return 'the type changed';
  const index = before.extraction.definitions.indexOf(old);
  const next = after.extraction.definitions.indexOf(now);
  const oldNames = new Set(
    before.extraction.definitions.filter(({ parent }) => parent === index).map(({ name }) => name),
  );
  const added = after.extraction.definitions.filter(({ parent, name }) => parent === next && !oldNames.has(name));
  const isRequired = ({ signature, kind }: Definition): boolean =>
    (kind === 'property' || kind === 'method' || (kind === 'field' && after.language === 'rust')) &&
    !/\?\s*[:(]/u.test(signature) &&
    !/\{/u.test(signature);
  const required = added.find(isRequired);
  return required === undefined || old.kind === 'enum' ? null : `the member ${required.name} is now required`;
}

interface Judged {
  readonly kind: SymbolChangeKind;
  readonly why: string;
}

function judgeChanged(versions: Versions, old: Definition, now: Definition): Judged | null {
  const { before, after, change } = versions;
  if (after === undefined) return null;
  if (old.exported && !now.exported && old.parent === -1 && !isKeptByExport(after, old.name))
    return { kind: 'unexported', why: 'it is no longer exported' };
  if (CALLABLE.has(old.kind)) {
    const why = incompatibility(squeeze(old.signature), squeeze(now.signature), old.name);
    return why === null ? null : { kind: 'signature', why };
  }
  if (TYPES.has(old.kind)) {
    const why = typeChange(versions, old, now);
    return why === null ? null : { kind: 'type', why };
  }
  const [a, b] = [squeeze(bodyOf(before, old)), squeeze(bodyOf(after, now))];
  if (a === b || change.status === 'removed') return null;
  if (VALUES.has(old.kind)) return { kind: 'value', why: 'its value changed' };
  if (old.kind !== 'property' && old.kind !== 'field') return null;
  const typeOf = (text: string): string =>
    (/[:\s]([^:=;,]+)/u.exec(text.replace(/^[\w\s]*?\b(?=\w+\??:)/u, ''))?.[1] ?? text).trim();
  return typeOf(old.signature) === typeOf(now.signature) && squeeze(old.signature) === squeeze(now.signature)
    ? null
    : { kind: 'type', why: 'the type of the member changed' };
}

function findRename(versions: Versions, old: Definition, known: ReadonlySet<string>): Definition | null {
  const { before, after } = versions;
  if (after === undefined) return null;
  const body = bodyOf(before, old);
  const candidates = after.extraction.definitions.filter(
    (one) => one.kind === old.kind && !known.has(fullName(after, one)),
  );
  return candidates.find((one) => similar(body.replaceAll(old.name, one.name), bodyOf(after, one))) ?? null;
}

/** Returns the symbols of one file that a branch changed incompatibly. */
export function changedSymbols(versions: Versions): readonly SymbolChange[] {
  const { before, after, change } = versions;
  const [olds, news] = [byFullName(before), byFullName(after)];
  const known = new Set(olds.keys());
  return [...olds].flatMap(([full, old]): readonly SymbolChange[] => {
    const outer = before.extraction.definitions[old.parent];
    if (outer !== undefined && CALLABLE.has(outer.kind)) return [];
    const dot = full.lastIndexOf('.');
    const now = news.get(full);
    const renamed = now === undefined ? findRename(versions, old, known) : null;
    const place = now ?? renamed;
    if (now === undefined && isKeptByExport(after, old.name)) return [];
    const judged: Judged | null =
      now !== undefined
        ? judgeChanged(versions, old, now)
        : renamed !== null
          ? { kind: 'renamed', why: `it was renamed to ${renamed.name}` }
          : { kind: 'removed', why: 'it was removed' };
    if (judged === null) return [];
    const row = place?.row ?? old.row;
    return [
      {
        ...judged,
        name: old.name,
        container: dot < 0 ? null : full.slice(0, dot),
        file: before.path,
        line: old.row + 1,
        text: squeeze(before.lines[old.row] ?? ''),
        changedFile: place === null ? before.path : change.to,
        changedLine: row + 1,
        changedText: squeeze((place === null ? before : (after ?? before)).lines[row] ?? ''),
      },
    ];
  });
}
