import { createHash } from 'node:crypto';
import { contentHash } from '#io/files/content-hash.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { readRegistry, type RegistryLine } from '../registry/read-registry.ts';
import { usedWorkers } from '../registry/used-workers.ts';
import { shellWord } from '#protocol/shell-word.ts';

/** One thing of the project that a run may execute. */
export interface Executable {
  readonly what: string;
  readonly command: string;
  /** Of its content, where it is a file of the project. */
  readonly hash?: string;
}

const PROJECT_COMMANDS: Readonly<Record<string, string>> = {
  'Internal:TestRunner': 'test',
  'Internal:RunLinter': 'lint',
  'Internal:RunBuilder': 'build',
};

/** All commands and modules that the project brings, as a person is shown them; of a manifest, if there is one. */
export async function whatWouldRun(graph: Graph | null, root: string): Promise<readonly Executable[]> {
  const registry = await readRegistry(root);
  // Nothing of a registry with an error is loaded.
  const lines = registry.ok ? registry.lines : [];
  return [...(graph === null ? [] : commandsOf(graph, lines)), ...(await modulesOf(lines))];
}

/** Does the registry list anything that would be imported? */
export async function bringsModules(root: string): Promise<boolean> {
  const registry = await readRegistry(root);
  return registry.ok && registry.lines.some(({ module }) => module !== null);
}

type Lines = readonly RegistryLine[];

/** Built-in workers that a manifest uses, also under a name that the registry gives them. */
function builtInsOf(graph: Graph, lines: Lines): ReadonlySet<string> {
  const meant = new Map(
    lines.flatMap(({ name, implementation }) =>
      implementation.kind === 'builtin' ? [[name, implementation.worker] as const] : [],
    ),
  );
  return new Set([...usedWorkers(graph).keys()].map((name) => meant.get(name) ?? name));
}

function commandsOf(graph: Graph, lines: Lines): readonly Executable[] {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = builtInsOf(graph, lines);
  return [
    ...Object.entries(graph.commands)
      .filter(
        ([name]) =>
          !Object.values(PROJECT_COMMANDS).includes(name) ||
          Object.entries(PROJECT_COMMANDS).some(([worker, command]) => command === name && used.has(worker)),
      )
      .map(([name, argv]) => ({ what: `command "${name}"`, command: argvText(argv) })),
    ...modelsOf(graph),
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
  ];
}

/** Calls of models spend the user's money, and send what is in the project to an address that the manifest names; of workers that blocks use. */
function modelsOf(graph: Graph): readonly Executable[] {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = new Set(
    blocks.flatMap(({ worker, recovery }) => [
      worker,
      ...Object.values(recovery).flatMap((policies) =>
        policies.flatMap((one) => (one.policy === 'repair' ? [one.worker] : [])),
      ),
    ]),
  );
  return graph.workers
    .filter(({ name, kind }) => kind === 'ai' && used.has(name))
    .map(({ name, settings: { provider, model, base_url: url } }) => ({
      what: `worker ${name}`,
      command: `model ${[provider, model].map((one) => argvText(one ?? '')).join(' ')}${url === undefined ? '' : ` at ${argvText(url)}`}`,
    }));
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
function settingsText({ command, preset, args, approvals, shell, cwd, env }: JsonObject): string {
  const line = isOn(shell) && Array.isArray(command) ? command.map(String).join(' ') : null;
  return [
    line ?? argvText(command ?? preset ?? ''),
    ...(args === undefined ? [] : [argvText(args)]),
    ...(line === null ? [] : ['(through the shell)']),
    ...(approvals === undefined ? [] : [`(may ${argvText(approvals)} without asking)`]),
    ...(cwd === undefined ? [] : [`(in ${argvText(cwd)})`]),
    ...(env === undefined ? [] : [`(sees ${argvText(env)})`]),
  ].join(' ');
}

const worktreeCommands = (what: string, list: JsonValue): readonly Executable[] =>
  Array.isArray(list) ? list.map((argv: JsonValue) => ({ what, command: argvText(argv) })) : [];

/** Modules that the registry names, with a hash of each, so that a changed module asks again. */
async function modulesOf(lines: Lines): Promise<readonly Executable[]> {
  const modules: Executable[] = [];
  for (const { name, target, module } of lines) {
    if (module === null) continue;
    const hash = await contentHash(module);
    modules.push({ what: `module of ${name}`, command: `${target} (sha256 ${hash.slice(0, 12)})`, hash });
  }
  return modules;
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** What trust is remembered by: the project's place and everything that it may execute. */
export const trustHash = (root: string, executables: readonly Executable[]): string =>
  sha256(JSON.stringify([root, executables]));
