import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Validation } from '#protocol/graph.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ParsedAction } from './action-grammar.ts';
import type { Declarations, Section } from './collect-declarations.ts';
import type { Placed } from './own-node.ts';

declare const brand: unique symbol;

/** One row of a transition table, written or made out of sugar. */
export interface ResolvedRow {
  readonly signal: string;
  /** As written; `{id, args?}`. */
  readonly condition: JsonObject | null;
  readonly action: ParsedAction;
  /** Where the action stands. */
  readonly spot: Spot;
  /** The row as written, null when it comes from sugar. */
  readonly written: JsonObject | null;
}

export interface ResolvedBlock {
  readonly id: BlockId;
  readonly name: string;
  readonly node: NodeId;
  /** All other fields, as written. */
  readonly written: JsonObject;
  /** Its key in the file that declares it. */
  readonly spot: Spot;
  readonly next: BlockId | null;
  readonly rows: readonly ResolvedRow[];
  /** False when rows could not be read: what the block leads to is not fully known. */
  readonly complete: boolean;
  readonly validation: Validation | null;
}

export interface ResolvedNode {
  readonly id: NodeId;
  readonly written: JsonObject;
  readonly spot: Spot;
  /** Name of a block, not yet looked up. */
  readonly entryBlock: Placed<string> | null;
  readonly contextInheritance: boolean | null;
  readonly staticMemory: JsonObject;
  readonly maxSteps: number | null;
  readonly approvals: Approvals | null;
  readonly blocks: readonly ResolvedBlock[];
  /** Other nodes are made out of it. */
  readonly isBase: boolean;
  /** False when parts of it are unknown, for a fault that is reported already. */
  readonly complete: boolean;
}

/** Imports, `extend`, mixins and sugar are gone; names are full ids; nothing is looked up yet. */
export type ResolvedManifest = {
  /** The entry file's value, for the settings of the whole run. */
  readonly root: JsonObject;
  readonly nodes: readonly ResolvedNode[];
  readonly workers: Declarations;
  readonly contextSlices: Declarations;
  readonly pools: Declarations;
  readonly commands: Declarations;
  readonly malformed: ReadonlySet<Section>;
} & { readonly [brand]: 'resolved' };

export const resolvedManifest = (parts: Omit<ResolvedManifest, typeof brand>): ResolvedManifest =>
  parts as ResolvedManifest;
