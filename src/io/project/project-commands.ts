import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '../files/read-small-file.ts';

/** The maximum size of a file that is searched for commands, in bytes. */
const LARGEST = 4 * 1024 * 1024;

type Commands = Readonly<Record<string, readonly string[]>>;

/** Access to one folder: the names in it, and the texts of its files. */
interface Folder {
  has(...names: readonly string[]): boolean;
  /** Returns the text of a file, or an empty text if it can't be read. */
  read(name: string): Promise<string>;
}

type Source = (folder: Folder) => Commands | Promise<Commands>;

/** Matches the placeholder for the test script that `npm init` writes. */
const NO_TEST = /no test specified/;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** Returns the program that runs scripts: the one that `packageManager` names, else the one whose lock file exists. */
function scriptRunner(manifest: Fields, folder: Folder): string {
  const { packageManager: named } = manifest;
  const manager = typeof named === 'string' ? (named.split('@')[0] ?? '') : '';
  if (['npm', 'pnpm', 'yarn', 'bun'].includes(manager)) return manager;
  if (folder.has('pnpm-lock.yaml')) return 'pnpm';
  if (folder.has('yarn.lock')) return 'yarn';
  return folder.has('bun.lock', 'bun.lockb') ? 'bun' : 'npm';
}

/** Returns the command for the script "test". `bun test` is Bun's own test runner, so Bun needs `run`. */
const testScript = (runner: string): readonly string[] =>
  runner === 'bun' ? ['bun', 'run', 'test'] : [runner, 'test'];

const ESLINT_CONFIGS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `eslint.config.${ending}`);

async function scripts(folder: Folder): Promise<Commands> {
  const manifest = fieldsOf(JSON.parse(await folder.read('package.json')));
  const runner = scriptRunner(manifest, folder);
  const written = Object.entries(fieldsOf(manifest['scripts']));
  const named = new Set(
    written.flatMap(([name, script]) => (typeof script === 'string' && !NO_TEST.test(script) ? [name] : [])),
  );
  const script = (...names: readonly string[]): readonly string[] | null => {
    const found = names.find((name) => named.has(name));
    return found === undefined ? null : [runner, 'run', found];
  };
  const tools = { ...fieldsOf(manifest['dependencies']), ...fieldsOf(manifest['devDependencies']) };
  const eslint =
    folder.has(...ESLINT_CONFIGS) && 'eslint' in tools ? ['npx', '--no-install', 'eslint', '.', '-f', 'json'] : null;
  const tsc = folder.has('tsconfig.json') && 'typescript' in tools ? ['npx', '--no-install', 'tsc', '--noEmit'] : null;
  return some({
    test: named.has('test') ? testScript(runner) : null,
    lint: script('lint') ?? eslint,
    build: script('build', 'compile', 'typecheck', 'type-check') ?? tsc,
  });
}

const some = (commands: Readonly<Record<string, readonly string[] | null>>): Commands =>
  Object.fromEntries(
    Object.entries(commands).filter((entry): entry is [string, readonly string[]] => entry[1] !== null),
  );

const cargo: Source = () => ({ test: ['cargo', 'test'], lint: ['cargo', 'clippy'], build: ['cargo', 'build'] });

const go: Source = () => ({
  test: ['go', 'test', './...'],
  lint: ['go', 'vet', './...'],
  build: ['go', 'build', './...'],
});

/** Returns the prefix that runs a command through the tool that manages the project's packages, if there is one. */
const throughTool = (folder: Folder): readonly string[] => {
  if (folder.has('uv.lock')) return ['uv', 'run'];
  if (folder.has('poetry.lock')) return ['poetry', 'run'];
  return folder.has('pdm.lock') ? ['pdm', 'run'] : [];
};

/** Names of files that show that pytest is used. The list below names files that may mention pytest in their text. */
const OF_PYTEST = ['pytest.ini', 'conftest.py'];
const PERHAPS_OF_PYTEST = ['tox.ini', 'setup.cfg', 'requirements.txt', 'requirements-dev.txt'];

async function usesPytest(folder: Folder): Promise<boolean> {
  if (folder.has('pyproject.toml', ...OF_PYTEST)) return true;
  const texts = await Promise.all(PERHAPS_OF_PYTEST.map((name) => folder.read(name)));
  return texts.some((text) => text.includes('pytest'));
}

const PROGRAM_OF_VENV = process.platform === 'win32' ? '.venv/Scripts/python' : '.venv/bin/python';

/**
 * Returns Python: that of the virtual environment if the project has one and its requirements are known, because
 * sessions then get their own environment, and another Python lacks the packages.
 */
const interpreter = (folder: Folder): string =>
  folder.has('.venv') && folder.has('requirements.txt') ? PROGRAM_OF_VENV : 'python';

async function python(folder: Folder): Promise<Commands> {
  const text = await folder.read('pyproject.toml');
  const through = throughTool(folder);
  return some({
    test: (await usesPytest(folder))
      ? [...through, ...(through.length === 0 ? [interpreter(folder), '-m', 'pytest'] : ['pytest'])]
      : null,
    lint:
      text.includes('ruff') || folder.has('ruff.toml', '.ruff.toml')
        ? [...through, 'ruff', 'check', '.']
        : folder.has('.flake8')
          ? [...through, 'flake8']
          : null,
  });
}

const maven: Source = (folder) => {
  const program = folder.has('mvnw') ? './mvnw' : 'mvn';
  return { test: [program, '-B', 'test'], build: [program, '-B', 'package', '-DskipTests'] };
};

const gradle: Source = (folder) => {
  const program = folder.has('gradlew') ? './gradlew' : 'gradle';
  return { test: [program, 'test'], build: [program, 'assemble'] };
};

const deno: Source = () => ({ test: ['deno', 'test'], lint: ['deno', 'lint'] });

const hasTarget = (text: string, target: string): boolean => new RegExp(`^${target}\\s*:(?!=)`, 'm').test(text);

const make =
  (file: string): Source =>
  async (folder) => {
    const text = await folder.read(file);
    const named = ['test', 'lint', 'build'].filter((target) => hasTarget(text, target));
    const check = !named.includes('test') && hasTarget(text, 'check') ? { test: ['make', 'check'] } : {};
    return { ...Object.fromEntries(named.map((target) => [target, ['make', target]])), ...check };
  };

/** The files that define commands, by priority: a command of an earlier row wins. */
const SOURCES: readonly { readonly files: readonly string[]; readonly read: Source }[] = [
  { files: ['package.json'], read: scripts },
  { files: ['deno.json', 'deno.jsonc'], read: deno },
  { files: ['Cargo.toml'], read: cargo },
  { files: ['go.mod'], read: go },
  { files: ['pyproject.toml', ...OF_PYTEST, ...PERHAPS_OF_PYTEST], read: python },
  { files: ['pom.xml'], read: maven },
  { files: ['build.gradle', 'build.gradle.kts'], read: gradle },
  ...['GNUmakefile', 'makefile', 'Makefile'].map((file) => ({ files: [file], read: make(file) })),
];

/** The names of files in a project's folder that define what its test, lint and build commands do. */
export const COMMAND_FILES: ReadonlySet<string> = new Set(SOURCES.flatMap(({ files }) => files));

async function openFolder(folder: string): Promise<Folder> {
  const names = new Set(await readdir(folder).catch((): readonly string[] => []));
  return {
    has: (...wanted) => wanted.some((name) => names.has(name)),
    read: async (name) => {
      const found = await readSmallFile(path.join(folder, name), LARGEST);
      return 'text' in found ? found.text.replace(/^\uFEFF/, '') : '';
    },
  };
}

/**
 * Returns the test, lint and build commands that a project's files suggest, for a manifest without `commands`.
 * Unreadable files are ignored.
 */
export async function detectCommands(project: string): Promise<Commands> {
  const folder = await openFolder(project);
  let found: Commands = {};
  for (const { files, read } of SOURCES) {
    if (!folder.has(...files)) continue;
    try {
      found = { ...(await read(folder)), ...found };
    } catch {
      continue;
    }
  }
  return found;
}
