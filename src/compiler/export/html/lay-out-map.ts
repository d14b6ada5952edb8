import type { Drawing } from '../drawing/drawing.ts';

export interface MapLink {
  readonly from: number;
  readonly to: number;
  readonly kind: 'call' | 'fork' | 'jump';
}

export interface MapLayout {
  /** For each node: its column and its place in it. */
  readonly places: readonly { readonly column: number; readonly row: number }[];
  readonly links: readonly MapLink[];
  readonly columns: number;
  readonly rows: number;
}

/** Nodes in columns by their distance from the entry; what the entry never reaches stands in a column of its own. */
export function layOutMap(drawing: Drawing): MapLayout {
  const links = nodeLinks(drawing);
  const columns = distances(drawing, links);
  const rows: number[] = [];
  const places = columns.map((column) => ({ column, row: (rows[column] = (rows[column] ?? 0) + 1) - 1 }));
  return { places, links, columns: rows.length, rows: rows.reduce((most, count) => Math.max(most, count ?? 0), 0) };
}

function nodeLinks(drawing: Drawing): readonly MapLink[] {
  const nodeOf = new Map(drawing.nodes.flatMap((node, index) => node.blocks.map(({ key }) => [key, index] as const)));
  const found = new Map<string, MapLink>();
  for (const { from, to, kind } of drawing.links) {
    const source = nodeOf.get(from);
    const target = nodeOf.get(to);
    if (source === undefined || target === undefined) continue;
    const called = kind === 'call' || kind === 'fork';
    // Within a node nothing leads on; and a return address in another one is a jump there.
    if (!called && source === target) continue;
    const link: MapLink = { from: source, to: target, kind: called ? kind : 'jump' };
    found.set(`${source} ${link.kind} ${target}`, link);
  }
  return [...found.values()];
}

function distances(drawing: Drawing, links: readonly MapLink[]): readonly number[] {
  const targets = new Map<number, number[]>();
  for (const { from, to } of links) (targets.get(from) ?? targets.set(from, []).get(from))?.push(to);
  const distance = new Array<number | null>(drawing.nodes.length).fill(null);
  const entry = Math.max(
    0,
    drawing.nodes.findIndex(({ isEntry }) => isEntry),
  );
  let wave = drawing.nodes.length === 0 ? [] : [entry];
  let column = 0;
  for (; wave.length > 0; column += 1) {
    for (const index of wave) distance[index] = column;
    wave = [...new Set(wave.flatMap((index) => targets.get(index) ?? []))]
      .filter((index) => distance[index] === null)
      .sort((a, b) => a - b);
  }
  return distance.map((value) => value ?? column);
}
