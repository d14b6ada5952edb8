import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';

export const refuse = (input: string, why: string): never => {
  throw new RoboSmithError('unsafe_path', `"${input}" is refused: ${why}`, { path: input, why });
};

const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

function checkPart(input: string, part: string): void {
  if (part === '..') refuse(input, 'it leaves its root');
  if (part.includes(':')) refuse(input, 'a colon names a drive or an alternate stream on Windows');
  if (DEVICE.test(part)) refuse(input, 'it names a Windows device');
  if (part !== '.' && /[. ]$/.test(part)) refuse(input, 'Windows drops a trailing dot or space');
}

/** The text rules, the same on every platform, since a manifest travels (spec/workers.md "SafePath"). Returns the parts. */
export function checkRelativePath(input: string): readonly string[] {
  if (input === '') refuse(input, 'it is empty');
  // eslint-disable-next-line no-control-regex -- control bytes are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(input)) refuse(input, 'it has control characters');
  if (/^[\\/]/.test(input)) refuse(input, 'it is absolute');
  if (input.includes('\\')) refuse(input, 'use "/" between folders');
  const parts = input.split('/').filter((part) => part !== '' && part !== '.');
  for (const part of parts) checkPart(input, part);
  if (parts.length === 0) refuse(input, 'it names no file');
  return parts;
}

/** Both absolute and without links. */
export const isInside = (root: string, target: string): boolean =>
  target === root || target.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

async function exists(target: string): Promise<boolean> {
  try {
    await lstat(target);
    return true;
  } catch {
    return false;
  }
}

/** Links in the part that is there are resolved; a dangling link counts as there and is refused. */
async function withoutLinks(input: string, target: string): Promise<string> {
  for (let at = target; ; at = path.dirname(at)) {
    if (!(await exists(at))) continue;
    try {
      return path.join(await realpath(at), path.relative(at, target));
    } catch {
      return refuse(input, 'a link on the way leads nowhere');
    }
  }
}

/** The only way from a string to a path: inside `root`, also after links. The result is absolute and has no links. */
export async function safePath(root: string, input: string): Promise<string> {
  const parts = checkRelativePath(input);
  const realRoot = await realpath(root);
  const target = await withoutLinks(input, path.join(realRoot, ...parts));
  return isInside(realRoot, target) ? target : refuse(input, 'a link on the way leaves the root');
}
