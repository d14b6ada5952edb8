import type { RunPicture, PictureHalt } from '#machines/view/run-picture.ts';
import type { FailureItem, HaltView } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import { whyText } from '#protocol/halt-reason-text.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { OpenHalt } from '#protocol/run-summary.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { offeredVerbs } from '../run/answer-commands.ts';
import { blockIn, cutText } from './conversation.ts';
import type { Execution } from './run-executions.ts';

/** Findings that a panel lists at most. */
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

/** The segments that the halted block, or the one before it, has said last. */
function lastSaid(executions: readonly Execution[], { block, visit }: PictureHalt): readonly SegmentDraft[] {
  const own = executions.findLast((one) => one.kind === 'executed' && one.block === block && one.visit === visit);
  const last = own ?? executions.findLast((one) => one.kind === 'executed');
  return last?.kind === 'executed' ? last.append : [];
}

/** Executions among which findings still say what failed. */
const NEAR = 3;

/** What the executions right before have found, where the halted block itself has found nothing. */
function foundBefore(executions: readonly Execution[]): readonly FailureItem[] {
  const near = executions.slice(-NEAR).toReversed();
  for (const one of near) {
    const found = one.kind === 'executed' ? one.append.flatMap((segment) => failureOf(segment) ?? []) : [];
    if (found.length > 0) return found;
  }
  return [];
}

function messageOf(halt: PictureHalt, name: string, open: OpenHalt | undefined, failures: number): string {
  if (halt.why === 'gate') return `${name} is a gate and waits for your approval.`;
  if (halt.why === 'step') return `The run is in step mode: ${name} is next.`;
  if (open?.last?.type === 'WAITS') return open.last.content;
  if (failures > 0) return `${name} ended with ${failures} ${failures === 1 ? 'failure' : 'failures'}.`;
  return `${name} waits: ${whyText(halt.why)}.`;
}

/** Says with what `next` goes on, for people. */
function nextOf(graph: Graph, block: string): string | null {
  const known = blockIn(graph, block);
  if (known === undefined) return null;
  const next = known.next === null ? undefined : blockIn(graph, known.next);
  return next === undefined ? 'the caller' : next.name;
}

export interface HaltParts {
  readonly picture: RunPicture;
  readonly graph: Graph;
  readonly executions: readonly Execution[];
  /** As the journal has them. */
  readonly open: readonly OpenHalt[];
  /** Texts are not cut. */
  readonly isWhole?: true;
}

/** Returns everything that a person needs to answer the halts of a run. */
export function haltViews({ picture, graph, executions, open, isWhole }: HaltParts): readonly HaltView[] {
  return [...picture.halts.values()].map((halt) => {
    const known = open.find(({ halt_id }) => halt_id === halt.halt);
    const said = lastSaid(executions, halt);
    const own = said.flatMap((one) => failureOf(one) ?? []);
    const failures = (own.length > 0 ? own : foundBefore(executions)).slice(0, MOST_FAILURES);
    const raw = known?.last?.content ?? said.map(({ content }) => content).join('\n\n');
    const name = blockIn(graph, halt.block)?.name ?? halt.block;
    return {
      ...{ halt: halt.halt, run: picture.run.run, block: halt.block, frame: halt.frame, why: halt.why },
      message: messageOf(halt, name, known, own.length),
      ...{ since: halt.since, until: known?.until ?? null, verbs: offeredVerbs(halt.why) },
      next: nextOf(graph, halt.block),
      failures,
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
