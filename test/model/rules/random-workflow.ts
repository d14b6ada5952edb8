import { pick } from '../../support/seeded-random.ts';

type Random = () => number;
type Json = Record<string, unknown>;

const NODES = ['Main', 'Sub', 'Side'] as const;
const BLOCKS = ['a', 'b', 'c'] as const;
const SIGNALS = ['SIGNAL:SUCCESS', 'SIGNAL:FAILURE', 'SIGNAL:AGAIN', 'SIGNAL:ERROR'] as const;

const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[pick(random, items.length)] as Item;
const chance = (random: Random, part: number): boolean => random() < part;

/** The shape of a random workflow: the names of its blocks, by node. */
export interface Shape {
  readonly nodes: readonly string[];
  readonly blocks: readonly string[];
}

function shapeOf(random: Random): Shape {
  const nodes = NODES.slice(0, 1 + pick(random, NODES.length));
  const blocks = nodes.flatMap((node) =>
    BLOCKS.slice(0, 1 + pick(random, BLOCKS.length)).map((block) => `${node}__${block}`),
  );
  return { nodes, blocks };
}

function actionOf(random: Random, { nodes, blocks }: Shape): string {
  const target = chance(random, 0.7) ? `:${oneOf(random, blocks)}` : '';
  const others = nodes.slice(1);
  const kind = pick(random, 10);
  if (kind < 4) return `JUMP:${oneOf(random, blocks)}`;
  if (kind < 6 && others.length > 0) return `CALL:${oneOf(random, others)}${target}`;
  if (kind < 7 && others.length > 1) return `FORK:${others.join(',')}${target}`;
  return kind < 9 ? 'RETURN' : 'HALT_AND_FLAG';
}

const WORKERS = [
  ...['Worker:AI', 'Worker:AI', 'Worker:Coder', 'Worker:Coder', 'Internal:TestRunner', 'Internal:TestRunner'],
  ...['Internal:ManualIntervention', 'Internal:PullRequest'],
];

function blockOf(random: Random, shape: Shape): Json {
  const worker = oneOf(random, WORKERS);
  const signals = SIGNALS.filter(() => chance(random, 0.45));
  if (worker === 'Internal:ManualIntervention' && chance(random, 0.5)) signals.push('SIGNAL:REJECTED' as never);
  if (chance(random, 0.5)) signals.push('SIGNAL:FAIL_DEFAULT' as never);
  const transitions = signals.flatMap((on_signal) => {
    const row = (condition: Json): Json => ({ on_signal, ...condition, action: actionOf(random, shape) });
    const condition = { condition: { id: 'exports.truthy', args: ['k'] } };
    return chance(random, 0.2) ? [row(condition), row({})] : [row({})];
  });
  return {
    worker,
    ...(chance(random, 0.12) ? { gate: true } : {}),
    ...(worker === 'Worker:Coder' ? { access: { mode: 'shared' } } : {}),
    ...(worker.startsWith('Worker:') && chance(random, 0.2) ? { evidence: [{ command: ['npm', 'test'] }] } : {}),
    ...(transitions.length > 0 ? { transitions } : {}),
  };
}

function atomOf(random: Random, { nodes, blocks }: Shape, happens: boolean): string {
  const all = [
    ...['check:test', 'check:test', 'person', 'person', 'changes', 'push', 'push'],
    ...['Worker:AI', 'Worker:Coder', oneOf(random, nodes), oneOf(random, blocks), oneOf(random, blocks)],
    `${oneOf(random, blocks)}:${oneOf(random, ['SUCCESS', 'FAILURE', 'AGAIN', 'OTHER_ONE'])}`,
    ...(happens ? ['merge', 'merge'] : []),
  ];
  return oneOf(random, all);
}

function ruleOf(random: Random, shape: Shape): Json {
  const bypass = chance(random, 0.6) ? { person_may_bypass: true } : {};
  const atom = (): string => atomOf(random, shape, false);
  const target = atomOf(random, shape, true);
  switch (pick(random, 4)) {
    case 0:
      return { never: target, unless: atom(), ...bypass };
    case 1:
      return { after: atom(), require: atom(), until: target, ...bypass };
    default:
      return { before: target, require: atom(), ...(chance(random, 0.4) ? { fresh: false } : {}), ...bypass };
  }
}

/** Builds a random manifest with one rule. */
export function randomManifest(random: Random): { readonly manifest: Json; readonly shape: Shape } {
  const shape = shapeOf(random);
  const nodes = shape.nodes.map((node) => {
    const own = shape.blocks.filter((id) => id.startsWith(`${node}__`));
    const blocks = Object.fromEntries(own.map((id) => [id.slice(node.length + 2), blockOf(random, shape)]));
    return [node, { entry_block: 'a', blocks }] as const;
  });
  const manifest = {
    version: 1,
    entry: 'Main',
    commands: { test: ['npm', 'test'] },
    workers: { 'Worker:AI': { kind: 'ai' }, 'Worker:Coder': { kind: 'agent', preset: 'claude' } },
    rules: [ruleOf(random, shape)],
    nodes: Object.fromEntries(nodes),
  };
  return { manifest, shape };
}

const VERBS = ['proceed', 'proceed', 'proceed', 'retry', 'reject', 'next', 'jump'] as const;

/** Builds a random script. Without `bypass`, no answer leads a run to another block. */
export function randomScript(
  random: Random,
  blocks: readonly { readonly id: string; readonly worker: string }[],
  bypass: boolean,
): Json {
  const entry = (worker: string): Json => {
    if (worker.startsWith('Internal:Test')) return { signal: oneOf(random, SIGNALS.slice(0, 2)) };
    const kind = pick(random, 12);
    if (kind === 0) return { error: 'boom' };
    if (kind === 1 && worker.startsWith('Worker:')) return { text: 'no signal' };
    return {
      signal: oneOf(random, [...SIGNALS, 'SIGNAL:OTHER_ONE']),
      delay_ms: pick(random, 5),
      ...(chance(random, 0.5) ? { exports: { k: chance(random, 0.5) } } : {}),
      ...(chance(random, 0.15) ? { evidence_fails: 'red' } : {}),
    };
  };
  const scripted = blocks.filter(({ worker }) => worker !== 'Internal:ManualIntervention');
  const lists = scripted.map(({ id, worker }) => [id, Array.from({ length: 6 }, () => entry(worker))] as const);
  const answers = Array.from({ length: 24 }, () => {
    const answer = oneOf(random, bypass ? VERBS : VERBS.slice(0, 5));
    return {
      block: oneOf(random, blocks).id,
      answer,
      ...(answer === 'jump' ? { to: oneOf(random, blocks).id } : {}),
      ...(answer === 'reject' ? { guidance: 'no' } : {}),
    };
  });
  return { ...Object.fromEntries(lists), '*': [{ signal: 'SIGNAL:SUCCESS' }], '@halts': answers };
}
