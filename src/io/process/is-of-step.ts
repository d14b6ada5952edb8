import { readFileSync } from 'node:fs';
import { isMarked } from './process-mark.ts';

/** Matches the command line of a client that edits the work plan. */
const EDITS_PLAN = /\b(?:tasks|zoom)\b/;

/**
 * Returns whether a process may belong to a step of a run; such a process must not edit the work plan. On Linux this is
 * true if the process carries the mark of a step, has a command line that doesn't edit the plan, or can't be inspected.
 * On other systems it is always false.
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
