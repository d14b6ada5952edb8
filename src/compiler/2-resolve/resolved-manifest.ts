import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { AnswerData, Validation } from '#protocol/graph.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { ParsedAction } from './action-grammar.ts';
import type { Declarations, Section } from './collect-declarations.ts';
import type { Check } from './desugar-check.ts';
import type { PlacedValue } from './own-node.ts';

declare const brand: unique symbol;

/** One row of a transition table, either written or produced from sugar. */
export interface ResolvedRow {
  readonly signal: string;
  /** The condition as written: `{id, args?}`. */
  readonly condition: JsonObject | null;
  readonly action: ParsedAction;
  /** The place of the action in its file. */
  readonly spot: Spot;
  /** The row as written, or null if it comes from sugar. */
  readonly written: JsonObject | null;
  /** The row's action as its author wrote it, if that is not the action itself. */
  readonly shown?: string;
  /** The place of the return address, if it is written apart from the action. */
  readonly addressSpot?: Spot;
  /** The places of a FORK's nodes, if they are written apart from the action. */
  readonly branchSpots?: readonly Spot[];
}

export interface ResolvedBlock {
  readonly id: BlockId;
  readonly name: string;
  readonly node: NodeId;
  /** The block as written, with all its fields. */
  readonly written: JsonObject;
  /** The place of the block's key in the file that declares it. */
  readonly spot: Spot;
  readonly next: BlockId | null;
  readonly rows: readonly ResolvedRow[];
  /** False if rows could not be read, so that not all targets of the block are known. */
  readonly complete: boolean;
  readonly check: Check | null;
  readonly validation: Validation | null;
  readonly answer: AnswerData | null;
}

export interface ResolvedNode {
  readonly id: NodeId;
  readonly written: JsonObject;
  readonly spot: Spot;
  /** The name of the entry block, not looked up yet. */
  readonly entryBlock: PlacedValue<string> | null;
  readonly contextInheritance: boolean | null;
  readonly staticMemory: JsonObject;
  readonly maxSteps: number | null;
  readonly approvals: Approvals | null;
  readonly blocks: readonly ResolvedBlock[];
  /** True if other nodes inherit from this one. */
  readonly isBase: boolean;
  /** False if parts of the node are unknown because of a fault that is already reported. */
  readonly complete: boolean;
}

/** A manifest without imports, `extend`, mixins and sugar. Names are full ids, but not looked up yet. */
export type ResolvedManifest = {
  /** The value of the entry file, which holds the settings of the whole run. */
  readonly root: JsonObject;
  readonly nodes: readonly ResolvedNode[];
  readonly workers: Declarations;
  readonly contextSlices: Declarations;
  readonly pools: Declarations;
  readonly commands: Declarations;
  /** The rules of all files, as written. */
  readonly rules: readonly JsonObject[];
  readonly malformed: ReadonlySet<Section>;
} & { readonly [brand]: 'resolved' };

export const resolvedManifest = (parts: Omit<ResolvedManifest, typeof brand>): ResolvedManifest =>
  parts as ResolvedManifest;
