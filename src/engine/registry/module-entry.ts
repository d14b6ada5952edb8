import type { ModuleFile } from '#io/project/module-file.ts';
import type { RegistryLine } from './read-registry.ts';

/** One line of the list that a person approves. */
export interface ApprovalLine {
  readonly what: string;
  readonly command: string;
  /** SHA-256 over the names and contents of all files that a module may load; absent for anything else. */
  readonly hash?: string;
}

function reachText({ files, packages }: ModuleFile): string {
  const others = files.size - 1;
  if (others < 1) return '';
  const among = packages.length === 0 ? '' : `, the packages ${packages.join(', ')} among them`;
  return ` with ${String(others)} ${others === 1 ? 'file' : 'files'} that it reaches${among}`;
}

/** Describes a module of the registry for the list that a person approves. `file` is null if there is no such file. */
export function moduleEntry(
  { name, target }: Pick<RegistryLine, 'name' | 'target'>,
  file: ModuleFile | null,
): ApprovalLine {
  const what = `module of ${name}`;
  if (file === null) return { what, command: `${target} (there is no such file)` };
  const { fingerprint } = file;
  return { what, command: `${target}${reachText(file)} (sha256 ${fingerprint.slice(0, 12)})`, hash: fingerprint };
}

/** Returns whether a module, as it is now, is on the list that a person has approved. */
export const isApproved = (entry: ApprovalLine, approved: readonly ApprovalLine[]): boolean =>
  approved.some(({ what, command, hash }) => what === entry.what && command === entry.command && hash === entry.hash);
