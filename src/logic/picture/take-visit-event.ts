import type { AttemptScope, RunFact, VisitScope } from '#protocol/event.ts';
import type { AttemptRow, BlockStatus, Spending, Visit } from '#protocol/generated/view.gen.ts';
import type { JsonObject } from '#protocol/json.ts';
import { spendingIn } from '../calls/count-spending.ts';
import { addSpending, NO_SPENDING } from '#protocol/view/add-spending.ts';
import { changeBlock, changeNode, changeRun, changeVisit, type RunPicture, visitId } from './run-picture.ts';
import { changeFrame, standAt } from './take-frame-event.ts';
import { shownSignal } from './view-graph.ts';

type FactOf<Type extends RunFact['type']> = Extract<RunFact, { type: Type }>;

/** Signals that mean a failure. */
const BAD = /^(FAIL|ERROR$|TIMEOUT$|NO_SIGNAL$|VALIDATION_FAIL$)/;

/** The maximum number of characters of a worker's progress line on a card. */
const LONGEST_PROGRESS = 300;

const MOST_ATTEMPTS = 100;

const idOf = ({ frame, block, visit }: VisitScope): string => visitId(frame, block, visit);

/** Returns the status of a block that has ended its visit with this signal, in its shown form. */
function endedStatus(signal: string | null, attempts: number, isExpected: boolean): BlockStatus {
  if (signal === null) return attempts === 0 ? 'skipped' : 'failed';
  return BAD.test(signal) && !isExpected ? 'failed' : 'complete';
}

/** Returns whether the manifest has a row for exactly this signal, so that the signal is an outcome like any other. */
const hasOwnRow = (picture: RunPicture, block: string, signal: string | null): boolean =>
  signal !== null &&
  picture.graphBlocks
    .get(block)
    ?.transitions.some((row) => shownSignal(row.signal) === signal && row.action.kind !== 'halt') === true;

export function enterBlock(picture: RunPicture, fact: FactOf<'block.entered'>, at: number): void {
  const { frame, block, visit, depth } = fact;
  const visits = Math.max(visit, picture.blocks.get(block)?.visits ?? 0);
  standAt(picture, frame, block, visit);
  changeBlock(picture, block, {
    status: 'active',
    visits,
    attempt: 0,
    since: at,
    durationMs: null,
    progress: null,
  });
  const id = idOf(fact);
  picture.visits.set(id, {
    id,
    step: null,
    frame,
    depth,
    block,
    visit,
    attempts: 0,
    status: 'active',
    from: at,
    to: null,
    waits: [],
    signal: null,
    row: null,
    calls: false,
    spending: NO_SPENDING,
  });
  picture.changed.visits.add(id);
}

function changeAttempts(
  picture: RunPicture,
  block: string,
  change: (rows: readonly AttemptRow[]) => readonly AttemptRow[],
): void {
  picture.attempts.set(block, change(picture.attempts.get(block) ?? []).slice(-MOST_ATTEMPTS));
}

function endAttempt(
  picture: RunPicture,
  { block, visit, attempt }: AttemptScope,
  end: Pick<AttemptRow, 'outcome' | 'kind' | 'durationMs'>,
): void {
  changeAttempts(picture, block, (rows) =>
    rows.map((row) => (row.visit === visit && row.attempt === attempt ? { ...row, ...end } : row)),
  );
}

export function startBlock(picture: RunPicture, fact: FactOf<'block.started'>, at: number): void {
  const { frame, block, visit, attempt } = fact;
  if (picture.frames.get(frame)?.block !== block) standAt(picture, frame, block, visit);
  changeBlock(picture, block, { status: 'active', attempt, progress: null, durationMs: null });
  changeFrame(picture, frame, { status: 'active' });
  if (!picture.visits.has(idOf(fact))) enterBlock(picture, { ...fact, type: 'block.entered' }, at);
  changeVisit(picture, idOf(fact), () => ({ attempts: attempt, status: 'active' }));
  const begun: AttemptRow = { visit, attempt, outcome: '', kind: 'running', durationMs: null, microUsd: null };
  changeAttempts(picture, block, (rows) => [
    ...rows.filter((row) => row.visit !== visit || row.attempt !== attempt),
    begun,
  ]);
}

export function showProgress(picture: RunPicture, { block, text }: FactOf<'block.progress'>): void {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  changeBlock(picture, block, { progress: last.slice(0, LONGEST_PROGRESS) });
}

export function cutOffBlock(picture: RunPicture, fact: FactOf<'block.cut_off'>): void {
  const outcome = fact.after === 'crash' ? 'interrupted by a crash' : 'stopped';
  endAttempt(picture, fact, { outcome, kind: 'retried', durationMs: null });
}

function addSpent(picture: RunPicture, scope: VisitScope, spent: Spending): void {
  changeVisit(picture, idOf(scope), ({ spending }) => ({ spending: addSpending(spending, spent) }));
  changeNode(picture, scope.node, ({ spending }) => ({ spending: addSpending(spending, spent) }));
  changeAttempts(picture, scope.block, (rows) =>
    rows.map((row, index) => (index === rows.length - 1 ? { ...row, microUsd: spent.microUsd } : row)),
  );
  picture.spending = addSpending(picture.spending, spent);
  picture.changed.totals = true;
}

/** Counts usage that no event of a model call contains: a coding agent reports it with its result. */
function countReported(picture: RunPicture, fact: VisitScope, data: JsonObject): void {
  if (picture.countedVisits.has(idOf(fact))) return;
  const spent = spendingIn(data);
  if (spent === null) return;
  const { tokens, microUsd, atLeast = false } = spent;
  addSpent(picture, fact, { input: tokens, output: 0, microUsd, atLeast });
}

export function failBlock(picture: RunPicture, fact: FactOf<'block.failed'>): void {
  countReported(picture, fact, fact.failure.details);
  endAttempt(picture, fact, { outcome: fact.failure.reason, kind: 'failed', durationMs: fact.duration_ms });
}

export function finishBlock(picture: RunPicture, fact: FactOf<'block.finished'>): void {
  countReported(picture, fact, fact.stats);
  const signal = shownSignal(fact.signal);
  const kind = BAD.test(signal) ? 'failed' : 'ok';
  endAttempt(picture, fact, { outcome: signal, kind, durationMs: fact.duration_ms });
}

export function spendOnVisit(picture: RunPicture, fact: FactOf<'ai.call.finished'> & VisitScope): void {
  picture.countedVisits.add(idOf(fact));
  addSpent(picture, fact, { input: fact.tokens, output: 0, microUsd: fact.cost_micro_usd, atLeast: false });
}

function countRow(picture: RunPicture, block: string, row: number, step: number): void {
  const key = `${block} ${row}`;
  const count = (picture.rows.get(key)?.count ?? 0) + 1;
  picture.rows.set(key, { block, row, count, lastStep: step });
  picture.changed.rows.add(key);
}

/** Returns the target of a row within the graph; null for a return to the caller, or none. */
function targetOf(picture: RunPicture, block: string, row: number | null): string | null {
  const action = row === null ? undefined : picture.graphBlocks.get(block)?.transitions[row]?.action;
  if (action?.kind === 'jump') return action.target;
  if (action?.kind === 'call') return action.node;
  return action?.kind === 'fork' ? (action.nodes[0] ?? null) : null;
}

/** Returns the time for which a visit waited for a person, in milliseconds. */
const waitedIn = (visit: Visit | undefined): number =>
  visit?.waits.reduce((sum, { from, to }) => sum + (to === null ? 0 : to - from), 0) ?? 0;

export function takeTransition(picture: RunPicture, { entry, row }: FactOf<'transition.taken'>, at: number): void {
  const { block, frame, visit, step, signal } = entry;
  const id = visitId(frame, block, visit);
  const kind = row === null ? null : picture.graphBlocks.get(block)?.transitions[row]?.action.kind;
  const calls = kind === 'call' || kind === 'fork';
  const shown = signal === null ? null : shownSignal(signal);
  const status = endedStatus(shown, entry.attempts, hasOwnRow(picture, block, shown));
  const known = picture.visits.get(id);
  const own = at - (known?.from ?? at) - waitedIn(known);
  // The node has the time before the last halt already if the visit has halted after a step and was repeated.
  const fresh = known === undefined || known.step === null ? own : at - (known.waits.at(-1)?.to ?? known.from);
  const rests = kind === 'halt' && entry.signal !== null;
  changeVisit(picture, id, () => ({
    step,
    status,
    signal: shown,
    row,
    calls,
    attempts: entry.attempts,
    to: calls || rests ? null : at,
  }));
  changeBlock(picture, block, {
    status: calls ? 'active' : status,
    durationMs: own,
    attempt: entry.attempts,
    progress: null,
  });
  changeFrame(picture, frame, { status });
  changeNode(picture, entry.node, ({ durationMs }) => ({ durationMs: durationMs + fresh }));
  if (row !== null) countRow(picture, block, row, step);
  picture.lastTransition = { step, block, row, signal: shown, to: targetOf(picture, block, row), at };
  picture.changed.taken = true;
  changeRun(picture, { steps: Math.max(picture.run.steps, step) });
}

export function haltBlock(picture: RunPicture, fact: FactOf<'block.halted'>, at: number): void {
  const { block, frame, visit, halt_id: halt, why } = fact;
  if (picture.frames.get(frame)?.block !== block) standAt(picture, frame, block, visit);
  picture.halts.set(halt, { halt, block, frame, visit, why, since: picture.halts.get(halt)?.since ?? at });
  picture.changed.halts = true;
  changeBlock(picture, block, { status: 'halted' });
  changeFrame(picture, frame, { status: 'halted' });
  changeVisit(picture, idOf(fact), ({ waits }) => ({
    status: 'halted',
    waits: waits.at(-1)?.to === null ? waits : [...waits, { from: at, to: null }],
  }));
}

/** The answers after which a block is not executed again. */
const LEAVES = /^(next|jump|abort)\b/;

export function answerBlock(picture: RunPicture, fact: FactOf<'block.answered'>, at: number): void {
  const { block, frame, halt_id: halt } = fact;
  picture.halts.delete(halt);
  picture.changed.halts = true;
  picture.answers += 1;
  const visit = picture.visits.get(idOf(fact));
  // A block that halted after its step gets no further event if the answer leaves it.
  const hasEnded = visit !== undefined && visit.step !== null && LEAVES.test(fact.answer);
  const status = hasEnded
    ? endedStatus(visit.signal, visit.attempts, hasOwnRow(picture, block, visit.signal))
    : 'active';
  changeBlock(picture, block, { status });
  changeFrame(picture, frame, { status: 'active' });
  changeVisit(picture, idOf(fact), ({ waits, to }) => ({
    status,
    to: hasEnded ? at : to,
    waits: waits.map((wait) => (wait.to === null ? { ...wait, to: at } : wait)),
  }));
}
