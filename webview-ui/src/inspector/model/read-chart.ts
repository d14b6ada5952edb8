/** A state of an XState machine, as a node of its state chart. */
export interface ChartState {
  /** The keys of the state and its ancestors, joined by `.`; empty for the root. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly isInitial: boolean;
  readonly states: readonly ChartState[];
  /** Names of the actors that the state invokes. */
  readonly invokes: readonly string[];
}

export interface ChartEdge {
  readonly from: string;
  readonly to: string;
  /** The events of the transition, each with its guard. */
  readonly labels: readonly string[];
}

export interface Chart {
  readonly root: ChartState;
  readonly edges: readonly ChartEdge[];
  readonly count: number;
}

type Config = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : value === undefined || value === null ? [] : [value];

/** Maximum number of states in a chart. Larger machines are shown without a chart. */
const MOST_STATES = 400;

interface Reading {
  readonly byId: Map<string, string>;
  readonly edges: Map<string, { readonly from: string; readonly to: string; readonly labels: Set<string> }>;
  readonly known: Set<string>;
  count: number;
}

const nameOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const type = isRecord(part) ? (part['type'] ?? part['src'] ?? part['id']) : undefined;
  return typeof type === 'string' ? type : isRecord(type) && typeof type['type'] === 'string' ? type['type'] : '';
};

/** Returns the name of an invoked actor. A machine that is written in place is known by its own id. */
const invokedName = (invoke: unknown): string => {
  const source = isRecord(invoke) ? invoke['src'] : invoke;
  return nameOf(isRecord(source) && typeof source['id'] === 'string' ? source['id'] : invoke);
};

function kindOf(config: Config, hasStates: boolean): ChartState['kind'] {
  const { type } = config;
  if (type === 'parallel' || type === 'final' || type === 'history') return type;
  return hasStates ? 'compound' : 'atomic';
}

function readState(config: Config, id: string, name: string, isInitial: boolean, reading: Reading): ChartState {
  reading.count += 1;
  reading.known.add(id);
  if (typeof config['id'] === 'string') reading.byId.set(config['id'], id);
  const states = isRecord(config['states']) ? Object.entries(config['states']) : [];
  const initial = isRecord(config['initial']) ? config['initial']['target'] : config['initial'];
  return {
    id,
    name,
    isInitial,
    kind: kindOf(config, states.length > 0),
    invokes: asList(config['invoke'])
      .map(invokedName)
      .filter((one) => one !== ''),
    states: states.flatMap(([key, child]) =>
      reading.count < MOST_STATES && isRecord(child)
        ? [readState(child, id === '' ? key : `${id}.${key}`, key, key === initial, reading)]
        : [],
    ),
  };
}

/**
 * Returns the id of the state that a transition's target refers to, or null. A target is relative to the parent of the
 * transition's state.
 */
function resolve(target: unknown, from: string, { byId, known }: Reading): string | null {
  const text =
    typeof target === 'string'
      ? target
      : isRecord(target) && typeof target['id'] === 'string'
        ? `#${target['id']}`
        : null;
  if (text === null) return null;
  if (text.startsWith('#')) {
    const whole = text.slice(1);
    const exact = byId.get(whole);
    if (exact !== undefined) return exact;
    for (let dot = whole.lastIndexOf('.'); dot > 0; dot = whole.lastIndexOf('.', dot - 1)) {
      const base = byId.get(whole.slice(0, dot));
      if (base === undefined) continue;
      const path = [base, whole.slice(dot + 1)].filter((part) => part !== '').join('.');
      return known.has(path) ? path : null;
    }
    return null;
  }
  const parent = from.includes('.') ? from.slice(0, from.lastIndexOf('.')) : '';
  const base = text.startsWith('.') ? from : from === '' ? '' : parent;
  const path = [base, text.replace(/^\./, '')].filter((part) => part !== '').join('.');
  return known.has(path) ? path : null;
}

function addEdge(reading: Reading, from: string, transition: unknown, event: string): void {
  const config = isRecord(transition) ? transition : { target: transition };
  const guard = nameOf(config['guard'] ?? config['cond']);
  const label = guard === '' ? event : `${event} [${guard}]`;
  for (const target of asList(config['target'])) {
    const to = resolve(target, from, reading);
    if (to === null) continue;
    const key = `${from} ${to}`;
    const edge = reading.edges.get(key) ?? { from, to, labels: new Set<string>() };
    edge.labels.add(label);
    reading.edges.set(key, edge);
  }
}

function readEdges(config: Config, id: string, reading: Reading): void {
  const add = (value: unknown, event: string): void => {
    for (const transition of asList(value)) addEdge(reading, id, transition, event);
  };
  for (const [event, value] of isRecord(config['on']) ? Object.entries(config['on']) : []) add(value, event);
  for (const [delay, value] of isRecord(config['after']) ? Object.entries(config['after']) : [])
    add(value, `after ${delay}`);
  add(config['always'], 'always');
  add(config['onDone'], 'done');
  for (const invoke of asList(config['invoke']))
    if (isRecord(invoke)) {
      add(invoke['onDone'], `done ${invokedName(invoke)}`.trim());
      add(invoke['onError'], `error ${invokedName(invoke)}`.trim());
    }
  for (const [key, child] of isRecord(config['states']) ? Object.entries(config['states']) : []) {
    const own = id === '' ? key : `${id}.${key}`;
    if (isRecord(child) && reading.known.has(own)) readEdges(child, own, reading);
  }
}

/**
 * Returns the state chart of a machine's configuration; null for other kinds of actors and for machines with too many
 * states.
 */
export function readChart(definition: string | null): Chart | null {
  let config: unknown;
  try {
    config = JSON.parse(definition ?? 'null');
  } catch {
    return null;
  }
  if (!isRecord(config) || !isRecord(config['states'])) return null;
  const reading: Reading = { byId: new Map(), edges: new Map(), known: new Set(), count: 0 };
  const root = readState(config, '', typeof config['id'] === 'string' ? config['id'] : 'machine', false, reading);
  if (reading.count >= MOST_STATES) return null;
  readEdges(config, '', reading);
  const edges = [...reading.edges.values()].map(({ from, to, labels }) => ({ from, to, labels: [...labels] }));
  return { root, edges, count: reading.count };
}

/** Returns the ids of all states that a state value contains, including their ancestors. */
export function activeStates(value: unknown, prefix = ''): ReadonlySet<string> {
  const active = new Set<string>();
  const add = (part: unknown, above: string): void => {
    const join = (key: string): string => (above === '' ? key : `${above}.${key}`);
    if (typeof part === 'string') active.add(join(part));
    else if (isRecord(part))
      for (const [key, child] of Object.entries(part)) {
        active.add(join(key));
        add(child, join(key));
      }
  };
  add(value, prefix);
  return active;
}
