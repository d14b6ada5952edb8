import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { isInside } from './safe-path.ts';

/*
 * A project may bring a link in place of `.flow`, of a folder in it, of a run's or of `.vision/logs`: state would be written to, swept and
 * pruned in whatever folder of the user's it names. `.vision` itself may be one, and files need no such care: those that are written are
 * not followed (`file-calls.ts`), and what is only read a person may keep elsewhere.
 */

function linksIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** Without links; null when there is no folder, or nobody may look. */
function realFolder(place: string): string | null {
  try {
    return statSync(place).isDirectory() ? realpathSync(place) : null;
  } catch {
    return null;
  }
}

const isLogs = (place: string): boolean => path.basename(place) === 'logs';

/** A folder of a project's state that lies outside of the project (seed 003 "Single Folder Policy"), in words; null: all is in its place. */
export function stateElsewhere(root: string): string | null {
  const inside = realFolder(root);
  const flow = path.join(root, '.flow');
  const leadsOut = (place: string): boolean => {
    const real = realFolder(place);
    return inside !== null && real !== null && !isInside(inside, real);
  };
  const logs = linksIn(path.join(root, '.vision')).filter(isLogs);
  const place = [flow, ...linksIn(flow), ...linksIn(path.join(flow, 'runs')), ...logs].find(leadsOut);
  if (place === undefined) return null;
  return `${place} is a link that leads out of the project: make it a directory; to keep it on another disk, mount that there`;
}

/** Throws `unsafe_path`. */
export function checkStateInside(root: string): void {
  const message = stateElsewhere(root);
  if (message !== null) throw new RoboSmithError('unsafe_path', message, { path: path.join(root, '.flow') });
}
