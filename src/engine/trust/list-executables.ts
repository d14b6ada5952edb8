import { findModule } from '#io/project/module-file.ts';
import { liftedRules } from '#io/project/outbound-rules.ts';
import type { Evidence, Graph } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { moduleEntry } from '../registry/module-entry.ts';
import { readRegistry, type RegistryLine } from '../registry/read-registry.ts';
import { usedWorkers } from '../registry/used-workers.ts';
import { agentText, argvText, commandText, IN_SANDBOX, isProcess, modelText, workersOf } from './describe-settings.ts';
import type { Executable } from './executable.ts';

const PROJECT_COMMANDS: Readonly<Record<string, string>> = {
  'Internal:TestRunner': 'test',
  'Internal:RunLinter': 'lint',
  'Internal:RunBuilder': 'build',
};

/** Lists what a run of this manifest may execute, call or send; without a manifest, only the project's modules. */
export async function listExecutables(graph: Graph | null, root: string): Promise<readonly Executable[]> {
  const registry = await readRegistry(root);
  // A registry with an error is not loaded at all.
  const lines = registry.ok ? registry.lines : [];
  return [
    ...(graph === null ? [] : commandsOf(graph, lines)),
    ...(graph === null ? [] : await rulesFor(graph, root)),
    ...(registry.ok ? await modulesOf(registry, root) : []),
  ];
}

/** Returns whether the registry lists any module. */
export async function hasModules(root: string): Promise<boolean> {
  const registry = await readRegistry(root);
  return registry.ok && registry.lines.some(({ module }) => module !== null);
}

type Lines = readonly RegistryLine[];

/** Returns the built-in workers that a manifest uses, also under other names from the registry. */
function builtInsOf(graph: Graph, lines: Lines): ReadonlySet<string> {
  const meant = new Map(
    lines.flatMap(({ name, implementation }) =>
      implementation.kind === 'builtin' ? [[name, implementation.worker] as const] : [],
    ),
  );
  return new Set([...usedWorkers(graph).keys()].map((name) => meant.get(name) ?? name));
}

/**
 * Returns whether runs start a command of the manifest; the command "test" of `merge --verify` is trusted separately.
 */
function isStartedByRuns(name: string, used: ReadonlySet<string>): boolean {
  const workers = Object.entries(PROJECT_COMMANDS).filter(([, command]) => command === name);
  return workers.length === 0 || workers.some(([worker]) => used.has(worker));
}

const evidenceCommand = ({ command, sandbox }: Extract<Evidence, { kind: 'command' }>): string =>
  [argvText(command), ...(sandbox === true ? [IN_SANDBOX] : [])].join(' ');

const PULL_REQUEST: Executable = {
  what: 'worker Internal:PullRequest',
  command: "push the session's branch to origin, and open or update its pull request with gh or glab",
};

function commandsOf(graph: Graph, lines: Lines): readonly Executable[] {
  const blocks = graph.nodes.flatMap((node) => node.blocks);
  const used = builtInsOf(graph, lines);
  return [
    ...Object.entries(graph.commands)
      .filter(([name]) => isStartedByRuns(name, used))
      .map(([name, argv]) => commandNamed(name, argv)),
    ...modelsOf(graph),
    ...graph.workers.filter(isProcess).map(({ name, kind, settings }) => ({
      what: `worker ${name}`,
      command: kind === 'agent' ? agentText(settings) : commandText(settings),
    })),
    ...blocks
      .filter(({ params }) => params['command'] !== undefined)
      .map(({ id, params }) => ({ what: `block ${id}`, command: commandText(params) })),
    ...blocks.flatMap(({ id, evidence }) =>
      evidence.flatMap((one) =>
        'command' in one ? [{ what: `evidence of ${id}`, command: evidenceCommand(one) }] : [],
      ),
    ),
    ...(used.has('Internal:PullRequest') ? [PULL_REQUEST] : []),
    ...setUpCommands(graph),
    ...tearDownCommands(graph),
  ];
}

export const commandNamed = (name: string, argv: readonly string[]): Executable => ({
  what: `command "${name}"`,
  command: argvText(argv),
});

/** Returns the commands that set up a worktree. */
export const setUpCommands = ({ worktree }: Graph): readonly Executable[] =>
  worktreeCommands('set-up of a worktree', worktree['setup'] ?? []);

/** Returns the commands that run before a worktree is removed. */
export const tearDownCommands = ({ worktree }: Graph): readonly Executable[] =>
  worktreeCommands('teardown of a worktree', worktree['teardown'] ?? []);

function modelsOf(graph: Graph): readonly Executable[] {
  const used = workersOf(graph.nodes.flatMap((node) => node.blocks));
  return graph.workers
    .filter(({ name, kind }) => kind === 'ai' && used.has(name))
    .map(({ name, settings }) => ({ what: `worker ${name}`, command: modelText(settings) }));
}

const worktreeCommands = (what: string, list: JsonValue): readonly Executable[] =>
  Array.isArray(list) ? list.map((argv: JsonValue) => ({ what, command: argvText(argv) })) : [];

/** Lists exceptions of the project's rules that allow files to be sent, if anything is sent at all. */
async function rulesFor(graph: Graph, root: string): Promise<readonly Executable[]> {
  const used = workersOf(graph.nodes.flatMap((node) => node.blocks));
  if (!graph.workers.some(({ name, kind }) => kind === 'ai' && used.has(name))) return [];
  return (await liftedRules(root)).map((line) => ({
    what: '.vision/ignore',
    command: `may be sent: ${line.slice(1)}`,
  }));
}

/** Lists the registry's modules, each with a hash of everything that it may load. */
async function modulesOf(
  { lines, files }: { readonly lines: Lines; readonly files: readonly string[] },
  root: string,
): Promise<readonly Executable[]> {
  const modules: Executable[] = [];
  for (const line of lines)
    if (line.module !== null) modules.push(moduleEntry(line, await findModule(line.module, root, files)));
  return modules;
}
