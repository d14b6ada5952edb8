import path from 'node:path';
import { realPath } from '#io/files/real-path.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import { RoboSmithError } from '#protocol/error.ts';

/** Returns the verdict of the rules, or null if no rule can apply to the name, or to a link in its path. */
async function judged(root: string, name: string): Promise<boolean | null> {
  try {
    return await createOutbound(root, root).mayLeave(name.split(path.sep).join('/'));
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return null;
    throw thrown;
  }
}

async function one(project: string, file: string): Promise<boolean> {
  const relative = path.relative(project, file);
  const isInside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  const found = isInside ? await judged(project, relative) : null;
  return found ?? (await judged(path.dirname(file), path.basename(file))) ?? true;
}

/**
 * Returns whether a file named by a person may be sent in a prompt, by its name and by its real path. Outside of the
 * project, only the built-in rules apply.
 */
export async function mayBeSent(project: string, file: string): Promise<boolean> {
  const [named, real] = [path.join(await realPath(path.dirname(file)), path.basename(file)), await realPath(file)];
  return (await one(project, named)) && (named === real || (await one(project, real)));
}
