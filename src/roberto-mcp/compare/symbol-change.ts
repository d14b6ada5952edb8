import type { Signature } from './signature.ts';

export type SymbolChangeKind = 'removed' | 'renamed' | 'signature' | 'unexported' | 'value' | 'type';

/** Which uses of a changed symbol no longer work. */
type Effect =
  /** Every use, including imports. */
  | { readonly on: 'every use' }
  /** Every use except imports and re-exports of the name. */
  | { readonly on: 'reads' }
  /** Uses outside of the file (for members: outside of the type). */
  | { readonly on: 'uses outside' }
  /** Uses of names that come from a wildcard import. */
  | { readonly on: 'import of all names' }
  /** Calls. If `before` and `after` are null, all calls, regardless of their arguments. */
  | { readonly on: 'calls'; readonly before: Signature | null; readonly after: Signature | null }
  /** New values of a type: literals and implementations. */
  | { readonly on: 'new values' }
  /** Literals that give the members by position. */
  | { readonly on: 'values by position' }
  /** Choices, such as `switch`, that list every member and have no default case. */
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
  /** The names under which other files import the symbol, or the container of a member. */
  readonly exposedAs: readonly string[];
  /** True for a method of a Rust trait, which can be called where the trait is imported. */
  readonly isTraitMethod: boolean;
  /** Path of the symbol's file in the merge base. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** The file of the change in the branch; for a removed symbol, its file in the merge base. */
  readonly changedFile: string;
  readonly changedLine: number;
  readonly changedText: string;
  readonly why: string;
}

/** A verdict on a changed symbol: why uses of it are wrong, and which uses. */
export interface Judgement {
  readonly kind: SymbolChangeKind;
  readonly effect: Effect;
  readonly why: string;
}
