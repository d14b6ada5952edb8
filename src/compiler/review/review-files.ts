import type { CallSummary } from '#protocol/call-record.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import {
  type Access,
  type Graph,
  type GraphBlock,
  hasOwnAccess,
  type Transition,
  type WorkerDefinition,
} from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JsonValue } from '#protocol/json.ts';
import { ruleSentence } from '#protocol/rule.ts';
import type { RuleVerdict } from '#protocol/rule-verdict.ts';
import { toJson } from '../export/to-typescript.ts';
import { toMermaid } from '../export/to-mermaid.ts';
import { proveRules } from '../rules/prove.ts';
import { type DeadEnd, findDeadEnds } from './find-dead-ends.ts';
import { findLoops } from './find-loops.ts';
import { code, inline, table } from './markdown.ts';
import { type PastCost, type PastCosts, pastCosts } from './past-costs.ts';

/** One file of a review bundle, which shows reviewers what a workflow does. */
interface ReviewFile {
  /** The file name without a folder. */
  readonly name: string;
  readonly text: string;
}

const conditionText = ({ condition }: Transition): string =>
  condition === null ? '' : `${condition.id}(${condition.args.map((arg) => JSON.stringify(arg)).join(', ')})`;

const blocksOf = ({ nodes }: Graph): readonly GraphBlock[] => nodes.flatMap(({ blocks }) => blocks);

const signalCell = ({ signal, means }: Transition): string =>
  means === undefined ? code(signal) : `${code(signal)}: ${inline(means)}`;

function signals(graph: Graph): string {
  const rows = blocksOf(graph).flatMap(({ id, transitions }) =>
    transitions.length === 0
      ? [[code(id), 'any signal', '', code('RETURN')]]
      : transitions.map((row) => [code(id), signalCell(row), code(conditionText(row)), code(row.text)]),
  );
  return `# Signals\n\nEvery row of every block. The rows of a block are tried in this order.\n\n${table(['block', 'signal', 'if', 'action'], rows)}`;
}

const DEAD_END: Readonly<Record<DeadEnd['kind'], string>> = {
  unreached: 'No run that starts at the entry node reaches it.',
  ends_run: 'A signal without a row ends the run: it has no unconditional row for SIGNAL:FAIL_DEFAULT.',
  halts_only: 'Every signal halts for a person.',
};

function deadEnds(graph: Graph): string {
  const rows = findDeadEnds(graph).map(({ kind, block }) => [code(block), DEAD_END[kind]]);
  const body = rows.length === 0 ? 'None.\n' : table(['block', 'why'], rows);
  return `# Dead ends\n\n${body}`;
}

function loops(graph: Graph): string {
  const rows = findLoops(graph).map(({ blocks, bounds, maxSteps }) => [
    blocks.map(code).join(' → '),
    bounds.map(({ block, row }) => `${code(block)} on ${code(row.signal)}: ${code(conditionText(row))}`).join('<br>') ||
      'no condition',
    String(maxSteps),
  ]);
  const body = rows.length === 0 ? 'None.\n' : table(['blocks', 'bounded by', 'maximum of visits per frame'], rows);
  return `# Loops\n\nThe whole run takes at most ${graph.limits.maxRunSteps} visits, at a depth of at most ${graph.limits.maxDepth}.\n\n${body}`;
}

const VERDICT: Readonly<Record<RuleVerdict['kind'], string>> = {
  proved: 'proved',
  unused: 'proved: no run does what it is about',
  broken: 'broken',
  unproved: 'not proved',
};

function rulesText(graph: Graph): string {
  const rows = proveRules(graph).map(({ rule, verdict }) => [
    inline(ruleSentence(rule)),
    rule.personMayBypass ? 'the answers `next` and `jump` of a person' : '',
    VERDICT[verdict.kind],
  ]);
  return `# Rules\n\nStatements about all runs that start at the entry node, decided before any run.\n\n${table(['rule', 'except', ''], rows)}`;
}

function accessText(access: Access): string {
  if (access.mode === 'shared') return 'the whole worktree';
  if (access.mode === 'strict' || (access.isListed === true && access.paths.length === 0)) return 'nothing';
  if (hasOwnAccess(access) && access.paths.length > 0) return access.paths.map(code).join(', ');
  return 'its `artifact` and the change plan';
}

const textOf = (value: JsonValue | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function workerRow({ name, kind, sideEffects, settings }: WorkerDefinition): readonly string[] {
  const what = ['command', 'preset', 'provider', 'model', 'module', 'answers'].flatMap((key) =>
    settings[key] === undefined ? [] : [`${key}: ${code(textOf(settings[key]))}`],
  );
  const may =
    kind === 'agent'
      ? `approvals: ${settings['approvals'] === undefined ? 'default' : code(textOf(settings['approvals']))}`
      : '';
  const env = Array.isArray(settings['env']) ? settings['env'].map((one) => code(String(one))).join(', ') : '';
  return [code(name), kind, what.join('<br>'), may, env, sideEffects];
}

function workers(graph: Graph): string {
  const used = new Map<string, string[]>();
  for (const { worker, id } of blocksOf(graph)) used.set(worker, [...(used.get(worker) ?? []), id]);
  const declared = graph.workers.map(workerRow);
  const writes = blocksOf(graph).map(({ id, worker, access, gate }) => [
    ...[code(id), code(worker), accessText(access), gate ? 'waits for a person' : ''],
  ]);
  const commands = Object.entries(graph.commands).map(([name, argv]) => [
    code(name),
    `${code(argv.join(' '))}${graph.allowEmpty?.includes(name) === true ? ', may run no test' : ''}`,
  ]);
  const sections = [
    [
      '## Declared workers',
      table(['worker', 'kind', 'what runs', 'permissions', 'environment', 'side effects'], declared),
    ],
    ['## What each block may write', table(['block', 'worker', 'writes', 'gate'], writes)],
    ['## Commands of the project', table(['name', 'command'], commands)],
  ].filter(([, body]) => body !== '');
  return `# Workers\n\n${sections.map(([title, body]) => `${title}\n\n${body}`).join('\n')}`;
}

/** Formats millionths of a US dollar exactly, so that equal costs give equal bytes. */
const moneyOf = (microUsd: number | null): string =>
  microUsd === null ? 'unknown' : `$${(microUsd / 1_000_000).toFixed(6)}`;

const costRow = (name: string, { runs, unknown, mean, p90 }: PastCost): readonly string[] =>
  runs === 0
    ? [name, 'no past runs', '', '', '']
    : [name, String(runs), moneyOf(mean), moneyOf(p90), unknown === 0 ? '' : String(unknown)];

const COST_HEAD = ['runs', 'mean', '90th percentile', 'runs of unknown cost'];

/**
 * Returns a function that tells whether a block's worker calls a model, or whether the block called one in a past run.
 */
const isPriced = (graph: Graph, costs: PastCosts): ((id: BlockId) => boolean) => {
  const callers = new Set(
    graph.workers.filter(({ kind }) => kind === 'ai' || kind === 'agent').map(({ name }) => name),
  );
  const priced = new Set(blocksOf(graph).flatMap(({ id, worker }) => (callers.has(worker) ? [id] : [])));
  const called = new Set(costs.blocks.flatMap(({ id, runs }) => (runs > 0 ? [id] : [])));
  return (id) => priced.has(id) || called.has(id);
};

function costsText(graph: Graph, calls: readonly CallSummary[]): string {
  const costs = pastCosts(graph, calls);
  if (costs.all.runs === 0) return '# Costs\n\nNo past runs: the call log has no call of this workflow.\n';
  const counts = isPriced(graph, costs);
  const nodes = graph.nodes.flatMap((node, index) => {
    const cost = costs.nodes[index];
    return cost !== undefined && node.blocks.some(({ id }) => counts(id)) ? [costRow(code(node.id), cost)] : [];
  });
  const blocks = costs.blocks.filter(({ id }) => counts(id)).map((cost) => costRow(code(cost.id), cost));
  return [
    '# Costs\n\nWhat model calls cost a run, from the call log of past runs. A row counts the runs that made a call there, with all visits and attempts of a run added up.',
    'A run with a call of unknown cost counts for neither the mean nor the percentile. Called nodes are counted on their own.\n',
    table(['', ...COST_HEAD], [costRow('whole workflow', costs.all)]),
    `## Nodes\n\n${table(['node', ...COST_HEAD], nodes)}`,
    `## Blocks\n\n${table(['block', ...COST_HEAD], blocks)}`,
  ].join('\n');
}

function overview(graph: Graph, files: readonly ReviewFile[]): string {
  const nodes = graph.nodes.map(({ id, blocks, entryBlock, approvals }) => [
    ...[code(id), String(blocks.length), code(entryBlock), approvals ?? ''],
  ]);
  const list = files.map(({ name }) => `- [${inline(name)}](${name})\n`).join('');
  return `# Workflow ${graph.entry === null ? '' : code(graph.entry)}\n\n${list}\n${table(['node', 'blocks', 'entry', 'maximum permissions of agents'], nodes)}`;
}

/**
 * Returns the files of a review bundle, which shows reviewers what a workflow does: diagrams, signals, dead ends, loops,
 * permissions and costs. Equal workflows and calls give equal bytes. The caller passes the pictures and the project's
 * call log.
 */
export function reviewFiles(
  workflow: CompiledWorkflow,
  pictures: readonly ReviewFile[],
  calls: readonly CallSummary[],
): readonly ReviewFile[] {
  const { graph } = workflow;
  const files: readonly ReviewFile[] = [
    ...pictures,
    { name: 'workflow.mmd', text: toMermaid(graph) },
    { name: 'signals.md', text: signals(graph) },
    { name: 'dead-ends.md', text: deadEnds(graph) },
    { name: 'loops.md', text: loops(graph) },
    ...(graph.rules === undefined ? [] : [{ name: 'rules.md', text: rulesText(graph) }]),
    { name: 'workers.md', text: workers(graph) },
    { name: 'costs.md', text: costsText(graph, calls) },
    { name: 'machines.json', text: toJson(workflow) },
  ];
  return [{ name: 'README.md', text: overview(graph, files) }, ...files];
}
