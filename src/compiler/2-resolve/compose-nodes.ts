import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { Declaration, Declarations } from './collect-declarations.ts';
import { depthFirst } from './depth-first.ts';
import { withoutPrefix } from './ids.ts';
import { inherit } from './inherit.ts';
import { mixIn } from './mix-in.ts';
import { ownContent } from './own-node.ts';
import type { NodeContent } from './own-node.ts';
import { createWeigh } from './weigh-content.ts';
import type { KnownWorkers } from './worker-names.ts';

/**
 * The maximum number of JSON values that all nodes together inherit. In a long chain of inheriting nodes, this number
 * grows quadratically.
 */
const LIMIT = 1_000_000;

export interface ComposedNode {
  readonly declaration: Declaration;
  readonly content: NodeContent;
  /**
   * True if another node inherits from this one. Such a node may omit its entry block; then it can't be entered itself.
   */
  readonly isBase: boolean;
  /** False if a base or mixin is missing, so that it is not fully known what the node inherits. */
  readonly complete: boolean;
}

/**
 * The maximum number of mixins per node that are applied, since each mixin copies the whole node. The shape check has
 * already reported a larger number.
 */
const MOST_MIXINS = 100;

interface Part {
  readonly name: string;
  readonly how: 'extend' | 'mixins';
  readonly spot: Spot;
}

function writtenParts({ value }: Declaration): readonly Part[] {
  if (!isObject(value)) return [];
  const base = readString(value, 'extend');
  const list = readList(value, 'mixins') ?? [];
  const mixins = list
    .slice(0, MOST_MIXINS)
    .flatMap((name, index): readonly Part[] =>
      typeof name === 'string'
        ? [{ name: withoutPrefix(name, 'Node:'), how: 'mixins', spot: { container: list, member: index } }]
        : [],
    );
  const extended: Part = {
    name: withoutPrefix(base ?? '', 'Node:'),
    how: 'extend',
    spot: { container: value, member: 'extend' },
  };
  return base === null ? mixins : [extended, ...mixins];
}

function knownParts(declaration: Declaration, nodes: Declarations, { report, nearest }: Diagnose): readonly Part[] {
  return writtenParts(declaration).filter(({ name, how, spot }) => {
    if (!nodes.has(name)) report('RS2005', spot, { name, field: how }, { near: nearest(name, nodes.keys()) });
    return nodes.has(name);
  });
}

const hasUnknownPart = (declaration: Declaration, nodes: Declarations): boolean =>
  writtenParts(declaration).some(({ name }) => !nodes.has(name));

const isShaped = ({ value }: Declaration): boolean =>
  isObject(value) &&
  (!has(value, 'blocks') || readObject(value, 'blocks') !== null) &&
  (readList(value, 'mixins') ?? []).length <= MOST_MIXINS;

type PartsOf = ReadonlyMap<string, readonly Part[]>;

function orderNodes(
  nodes: Declarations,
  parts: PartsOf,
  broken: Set<string>,
  { report, related }: Diagnose,
): readonly string[] {
  const reportCycle = (from: string, to: string, circle: readonly string[]): void => {
    const part = parts.get(from)?.find(({ name }) => name === to);
    const start = parts.get(to)?.find(({ name }) => name === (circle[1] ?? from));
    if (part === undefined) return;
    broken.add(from);
    const others = start === undefined || start === part ? [] : [related(start.spot, 'The cycle starts here.')];
    report('RS2006', part.spot, { name: to, cycle: [...circle, to].join(' → ') }, { related: others });
  };
  return depthFirst(nodes.keys(), (name) => (parts.get(name) ?? []).map((part) => part.name), reportCycle).postorder;
}

function addPart(
  content: NodeContent,
  part: Part,
  base: NodeContent,
  node: string,
  { report, related }: Diagnose,
): NodeContent {
  if (part.how === 'extend') return inherit(base, content);
  return mixIn(content, base, (what, there, mixed) => {
    const places = [related(there.spot, 'The node defines this.'), related(mixed.spot, 'The mixin defines this.')];
    report('RS2007', part.spot, { mixin: part.name, node, what }, { related: places });
  });
}

interface Composition {
  readonly nodes: Declarations;
  readonly workers: KnownWorkers;
  readonly parts: PartsOf;
  /** The names of nodes that can't be composed as written. */
  readonly broken: Set<string>;
  readonly contents: Map<string, NodeContent>;
}

/**
 * Returns a function that composes one node. Its base and mixins must have been composed before. The function returns
 * false if the limit of inherited values is exceeded.
 */
function createCompose(
  { nodes, workers, parts, broken, contents }: Composition,
  diagnose: Diagnose,
): (name: string) => boolean {
  const weigh = createWeigh();
  let taken = 0;
  return (name) => {
    const declaration = nodes.get(name);
    if (declaration === undefined) return true;
    let content = ownContent(declaration, workers, diagnose);
    for (const part of parts.get(name) ?? []) {
      const base = contents.get(part.name);
      if (base === undefined || broken.has(part.name)) broken.add(name);
      if (base === undefined) continue;
      taken += weigh(base);
      if (taken > LIMIT) diagnose.report('RS2008', part.spot, { limit: String(LIMIT) });
      if (taken > LIMIT) return false;
      content = addPart(content, part, base, name, diagnose);
    }
    contents.set(name, content);
    return true;
  };
}

/**
 * Applies `extend` and `mixins` to all nodes. The result is in declaration order. Each node is composed once, after its
 * base and mixins. Returns null if the limit of inherited values is exceeded.
 */
export function composeNodes(
  nodes: Declarations,
  workers: KnownWorkers,
  diagnose: Diagnose,
): readonly ComposedNode[] | null {
  const parts: PartsOf = new Map([...nodes.values()].map((node) => [node.name, knownParts(node, nodes, diagnose)]));
  const bases = new Set([...parts.values()].flat().map(({ name }) => name));
  const broken = new Set(
    [...nodes.values()].filter((node) => !isShaped(node) || hasUnknownPart(node, nodes)).map(({ name }) => name),
  );
  const contents = new Map<string, NodeContent>();
  const compose = createCompose({ nodes, workers, parts, broken, contents }, diagnose);
  if (!orderNodes(nodes, parts, broken, diagnose).every(compose)) return null;
  return [...nodes.values()].flatMap((declaration) => {
    const content = contents.get(declaration.name);
    const { name } = declaration;
    return content === undefined
      ? []
      : [{ declaration, content, isBase: bases.has(name), complete: !broken.has(name) }];
  });
}
