import path from 'node:path';
import { statIfThere } from '#io/files/durable-file.ts';
import { namedIn } from '#logic/queue/glob-pattern.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

const refused = (written: string): RoboSmithError =>
  new RoboSmithError(
    'usage',
    `"${written}" is not in the repository: a plan names files from its top, as src/login/*.ts.`,
    {
      path: written,
    },
  );

const exception = (written: string): RoboSmithError =>
  new RoboSmithError(
    'usage',
    `A plan has no exclusions, so "${written}" would name a file. To name such a file, write \\${written}.`,
    { path: written },
  );

/** Removes empty, `.` and `..` segments from a path, which may contain globs. Throws if it leads outside. */
function normal(written: string, inside: string): string {
  const kept: string[] = [];
  for (const segment of inside.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) throw refused(written);
  }
  return kept.join('/');
}

/**
 * Normalizes the planned files of a session: relative to the top of the repository, with `/`; a folder ends with `/`
 * and means everything in it. Braces are expanded. Throws `usage` for paths outside of the repository.
 */
export function cleanPlan(plan: readonly string[], top: string, calls: FileCalls): readonly string[] {
  const isFolderHere = (file: string): boolean => statIfThere(calls, path.join(top, file))?.isFolder === true;
  const cleaned = plan.flatMap((written) => {
    if (/^!(?!\()/.test(written)) throw exception(written);
    if (written.trim() === '' || written.includes('\0')) throw refused(written);
    const isAbsolute = path.isAbsolute(written);
    const inside = isAbsolute ? path.relative(top, written).split(path.sep).join('/') : written;
    if (isAbsolute && path.isAbsolute(inside)) throw refused(written);
    const file = normal(written, inside);
    if (file === '') return '**';
    if (written.endsWith('/') || isFolderHere(file)) return `${file}/`;
    const named = namedIn(file).map((one) => normal(written, one));
    return named.some(isFolderHere) ? named.map((one) => (isFolderHere(one) ? `${one}/` : one)) : file;
  });
  return [...new Set(cleaned)];
}
