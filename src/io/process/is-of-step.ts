import { readFileSync } from 'node:fs';
import { isMarked } from './process-mark.ts';

/** Matches the command line of a client that edits the work plan. */
const EDITS_PLAN = /\b(?:tasks|zoom)\b/;

/**
 * Returns whether a process may belong to a step of a run, so that it must not edit the work plan. On Linux it is one if
 * it carries the mark of a step, or is not a command that edits the plan; elsewhere that can't be seen.
 */
export function isOfStep(pid: number, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'linux') return false;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return isMarked(environment) || !EDITS_PLAN.test(line);
  } catch {
    return true;
  }
}
