import type { Files } from '#protocol/services.ts';
import type { Finding, Report } from './finding.ts';
import { relativeTo } from './place.ts';

const escaped = (name: string): string => name.replaceAll(/[*?[\]{}!()\\]/g, '\\$&');

const isAbsolute = (file: string): boolean => file.startsWith('/') || /^[A-Za-z]:[/\\]/.test(file);

/** Returns the folders of the Go modules below the root, by the module's path; longer paths first. */
async function goModules(files: Files): Promise<readonly (readonly [string, string])[]> {
  const found = await files.glob(['go.mod', '**/go.mod']);
  const modules = await Promise.all(
    found.map(async (file) => {
      const name = /^module\s+"?([^\s"]+)/m.exec((await files.read(file)) ?? '')?.[1];
      return name === undefined ? [] : [[name, file.slice(0, -'go.mod'.length)] as const];
    }),
  );
  return modules.flat().toSorted(([one], [other]) => other.length - one.length);
}

/** Replaces the path of a module at the start of a file's path by the folder of the module. */
function inModule(file: string, modules: readonly (readonly [string, string])[]): string {
  const [name = '', folder = ''] = modules.find(([module]) => file.startsWith(`${module}/`)) ?? [];
  return name === '' ? file : `${folder}${file.slice(name.length + 1)}`;
}

/**
 * Returns the path of a file as seen from the root, or null if it lies outside. A path that starts in a source folder
 * or in a package is looked up.
 */
async function locate(file: string, files: Files): Promise<string | null> {
  if (isAbsolute(file)) return null;
  const isThere = await files.readBytes(file, 0).then(
    ({ kind }) => kind !== 'missing',
    () => false,
  );
  if (isThere) return file;
  const name = file.split('/').at(-1) ?? file;
  for (const pattern of new Set([`**/${escaped(file)}`, `**/${escaped(name)}`])) {
    const found = await files.glob([pattern]).catch(() => []);
    if (found.length === 1) return found[0] ?? file;
  }
  return file;
}

/** Makes the paths of all findings relative to the root, and removes the root from their messages. */
export async function locateFindings(report: Report, root: string, files: Files | null): Promise<Report> {
  const local = relativeTo(root);
  const modules = report.format === 'go-test' && files !== null ? await goModules(files) : [];
  const known = new Map<string, Promise<string | null>>();
  const place = async (finding: Finding): Promise<Finding> => {
    const message = finding.message.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');
    if (finding.file === null) return { ...finding, message };
    const near = inModule(local(finding.file), modules);
    const found = known.get(near) ?? (files === null ? Promise.resolve(near) : locate(near, files));
    known.set(near, found);
    const file = await found;
    return file === null ? { ...finding, message, file, line: null, column: null } : { ...finding, message, file };
  };
  return { ...report, findings: await Promise.all(report.findings.map(place)) };
}
