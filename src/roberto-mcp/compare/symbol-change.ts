import type { Signature } from './signature.ts';

export type SymbolChangeKind = 'removed' | 'renamed' | 'signature' | 'unexported' | 'value' | 'type';

/** Which uses of a changed symbol no longer work. */
export type Effect =
  /** Every use, imports included. */
  | { readonly on: 'every use' }
  /** Every use but imports and exports of the name. */
  | { readonly on: 'reads' }
  /** Uses outside of the file (for members: outside of the type). */
  | { readonly on: 'uses outside' }
  /** Names that come from an import of all names. */
  | { readonly on: 'import of all names' }
  /** Calls; without `before` and `after`, whatever their arguments. */
  | { readonly on: 'calls'; readonly before: Signature | null; readonly after: Signature | null }
  /** New values of a type: literals and implementations. */
  | { readonly on: 'new values' }
  /** Literals that give the members by position. */
  | { readonly on: 'values by position' }
  /** Choices that name every member. */
  | { readonly on: 'complete choices'; readonly members: readonly string[] };

/** A change of a symbol between the merge base and a branch, after which uses of the symbol may be wrong. */
export interface SymbolChange {
  readonly kind: SymbolChangeKind;
  readonly effect: Effect;
  readonly name: string;
  /** Name of the type that contains a member; null for top-level symbols. */
  readonly container: string | null;
  /** Functions of the symbol's file that return values of the container. */
  readonly makers: readonly string[];
  readonly isDefaultExport: boolean;
  /** True for a method of a Rust trait, which is reached by importing the trait. */
  readonly isTraitMethod: boolean;
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

/** What is wrong with the uses of a symbol. */
export interface Judgement {
  readonly kind: SymbolChangeKind;
  readonly effect: Effect;
  readonly why: string;
}
