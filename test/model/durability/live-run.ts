import type { KeptRun } from '#engine/durable/begin-run.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';
import { isOver, type ObservedRun } from './observed-run.ts';
import type { SessionParts } from './session-parts.ts';

/** A run and the engine that currently executes it. */
export interface LiveRun {
  readonly observed: ObservedRun;
  readonly run: KeptRun;
  settled: boolean;
  /** Halts whose answer has been scheduled. */
  readonly asked: Set<string>;
  readonly answers: ScriptedAnswer[];
}

/**
 * Returns whether a halt is unplanned: it occurs because an engine died or was stopped during a step that can't simply
 * be repeated.
 */
const isCutOff = ({ why }: Pick<Halt, 'why'>): boolean => why === 'unsafe' || why === 'circuit_open';

const asAnswer = ({ answer, to, guidance }: ScriptedAnswer): Answer => {
  const withGuidance = guidance === undefined ? {} : { guidance };
  return answer === 'jump'
    ? { verb: 'jump', block: (to ?? '') as BlockId, ...withGuidance }
    : { verb: answer, ...withGuidance };
};

/** Forgets refused answers to halts that a crash removed from the journal. */
function forgetLost({ refused, entries }: ObservedRun): void {
  const known = new Set(entries.map((entry) => (entry.type === 'halt' ? entry.halt : null)));
  for (const halt of refused.keys()) if (!known.has(halt)) refused.delete(halt);
}

/** Returns the answers that earlier sessions have not consumed. */
function unusedAnswers({ answers, entries, refused }: ObservedRun): ScriptedAnswer[] {
  const left = answers.filter((one) => ![...refused.values()].includes(one));
  const halts = new Map(entries.flatMap((entry) => (entry.type === 'halt' ? [[entry.halt, entry] as const] : [])));
  for (const entry of entries) {
    const halt = entry.type === 'answer' ? halts.get(entry.halt) : undefined;
    if (entry.type !== 'answer' || halt === undefined || isCutOff(halt)) continue;
    const said = JSON.stringify(entry.answer);
    const at = left.findIndex((one) => one.block === halt.block && JSON.stringify(asAnswer(one)) === said);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

export function liveRun(observed: ObservedRun, run: KeptRun): LiveRun {
  forgetLost(observed);
  return { observed, run, settled: false, asked: new Set(observed.refused.keys()), answers: unusedAnswers(observed) };
}

/** Records the Response of a run when it settles. Called again after each answer. */
export function watch(live: LiveRun, { process, clock }: SessionParts): void {
  live.settled = false;
  void live.run.settled().then((response) => {
    if (!process.isAlive()) return;
    live.settled = true;
    live.observed.response = response;
    if (!isOver(live.observed) && response.reason !== 'halted') clock.stop(live.observed.index);
  });
}

/**
 * Answers a halt as an event in virtual time, ordered like any other step (point 25 of
 * docs/decisions/2026-11-21-run-semantics.md).
 */
async function answerInTurn(live: LiveRun, halt: Halt, parts: SessionParts): Promise<void> {
  await parts.clock.clockOf(live.observed.index).sleep(0, new AbortController().signal, halt.frame);
  // If the halt was cancelled in the meantime, its answer is used for the next halt (point 22 of the same decision
  // record).
  if (!live.run.halts().some(({ halt_id }) => halt_id === halt.halt_id)) return;
  const at = live.answers.findIndex(({ block }) => block === halt.block);
  const [given] = at < 0 ? [] : live.answers.splice(at, 1);
  if (given === undefined) return;
  if (live.run.answer(halt.halt_id, asAnswer(given)).accepted) watch(live, parts);
  else live.observed.refused.set(halt.halt_id, given);
}

/** Answers the open halts. Returns true if an answer took effect immediately, so that the run is active again. */
export function answerHalts(live: LiveRun, parts: SessionParts): boolean {
  let moved = false;
  for (const halt of live.run.halts()) {
    if (isCutOff(halt)) {
      moved = live.run.answer(halt.halt_id, { verb: 'retry' }).accepted || moved;
      watch(live, parts);
    } else if (!live.asked.has(halt.halt_id) && live.observed.answers.length > 0) {
      live.asked.add(halt.halt_id);
      void answerInTurn(live, halt, parts);
    }
  }
  return moved;
}
