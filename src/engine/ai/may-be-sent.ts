import path from 'node:path';
import { realPath } from '#io/files/real-path.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import { RoboSmithError } from '#protocol/error.ts';

/** Null: it has a name, or a link on its way, that no rule is written for. */
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

/** May a file that a person has named go into a prompt? Neither by its name nor by where that leads; outside of the project only what is kept back everywhere is refused. */
export async function mayBeSent(project: string, file: string): Promise<boolean> {
  const [named, real] = [path.join(await realPath(path.dirname(file)), path.basename(file)), await realPath(file)];
  return (await one(project, named)) && (named === real || (await one(project, real)));
}
