import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { shellWord } from '../run/shell-word.ts';

/** One thing of the project that a run may execute. */
export interface Executable {
  readonly what: string;
  readonly command: string;
}

const PROJECT_COMMANDS: Readonly<Record<string, string>> = {
  'Internal:TestRunner': 'test',
  'Internal:RunLinter': 'lint',
  'Internal:RunBuilder': 'build',
};

/** All commands and modules that the project brings, as a person is shown them. */
export async function whatWouldRun(graph: Graph, root: string): Promise<readonly Executable[]> {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = new Set(blocks.map(({ worker }) => worker));
  return [
    ...Object.entries(graph.commands)
      .filter(
        ([name]) =>
          !Object.values(PROJECT_COMMANDS).includes(name) ||
          Object.entries(PROJECT_COMMANDS).some(([worker, command]) => command === name && used.has(worker)),
      )
      .map(([name, argv]) => ({ what: `command "${name}"`, command: argvText(argv) })),
    ...graph.workers
      .filter(({ kind }) => kind === 'command' || kind === 'agent')
      .map(({ name, settings }) => ({
        what: `worker ${name}`,
        command: settingsText(settings),
      })),
    ...blocks
      .filter(({ params }) => params['command'] !== undefined)
      .map(({ id, params }) => ({ what: `block ${id}`, command: settingsText(params) })),
    ...blocks.flatMap(({ id, evidence }) =>
      evidence.flatMap((one) =>
        'command' in one ? [{ what: `evidence of ${id}`, command: argvText(one.command) }] : [],
      ),
    ),
    ...worktreeCommands('set-up of a worktree', graph.worktree['setup'] ?? []),
    ...worktreeCommands('end of a worktree', graph.worktree['teardown'] ?? []),
    ...(await registryModules(root)),
  ];
}

/** Quoted, so that no two commands look the same. */
const argvText = (value: JsonValue): string =>
  Array.isArray(value)
    ? value.map((part: JsonValue) => (typeof part === 'string' ? shellWord(part) : JSON.stringify(part))).join(' ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

/** A command with all that decides what it can do. */
function settingsText({ command, preset, shell, cwd, env }: JsonObject): string {
  const line = isOn(shell) && Array.isArray(command) ? command.map(String).join(' ') : null;
  return [
    line ?? argvText(command ?? preset ?? ''),
    ...(line === null ? [] : ['(through the shell)']),
    ...(cwd === undefined ? [] : [`(in ${argvText(cwd)})`]),
    ...(env === undefined ? [] : [`(sees ${argvText(env)})`]),
  ].join(' ');
}

const worktreeCommands = (what: string, list: JsonValue): readonly Executable[] =>
  Array.isArray(list) ? list.map((argv: JsonValue) => ({ what, command: argvText(argv) })) : [];

/** Modules that the registry names, with a hash of each, so that a changed module asks again. */
async function registryModules(root: string): Promise<readonly Executable[]> {
  const text = await readOrNull(path.join(root, '.flow', 'flow.registry.json'));
  if (text === null) return [];
  let registry: unknown;
  try {
    registry = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof registry !== 'object' || registry === null) return [];
  const modules = Object.entries(registry).flatMap(([name, target]) =>
    typeof target === 'string' && !target.startsWith('builtin:') ? [{ name, target }] : [],
  );
  return Promise.all(
    modules.map(async ({ name, target }) => {
      const source = await readOrNull(path.resolve(root, target.replace(/#.*$/, '')));
      return { what: `module of ${name}`, command: `${target} (sha256 ${sha256(source ?? '').slice(0, 12)})` };
    }),
  );
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What trust is remembered by: the project's place and everything that it may execute. */
export const trustHash = (root: string, executables: readonly Executable[]): string =>
  sha256(JSON.stringify([root, executables]));
