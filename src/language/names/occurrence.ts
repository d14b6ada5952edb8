import type { Symbol } from '#compiler/index.ts';
import type { Span } from '../text/place.ts';

export type { Symbol };

/** One place where a symbol's name is written. The span covers the name without prefixes such as `Block:`. */
export interface Occurrence {
  readonly symbol: Symbol;
  readonly file: string;
  readonly span: Span;
  readonly isDeclaration: boolean;
}

/** Returns a map key for a symbol. It joins the parts by line feeds, which names can't contain. */
export const keyOf = (symbol: Symbol): string =>
  symbol.kind === 'block' ? `block\n${symbol.node}\n${symbol.name}` : `${symbol.kind}\n${symbol.name}`;
