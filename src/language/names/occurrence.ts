import type { Span } from '../text/place.ts';
import type { Declared } from './role.ts';

/** Something with a name: a block is known by its node and its name in there. */
export type Symbol =
  | { readonly kind: Exclude<Declared, 'block'> | 'signal'; readonly name: string }
  | { readonly kind: 'block'; readonly node: string; readonly name: string };

/** One place where a name is written; the span holds the name alone, without prefixes. */
export interface Occurrence {
  readonly symbol: Symbol;
  readonly file: string;
  readonly span: Span;
  readonly isDeclaration: boolean;
}

/** A key for maps. Names hold no line ends. */
export const keyOf = (symbol: Symbol): string =>
  symbol.kind === 'block' ? `block\n${symbol.node}\n${symbol.name}` : `${symbol.kind}\n${symbol.name}`;
