import type { Controls, RunFacts, SessionTab } from '#protocol/generated/view.gen.ts';
import type { RunPicture } from '#engine/index.ts';
import { hasEnded } from '#protocol/session.ts';

const BUSY: ReadonlySet<string> = new Set(['queued', 'creating', 'merging', 'updating', 'holding', 'discarding']);

const isAtRest = (tab: SessionTab): boolean => tab.state === 'held' || hasEnded(tab);

function whyNoRun(run: RunFacts | null, tab: SessionTab | null): string | null {
  if (run?.status === 'running') return 'A run is in progress.';
  if (run?.status === 'halted') return 'The run waits for an answer.';
  if (tab?.session === null || tab === null) return null;
  if (BUSY.has(tab.state)) return `The session is ${tab.state}.`;
  return isAtRest(tab) ? `The session is ${tab.state}.` : null;
}

const waitsInStep = ({ halts }: RunPicture): boolean => [...halts.values()].some(({ why }) => why === 'step');

/** Returns for each control the reason why it is disabled, or null if it is enabled. */
export function controlsOf(picture: RunPicture | null, tab: SessionTab | null): Controls {
  const run = picture?.run ?? null;
  const isMoving = run?.status === 'running';
  const notMoving = isMoving ? null : 'No run is in progress.';
  const canGoOn = run?.status === 'interrupted' || run?.status === 'paused' || run?.status === 'failed';
  const resting = run === null ? 'There is no run yet.' : null;
  return {
    run: whyNoRun(run, tab),
    step: picture !== null && waitsInStep(picture) ? null : 'Only a run in step mode waits before a block.',
    pause: notMoving,
    stop: notMoving,
    resume: canGoOn && !(tab !== null && isAtRest(tab)) ? null : (resting ?? `The run is ${run?.status ?? ''}.`),
    fork: resting ?? (run?.steps === 0 ? 'No step has finished yet.' : null),
  };
}
