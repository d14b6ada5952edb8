import { readdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '../files/read-small-file.ts';

/** A setting of the manifest's `worktree` section. */
type WorktreeSetting =
  | { readonly key: 'link' | 'share'; readonly value: readonly string[] }
  | { readonly key: 'setup'; readonly value: readonly (readonly string[])[]; readonly why?: string };

type SetUpSetting = Extract<WorktreeSetting, { readonly key: 'setup' }>;

/** How the worktrees of sessions get the dependencies that one package manager has installed. */
interface DependencyNeed {
  readonly manager: string;
  /** The file that shows that the manager is used. */
  readonly file: string;
  /** The proposed setting; null if worktrees need none, because the manager keeps its packages outside of the project. */
  readonly setting: WorktreeSetting | null;
}

/** The facts about a project's top folder that the proposals depend on. */
interface Folder {
  readonly has: (...names: readonly string[]) => boolean;
  /** True if files can be copied without using disk space. */
  readonly clones: boolean;
  /** Returns whether git ignores a link with this name: a rule that ends with "/" matches folders only. */
  readonly ignoresLink: (name: string) => boolean;
}

interface Manager {
  readonly name: string;
  /** Any of these files shows that the manager is used. */
  readonly files: readonly string[];
  readonly setting: (folder: Folder) => WorktreeSetting | null;
}

const setup = (...commands: readonly (readonly string[])[]): SetUpSetting => ({ key: 'setup', value: commands });

const noSetting = (): null => null;

/**
 * Returns the setting for dependencies that are installed into a folder of the project: a clone of it if the file system
 * can make one, else a link if git ignores it, else a new installation.
 */
const folderOr =
  (name: string, install: SetUpSetting) =>
  ({ has, clones, ignoresLink }: Folder): WorktreeSetting => {
    if (!has(name)) return install;
    if (clones) return { key: 'share', value: [name] };
    if (ignoresLink(name)) return { key: 'link', value: [name] };
    const why = `each worktree installs its own ${name}: no rule in .gitignore matches a link to it. With the rule "${name}" (without "/" at its end), "worktree": {"link": ["${name}"]} is faster`;
    return { ...install, why };
  };

const yarn = (folder: Folder): WorktreeSetting =>
  folder.has('.yarnrc.yml')
    ? setup(['yarn', 'install', '--immutable'])
    : folderOr('node_modules', setup(['yarn', 'install', '--frozen-lockfile']))(folder);

/** A virtual environment holds absolute paths, so each worktree gets its own one. */
const PIP = setup(['python3', '-m', 'venv', '.venv'], ['.venv/bin/pip', 'install', '-r', 'requirements.txt']);

/** The package managers in groups. Of each group, the first manager whose files are found counts. */
const GROUPS: readonly (readonly Manager[])[] = [
  [
    { name: 'pnpm', files: ['pnpm-lock.yaml'], setting: () => setup(['pnpm', 'install', '--frozen-lockfile']) },
    { name: 'yarn', files: ['yarn.lock'], setting: yarn },
    { name: 'bun', files: ['bun.lock', 'bun.lockb'], setting: () => setup(['bun', 'install', '--frozen-lockfile']) },
    {
      name: 'npm',
      files: ['package-lock.json', 'npm-shrinkwrap.json'],
      setting: folderOr('node_modules', setup(['npm', 'ci'])),
    },
    // A project without a lock file is recognised by its `node_modules`.
    {
      name: 'npm',
      files: ['node_modules'],
      setting: folderOr('node_modules', setup(['npm', 'install', '--no-package-lock'])),
    },
  ],
  [
    { name: 'uv', files: ['uv.lock'], setting: () => setup(['uv', 'sync', '--frozen']) },
    { name: 'poetry', files: ['poetry.lock'], setting: () => setup(['poetry', 'install']) },
    { name: 'pip', files: ['requirements.txt'], setting: () => PIP },
  ],
  [{ name: 'cargo', files: ['Cargo.lock'], setting: noSetting }],
  [{ name: 'go', files: ['go.sum', 'go.mod'], setting: noSetting }],
  [{ name: 'gradle', files: ['build.gradle', 'build.gradle.kts'], setting: noSetting }],
  [{ name: 'maven', files: ['pom.xml'], setting: noSetting }],
  [{ name: 'composer', files: ['composer.lock'], setting: folderOr('vendor', setup(['composer', 'install'])) }],
  [{ name: 'bundler', files: ['Gemfile.lock'], setting: () => setup(['bundle', 'install']) }],
];

/** The magic numbers of file systems that can clone files (`f_type` of Linux `statfs`): Btrfs, XFS, bcachefs. */
const CLONING: ReadonlySet<number> = new Set([0x91_23_68_3e, 0x58_46_53_42, 0xca_45_1a_4e]);

async function clonesFiles(folder: string): Promise<boolean> {
  if (process.platform === 'darwin') return true;
  if (process.platform !== 'linux') return false;
  const found = await statfs(folder).catch(() => null);
  // `statfs` returns the type as a signed number on some machines.
  return found !== null && CLONING.has(found.type >>> 0);
}

const LARGEST_RULES = 1_048_576;

/** Returns whether a line of .gitignore matches a link of this name at the top of the project. */
async function linkRules(project: string): Promise<Folder['ignoresLink']> {
  const read = await readSmallFile(path.join(project, '.gitignore'), LARGEST_RULES);
  const lines = 'text' in read ? read.text.split(/\r?\n/).map((line) => line.trim()) : [];
  const rules = new Set(lines);
  return (name) => [name, `/${name}`, `**/${name}`].some((rule) => rules.has(rule));
}

/** Returns how sessions get the dependencies of a project, for each package manager whose files are at its top. */
export async function dependencyNeeds(project: string, clones?: boolean): Promise<readonly DependencyNeed[]> {
  const names = new Set(await readdir(project).catch((): readonly string[] => []));
  const folder: Folder = {
    has: (...wanted) => wanted.some((name) => names.has(name)),
    clones: clones ?? (await clonesFiles(project)),
    ignoresLink: await linkRules(project),
  };
  return GROUPS.flatMap((managers) => {
    for (const { name, files, setting } of managers) {
      const file = files.find((one) => names.has(one));
      if (file !== undefined) return [{ manager: name, file, setting: setting(folder) }];
    }
    return [];
  });
}

/** Returns why commands are proposed where a link would be faster. */
export const reasonsFor = (needs: readonly DependencyNeed[]): readonly string[] =>
  needs.flatMap(({ setting }) => (setting?.key === 'setup' && setting.why !== undefined ? [setting.why] : []));

/** Merges the proposed settings into a `worktree` section; null if worktrees need none. */
export function worktreeSection(needs: readonly DependencyNeed[]): Readonly<Record<string, readonly unknown[]>> | null {
  const section: Record<string, readonly unknown[]> = {};
  for (const { setting } of needs)
    if (setting !== null) section[setting.key] = [...(section[setting.key] ?? []), ...setting.value];
  return Object.keys(section).length === 0 ? null : section;
}
