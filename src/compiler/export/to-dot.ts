import type { Graph } from '#protocol/graph.ts';
import { draw, type DrawnBlock, type DrawnNode, type Link, type LinkKind } from './drawing/drawing.ts';
import { withoutBidiControls } from '#protocol/plain-text.ts';

const HEAD = `digraph workflow {
  graph [rankdir=TB, compound=true, fontname="Helvetica", style=rounded, color="#94a3b8"];
  node [shape=box, style="rounded,filled", fillcolor="#eef4ff", color="#4a6fa5", fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=9, color="#475569"];`;

const LINK_STYLE: Readonly<Record<LinkKind, string>> = {
  jump: '',
  call: ', style=dashed, color="#7c3aed", fontcolor="#6d28d9"',
  fork: ', style=dashed, color="#0e7490", fontcolor="#0e7490"',
  after: ', style=dotted, arrowhead=open',
  return: ', color="#15803d", fontcolor="#15803d"',
  halt: ', color="#b91c1c", fontcolor="#b91c1c"',
};

/**
 * Quotes a text for DOT. A backslash starts an escape there (`\N` is the node's name) and `&` an entity, so both are
 * escaped; control characters are not allowed.
 */
const quoted = (raw: string): string =>
  `"${withoutBidiControls(raw)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('&', '&amp;')
    .replaceAll('\n', '\\n')
    // eslint-disable-next-line no-control-regex -- names come from untrusted files
    .replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ')}"`;

export function toDot(graph: Graph): string {
  const drawing = draw(graph);
  return [
    HEAD,
    ...(drawing.startKey === null
      ? []
      : ['  start [shape=circle, label="", width=0.2, fillcolor="#1d4ed8", color="#1d4ed8"];']),
    ...drawing.nodes.flatMap(nodeLines),
    ...(drawing.startKey === null ? [] : [`  start -> ${drawing.startKey};`]),
    ...drawing.links.map(linkLine),
    '}',
    '',
  ].join('\n');
}

const nodeLines = ({ key, node, blocks, returnKey, haltKey }: DrawnNode): readonly string[] => [
  `  subgraph cluster_${key} {`,
  `    label=${quoted(node.id)};`,
  ...blocks.map(blockLine),
  ...(returnKey === null
    ? []
    : [`    ${returnKey} [shape=doublecircle, label="RETURN", fontsize=8, fillcolor="#dcfce7", color="#15803d"];`]),
  ...(haltKey === null
    ? []
    : [`    ${haltKey} [shape=octagon, label="HALT", fillcolor="#fee2e2", color="#b91c1c", fontcolor="#7f1d1d"];`]),
  '  }',
];

const blockLine = ({ key, block, isEntry }: DrawnBlock): string =>
  `    ${key} [label=${quoted(`${block.name}\n${block.worker}${block.gate ? '\ngate' : ''}`)}${isEntry ? ', penwidth=2.2, color="#1d4ed8"' : ''}];`;

const linkLine = ({ from, to, kind, label }: Link): string =>
  `  ${from} -> ${to} [label=${quoted(label)}${LINK_STYLE[kind]}];`;
