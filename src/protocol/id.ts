declare const brand: unique symbol;

type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of a node: letters, digits, `_` and `-`, without `__`. */
export type NodeId = Branded<'NodeId'>;
/** The id of a block, `<node>__<name>`, unique in the whole manifest. */
export type BlockId = Branded<'BlockId'>;
/** `SIGNAL:` and one or more of A–Z, 0–9, `_`. */
export type Signal = Branded<'Signal'>;
/** The id of a run: `r` and hexadecimal digits. */
export type RunId = Branded<'RunId'>;
/** `s` and eight hexadecimal digits. */
export type SessionId = Branded<'SessionId'>;
/** `/` for the root frame, then `/<block>#<visit>` for each call and `/<block>#<visit>[<branch>]` for each fork branch. */
export type FramePath = Branded<'FramePath'>;
/** `<run>/<frame path>/<block>#<visit>`; the same for all attempts of a visit. */
export type StepKey = Branded<'StepKey'>;
/** The id of a halt, unique in its run. */
export type HaltId = Branded<'HaltId'>;
export type SegmentId = Branded<'SegmentId'>;
