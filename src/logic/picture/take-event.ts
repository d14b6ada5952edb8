import type { RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { RunStatus } from '#protocol/run-status.ts';
import { sliceFailureText } from '#protocol/context-slice.ts';
import { changeBlock, changeRun, changeVisit, type RunPicture, visitId } from './run-picture.ts';
import { enterNode, leaveNode, restFrames, wakeFrames } from './take-frame-event.ts';
import {
  answerBlock,
  cutOffBlock,
  enterBlock,
  failBlock,
  finishBlock,
  haltBlock,
  spendOnVisit,
  startBlock,
  takeTransition,
  showProgress,
} from './take-visit-event.ts';

type FactOf<Type extends RunFact['type']> = Extract<RunFact, { type: Type }>;

function goOn(picture: RunPicture, at: number): void {
  picture.activeTime.from ??= at;
  picture.changed.totals = true;
  if (picture.run.status !== 'running') changeRun(picture, { status: 'running', endedAt: null, why: null, next: null });
}

function rest(picture: RunPicture, status: RunStatus, at: number): void {
  const { activeTime } = picture;
  if (activeTime.from !== null) activeTime.before += Math.max(0, at - activeTime.from);
  activeTime.from = null;
  picture.changed.totals = true;
  changeRun(picture, { status });
}

/** Returns why a run ended, in words. */
function whyEnded({ outcome, response }: FactOf<'run.finished'>): string | null {
  if (outcome === 'completed') return null;
  const { details, reason } = response;
  const said = typeof details === 'object' && details !== null && 'message' in details ? details['message'] : null;
  return typeof said === 'string' ? said : reason === null ? null : reason.replaceAll('_', ' ');
}

function finish(picture: RunPicture, fact: FactOf<'run.finished'>, at: number): void {
  const { outcome } = fact;
  const canGoOn = outcome === 'interrupted' || outcome === 'paused';
  rest(picture, outcome, at);
  const next = canGoOn ? `robosmith resume ${picture.run.run}` : null;
  const retry = outcome === 'failed' ? `robosmith resume ${picture.run.run} --retry` : null;
  changeRun(picture, { endedAt: canGoOn ? null : at, why: whyEnded(fact), next: next ?? retry });
  if (canGoOn) restFrames(picture);
  else endFrames(picture, at);
}

/** Ends everything that was open when the run ended. */
function endFrames(picture: RunPicture, at: number): void {
  for (const { frame, block, visit } of [...picture.frames.values()]) {
    if (block === '') continue;
    const id = visitId(frame, block, visit);
    const ended = picture.visits.get(id)?.step;
    const status = picture.visits.get(id)?.status ?? 'complete';
    const shown = ended === undefined || ended === null || status === 'halted' ? 'failed' : status;
    changeBlock(picture, block, { status: shown, heads: 0, waitsFor: [], progress: null });
    changeVisit(picture, id, ({ to }) => ({ to: to ?? at, status: shown }));
  }
  picture.frames.clear();
  picture.halts.clear();
  picture.changed.frames = true;
  picture.changed.halts = true;
}

/** The maximum number of warnings that a run keeps. */
const MOST_WARNINGS = 5;

/** Records once per text what a context slice lacks. */
function warnOfSlice(picture: RunPicture, fact: FactOf<'context.assembled'>): void {
  const lacks = sliceFailureText(fact);
  const { warnings } = picture.run;
  if (lacks === null || warnings.includes(lacks) || warnings.length === MOST_WARNINGS) return;
  changeRun(picture, { warnings: [...warnings, lacks] });
}

function takeFact(picture: RunPicture, fact: RunFact, at: number): void {
  switch (fact.type) {
    case 'run.started':
      changeRun(picture, { startedAt: at, entry: fact.node });
      return goOn(picture, at);
    case 'run.resumed':
      goOn(picture, at);
      return wakeFrames(picture);
    case 'run.halted':
      return rest(picture, 'halted', at);
    case 'run.finished':
      return finish(picture, fact, at);
    case 'node.entered':
      return enterNode(picture, fact);
    case 'node.left':
      return leaveNode(picture, fact, at);
    case 'block.entered':
      return enterBlock(picture, fact, at);
    case 'block.started':
      goOn(picture, at);
      return startBlock(picture, fact, at);
    case 'block.progress':
      return showProgress(picture, fact);
    case 'block.cut_off':
      return cutOffBlock(picture, fact);
    case 'block.failed':
      return failBlock(picture, fact);
    case 'block.finished':
      return finishBlock(picture, fact);
    case 'transition.taken':
      return takeTransition(picture, fact, at);
    case 'block.halted':
      return haltBlock(picture, fact, at);
    case 'block.answered':
      goOn(picture, at);
      return answerBlock(picture, fact, at);
    case 'ai.call.finished':
      return spendOnVisit(picture, fact);
    case 'evidence.checked':
      return void picture.checks.set(fact.check, fact.held);
    case 'context.assembled':
      return warnOfSlice(picture, fact);
    case 'memory.assembled':
    case 'recovery.retry':
    case 'recovery.repair':
    case 'recovery.exhausted':
    case 'ai.call.started':
    case 'ai.call.attempted':
    case 'ai.call.redacted':
    case 'ai.call.fallback':
    case 'key.changed':
    case 'main.changed':
    case 'exports.refused':
    case 'fork.opened':
    case 'fork.joined':
      return;
  }
}

/** Applies an event to the picture of its run. An event that was applied before changes nothing. */
export function takeEvent(picture: RunPicture, event: RoboSmithEvent): void {
  if (event.seq <= picture.seq) return;
  picture.seq = event.seq;
  picture.at = Math.max(picture.at, event.time);
  takeFact(picture, event, event.time);
}
