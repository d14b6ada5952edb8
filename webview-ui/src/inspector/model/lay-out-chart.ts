import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js';
import ELK from 'elkjs/lib/elk.bundled.js';
import { lettersOf, invokedText } from './measure-text.ts';
import type { Chart, ChartEdge, ChartState } from './read-chart.ts';

interface Box {
  readonly state: ChartState;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Wire {
  readonly edge: ChartEdge;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label: { readonly x: number; readonly y: number } | null;
}

export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** The boxes of the states, parents before their children. */
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

const CHARACTER = 7.8;
const LINE = 15;
const HEADER = 26;
/** Maximum number of labels at an edge. If there are more, the last label says how many. */
const SHOWN_LABELS = 3;

export const shownLabels = ({ labels }: ChartEdge): readonly string[] =>
  labels.length <= SHOWN_LABELS
    ? labels
    : [...labels.slice(0, SHOWN_LABELS - 1), `and ${labels.length - SHOWN_LABELS + 1} more`];

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(lettersOf));

function nodeOf(state: ChartState): ElkNode {
  const own = { width: Math.max(90, widest([state.name, ...state.invokes.map(invokedText)]) * CHARACTER + 28) };
  const height = HEADER + state.invokes.length * LINE + 6;
  if (state.states.length === 0) return { id: `s:${state.id}`, ...own, height };
  return {
    id: `s:${state.id}`,
    children: state.states.map(nodeOf),
    layoutOptions: {
      'elk.padding': `[top=${height + 10},left=14,bottom=14,right=14]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${own.width},${height})`,
    },
  };
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
} as const;

const edgeOf = (edge: ChartEdge, at: number): ElkExtendedEdge => {
  const lines = shownLabels(edge);
  return {
    id: `e:${at}`,
    sources: [`s:${edge.from}`],
    targets: [`s:${edge.to}`],
    labels: [{ text: lines.join('\n'), width: widest(lines) * (CHARACTER - 1.2) + 8, height: lines.length * LINE }],
  };
};

let engine: InstanceType<typeof ELK> | null = null;

/** Lays out a state chart with ELK. Rejects if ELK fails. */
export async function layOutChart(chart: Chart): Promise<ChartLayout> {
  engine ??= new ELK({ algorithms: ['layered'] });
  const states = new Map<string, ChartState>();
  const collect = (state: ChartState): void => {
    states.set(`s:${state.id}`, state);
    state.states.forEach(collect);
  };
  collect(chart.root);
  const graph: ElkNode = {
    id: 'chart',
    children: [nodeOf(chart.root)],
    edges: chart.edges.map(edgeOf),
    layoutOptions: OPTIONS,
  };
  const placed: ElkNode = await engine.layout(graph);
  const boxes: Box[] = [];
  const read = (node: ElkNode): void => {
    const state = states.get(node.id);
    const { x = 0, y = 0, width = 0, height = 0 } = node;
    if (state !== undefined) boxes.push({ state, x, y, width, height });
    node.children?.forEach(read);
  };
  read(placed);
  const wires = chart.edges.map((edge, at): Wire => {
    const placedEdge = placed.edges?.[at];
    const [section] = placedEdge?.sections ?? [];
    const points = section === undefined ? [] : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    const [label] = placedEdge?.labels ?? [];
    const where = label?.x === undefined || label.y === undefined ? null : { x: label.x, y: label.y };
    return { edge, points, label: where };
  });
  return { width: placed.width ?? 0, height: placed.height ?? 0, boxes, wires };
}
