import type { Access, GraphBlock, SideEffects } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import {
  has,
  isObject,
  readFlag,
  readList,
  readNumber,
  readObject,
  readString,
  strings,
} from '../1-parse/json-reader.ts';
import type { ResolvedBlock, ResolvedNode } from '../2-resolve/resolved-manifest.ts';
import { checkAnswer } from './check-answer.ts';
import { checkParams } from './check-params.ts';
import { checkGlobs } from './check-globs.ts';
import { checkWorkerName } from './check-worker-name.ts';
import type { KnownNames } from './known-names.ts';
import { readEvidence } from './read-evidence.ts';
import { readMergeStrategy } from './read-merge-strategy.ts';
import { readRecovery } from './read-recovery.ts';
import { readTransitions } from './read-transitions.ts';

/** Returns the paths and globs of the block's artifact. A single one may be written without a list. */
function readArtifact({ written }: ResolvedBlock): readonly string[] {
  const single = readString(written, 'artifact');
  return single === null ? strings(readList(written, 'artifact')) : [single];
}

const isMode = (text: string | null): text is Access['mode'] =>
  text === 'strict' || text === 'partial' || text === 'shared';

/** Returns where a block may write; the default is its artifact and the change plan. */
function readAccess(block: ResolvedBlock): Access {
  const written = readObject(block.written, 'access');
  const mode = written === null ? null : readString(written, 'mode');
  const paths = written === null ? null : readList(written, 'paths');
  const known = isMode(mode) ? mode : 'partial';
  return paths === null
    ? { mode: known, paths: readArtifact(block), ...(known === 'partial' && written !== null ? { isGiven: true } : {}) }
    : { mode: known, paths: strings(paths), isListed: true };
}

/** A block after its own checks. */
export interface CheckedBlock {
  readonly block: GraphBlock;
  readonly resolved: ResolvedBlock;
  /** False if not all targets of the block are known. */
  readonly complete: boolean;
}

const isSideEffects = (text: string | null): text is SideEffects =>
  text === 'none' || text === 'idempotent' || text === 'non_idempotent';

export function readSideEffects(written: JsonObject): SideEffects | null {
  const text = readString(written, 'side_effects');
  return isSideEffects(text) ? text : null;
}

function readWorkerName({ written }: ResolvedBlock, names: KnownNames, diagnose: Diagnose): string {
  const worker = readString(written, 'worker') ?? '';
  if (worker !== '') checkWorkerName(worker, { container: written, member: 'worker' }, names, diagnose);
  return worker;
}

function readSlice({ written }: ResolvedBlock, { manifest }: KnownNames, { report, nearest }: Diagnose): string | null {
  const slice = readString(written, 'context_slice');
  if (slice === null || slice === '') return null;
  const known = manifest.contextSlices;
  const isMissing = !known.has(slice) && !manifest.malformed.has('context_slices');
  if (isMissing)
    report(
      'RS2019',
      { container: written, member: 'context_slice' },
      { slice },
      { near: nearest(slice, known.keys()) },
    );
  return slice;
}

/** Returns the time limit of a block, or else of its worker, in milliseconds; null if neither has one. */
function readTimeout({ written }: ResolvedBlock, worker: string, { manifest }: KnownNames): number | null {
  const definition = manifest.workers.get(worker)?.value;
  return readNumber(written, 'timeout_ms') ?? (isObject(definition) ? readNumber(definition, 'timeout_ms') : null);
}

function readParams(block: ResolvedBlock, worker: string, diagnose: Diagnose): JsonObject {
  const { written } = block;
  const params = readObject(written, 'params') ?? {};
  const isMalformed = has(written, 'params') && !isObject(written['params']);
  if (!isMalformed) checkParams(block, worker, params, diagnose);
  return params;
}

/** Returns `maxRejections` only if the manifest sets it, so that the graphs of other manifests do not change. */
function readRejections(written: JsonObject): Pick<GraphBlock, 'maxRejections'> {
  const maxRejections = readNumber(written, 'max_rejections');
  return maxRejections === null ? {} : { maxRejections };
}

/** Converts a resolved block to a block of the graph and looks up every name in it. */
export function readBlock(
  block: ResolvedBlock,
  node: ResolvedNode,
  names: KnownNames,
  diagnose: Diagnose,
): CheckedBlock {
  const { written } = block;
  const worker = readWorkerName(block, names, diagnose);
  const { transitions, complete } = readTransitions(block, names, diagnose);
  checkGlobs(block, diagnose);
  checkAnswer(block, worker, names, diagnose);
  return {
    resolved: block,
    complete,
    block: {
      id: block.id,
      name: block.name,
      node: block.node,
      worker,
      contract: readString(written, 'contract'),
      artifact: readArtifact(block),
      contextSlice: readSlice(block, names, diagnose),
      mergeStrategy: readMergeStrategy(block, node, names, diagnose),
      gate: readFlag(written, 'gate') ?? false,
      ...readRejections(written),
      timeoutMs: readTimeout(block, worker, names),
      sideEffects: readSideEffects(written),
      access: readAccess(block),
      recovery: readRecovery(block, names, diagnose),
      evidence: readEvidence(block, diagnose),
      validation: block.validation,
      ...(block.answer === null ? {} : { answer: block.answer }),
      params: readParams(block, worker, diagnose),
      transitions,
      next: block.next,
      origin: diagnose.at(block.spot).place,
    },
  };
}
