import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { isInside } from './safe-path.ts';

/*
 * A project may ship a link in place of `.flow`, of a folder in it, of a run's folder or of `.vision/logs`. State would
 * then be written to, and removed from, any folder of the user. `.vision` itself may be a link: files that are written
 * are not followed (`file-calls.ts`), and users may keep files that are only read elsewhere.
 */

function linksIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** Returns a folder's path without links, or null if it is no folder or can't be read. */
function realFolder(place: string): string | null {
  try {
    return statSync(place).isDirectory() ? realpathSync(place) : null;
  } catch {
    return null;
  }
}

const isLogs = (place: string): boolean => path.basename(place) === 'logs';

/** Returns a message about a state folder that lies outside of the project, or null if there is none. */
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
  return `${place} is a link that leads out of the project. Replace it with a directory; to keep it on another disk, mount that disk there`;
}

/** Throws `unsafe_path` if a state folder lies outside of the project. */
export function checkStateInside(root: string): void {
  const message = stateElsewhere(root);
  if (message !== null) throw new RoboSmithError('unsafe_path', message, { path: path.join(root, '.flow') });
}
