import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { upwards } from './upwards.ts';

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** The nearest `.vision/workflows.json` at or above a folder. */
export async function findManifest(from: string): Promise<string | null> {
  for (const folder of upwards(from)) {
    const file = path.join(folder, '.vision', 'workflows.json');
    if (await isFile(file)) return file;
  }
  return null;
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

type Commands = Readonly<Record<string, readonly string[]>>;

/** npm's own placeholder is no test. */
const NO_TEST = /no test specified/;

function npmCommands(text: string): Commands {
  const parsed: unknown = JSON.parse(text);
  const scripts = typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : null;
  if (typeof scripts !== 'object' || scripts === null) return {};
  const named = new Map(
    Object.entries(scripts).filter(([, script]) => typeof script === 'string' && !NO_TEST.test(script)),
  );
  return {
    ...(named.has('test') ? { test: ['npm', 'test'] } : {}),
    ...(named.has('lint') ? { lint: ['npm', 'run', 'lint'] } : {}),
    ...(named.has('build') ? { build: ['npm', 'run', 'build'] } : {}),
  };
}

const makeCommands = (text: string): Commands =>
  Object.fromEntries(
    ['test', 'lint', 'build']
      .filter((target) => new RegExp(`^${target}\\s*:`, 'm').test(text))
      .map((target) => [target, ['make', target]]),
  );

/** What a project's own files say, in the order in which they are believed. */
const SOURCES: readonly { readonly file: string; readonly read: (text: string) => Commands }[] = [
  { file: 'package.json', read: npmCommands },
  {
    file: 'Cargo.toml',
    read: () => ({ test: ['cargo', 'test'], lint: ['cargo', 'clippy'], build: ['cargo', 'build'] }),
  },
  {
    file: 'go.mod',
    read: () => ({ test: ['go', 'test', './...'], lint: ['go', 'vet', './...'], build: ['go', 'build', './...'] }),
  },
  {
    file: 'pyproject.toml',
    read: (text) => ({
      test: ['python', '-m', 'pytest'],
      ...(text.includes('ruff') ? { lint: ['ruff', 'check', '.'] } : {}),
    }),
  },
  { file: 'Makefile', read: makeCommands },
];

/** Test, lint and build commands of a project (spec/manifest.md "Validation", `commands` default). A broken file says nothing. */
export async function detectCommands(folder: string): Promise<Commands> {
  let found: Commands = {};
  for (const { file, read } of SOURCES) {
    const text = await readOrNull(path.join(folder, file));
    if (text === null) continue;
    try {
      found = { ...read(text), ...found };
    } catch {
      continue;
    }
  }
  return found;
}
