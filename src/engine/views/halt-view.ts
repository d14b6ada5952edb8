import { type PictureHalt, type RunPicture, visitId } from '#logic/picture/run-picture.ts';
import type { FailureItem, HaltView } from '#protocol/generated/view.gen.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import { whyText } from '#protocol/response.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { OpenHalt } from '#protocol/run-summary.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { offeredAnswers } from '#actors/run/index.ts';
import { blockIn, cutText } from './conversation.ts';
import type { RecordedExecution } from './run-executions.ts';

/** The maximum number of findings listed. */
const MOST_FAILURES = 50;

const KIND: Readonly<Record<string, FailureItem['kind']>> = {
  TEST_FAILURE: 'test',
  LINT_FINDING: 'lint',
  BUILD_ERROR: 'build',
  EVIDENCE: 'evidence',
};

const text = (meta: JsonObject, name: string): string | null => {
  const value = meta[name];
  return typeof value === 'string' ? value : null;
};

function failureOf({ type, content, meta = {} }: SegmentDraft): FailureItem | null {
  const isFinding = 'severity' in meta && 'message' in meta;
  const kind = KIND[type] ?? (isFinding ? kindByName(type) : null);
  if (kind === null) return null;
  const { line } = meta as { readonly line?: unknown };
  const [first = ''] = content.split('\n');
  return {
    kind,
    name: text(meta, 'name') ?? text(meta, 'rule') ?? first,
    message: text(meta, 'message'),
    file: text(meta, 'file'),
    line: typeof line === 'number' ? line : null,
  };
}

function kindByName(type: string): FailureItem['kind'] {
  if (type.includes('TEST')) return 'test';
  if (type.includes('LINT')) return 'lint';
  return type.includes('BUILD') || type.includes('COMPILE') ? 'build' : 'other';
}

/** Returns the last segments of the halted block, or of the one before it. */
function lastSaid(executions: readonly RecordedExecution[], { block, visit }: PictureHalt): readonly SegmentDraft[] {
  const own = executions.findLast((one) => one.kind === 'executed' && one.block === block && one.visit === visit);
  const last = own ?? executions.findLast((one) => one.kind === 'executed');
  return last?.kind === 'executed' ? last.append : [];
}

/** The number of previous executions whose findings are shown. */
const NEAR = 3;

interface Found {
  readonly failures: readonly FailureItem[];
  /** The block that has reported them. */
  readonly block: string | null;
}

/** Returns the newest findings of the previous executions. */
function foundBefore(executions: readonly RecordedExecution[]): Found {
  const near = executions.slice(-NEAR).toReversed();
  for (const one of near) {
    const found = one.kind === 'executed' ? one.append.flatMap((segment) => failureOf(segment) ?? []) : [];
    if (found.length > 0) return { failures: found, block: one.block };
  }
  return { failures: [], block: null };
}

/** Returns the signal with which the halted visit ended; null if it ended without one. */
const signalOf = ({ visits }: RunPicture, { frame, block, visit }: PictureHalt): string | null =>
  visits.get(visitId(frame, block, visit))?.signal ?? null;

function messageOf(
  picture: RunPicture,
  halt: PictureHalt,
  { name, contract }: Pick<GraphBlock, 'name' | 'contract'>,
  open: OpenHalt | undefined,
  failures: number,
): string {
  if (halt.why === 'gate') return `${name} is a gate and waits for your approval.`;
  if (halt.why === 'step') return `The run is in step mode: ${name} is next.`;
  if (halt.why === 'manual' && contract !== null) return contract;
  if (open?.last?.type === 'WAITS') return open.last.content;
  if (failures > 0) return `${name} ended with ${failures} ${failures === 1 ? 'failure' : 'failures'}.`;
  const signal = signalOf(picture, halt);
  if (halt.why === 'flagged' && signal !== null) return `${name} answered ${signal}, which halts the run.`;
  return `${name} waits: ${whyText(halt.why)}.`;
}

/**
 * Returns the name of the block at which the answer `next` continues, or "the caller" if the block is the last one.
 * Null if the block is unknown.
 */
function nextOf(graph: Graph, block: string): string | null {
  const known = blockIn(graph, block);
  if (known === undefined) return null;
  const next = known.next === null ? undefined : blockIn(graph, known.next);
  return next === undefined ? 'the caller' : next.name;
}

interface HaltParts {
  readonly picture: RunPicture;
  readonly graph: Graph;
  readonly executions: readonly RecordedExecution[];
  /** The open halts, as recorded in the journal. */
  readonly open: readonly OpenHalt[];
  /** True to return texts uncut. */
  readonly isWhole?: true;
}

/** Returns everything that a person needs to answer the halts of a run. */
export function haltViews({ picture, graph, executions, open, isWhole }: HaltParts): readonly HaltView[] {
  return [...picture.halts.values()].map((halt) => {
    const known = open.find(({ halt_id }) => halt_id === halt.halt);
    const said = lastSaid(executions, halt);
    const own = said.flatMap((one) => failureOf(one) ?? []);
    const { failures, block: by } = own.length > 0 ? { failures: own, block: null } : foundBefore(executions);
    const raw = known?.last?.content ?? said.map(({ content }) => content).join('\n\n');
    const block = blockIn(graph, halt.block) ?? { name: halt.block, contract: null };
    return {
      halt: halt.halt,
      run: picture.run.run,
      block: halt.block,
      frame: halt.frame,
      why: halt.why,
      message: messageOf(picture, halt, block, known, own.length),
      since: halt.since,
      until: known?.until ?? null,
      verbs: offeredAnswers(known ?? { why: halt.why }),
      next: nextOf(graph, halt.block),
      failures: failures.slice(0, MOST_FAILURES),
      failuresOf: by === null || by === halt.block ? null : (blockIn(graph, by)?.name ?? by),
      raw:
        raw === ''
          ? null
          : isWhole === true
            ? { text: raw, more: null }
            : cutText(raw, JSON.stringify(['halt', picture.run.run, halt.halt])),
      attempts: picture.attempts.get(halt.block) ?? [],
      files: [],
    };
  });
}
