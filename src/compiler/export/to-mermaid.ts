import type { Graph } from '#protocol/graph.ts';
import { draw, type DrawnBlock, type DrawnNode, type Link, type LinkKind } from './drawing/drawing.ts';
import { withoutBidiControls } from '#protocol/plain-text.ts';

const STYLES = `  classDef block fill:#eef4ff,stroke:#4a6fa5,color:#14233b
  classDef entry fill:#dbeafe,stroke:#1d4ed8,stroke-width:2px,color:#14233b
  classDef done fill:#dcfce7,stroke:#15803d,color:#14532d
  classDef halt fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d`;

const ARROWS: Readonly<Record<LinkKind, string>> = {
  jump: '-->',
  call: '-.->',
  fork: '-.->',
  after: '-.->',
  return: '-->',
  halt: '-->',
};

/**
 * Replaces everything that Mermaid reads as syntax, including directives (`%%{…}%%`) and Markdown, with entity codes.
 */
const text = (raw: string): string =>
  withoutBidiControls(raw)
    .replace(/[^\p{L}\p{N} _:.,()=\-\n]/gu, (character) => `#${character.codePointAt(0) ?? 32};`)
    .replaceAll('\n', '<br/>');

export function toMermaid(graph: Graph): string {
  const drawing = draw(graph);
  return [
    'flowchart TD',
    STYLES,
    ...(drawing.startKey === null ? [] : ['  start(["start"])']),
    ...drawing.nodes.flatMap(nodeLines),
    ...(drawing.startKey === null ? [] : [`  start --> ${drawing.startKey}`]),
    ...drawing.links.map(linkLine),
    '',
  ].join('\n');
}

/** Mermaid's default limits. The text of a diagram can't raise them. */
const MOST_ARROWS = 500;
const LONGEST_TEXT = 50_000;

/** Returns why Mermaid would not draw a text made by `toMermaid`, or null if it would. */
export function tooMuchForMermaid(text: string): string | null {
  const arrows = text.match(/^ {2}\w+ (?:-->|-\.->)/gm)?.length ?? 0;
  if (arrows > MOST_ARROWS) return `it has ${arrows} arrows, and Mermaid draws at most ${MOST_ARROWS} (maxEdges)`;
  if (text.length > LONGEST_TEXT)
    return `it has ${text.length} characters, and Mermaid reads at most ${LONGEST_TEXT} (maxTextSize)`;
  return null;
}

const nodeLines = ({ key, node, blocks, returnKey, haltKey }: DrawnNode): readonly string[] => [
  `  subgraph ${key}["${text(node.id)}"]`,
  ...blocks.map(blockLine),
  ...(returnKey === null ? [] : [`    ${returnKey}(("RETURN")):::done`]),
  ...(haltKey === null ? [] : [`    ${haltKey}["HALT"]:::halt`]),
  '  end',
];

const blockLine = ({ key, block, isEntry }: DrawnBlock): string =>
  `    ${key}["${text(`${block.name}\n${block.worker}${block.gate ? '\ngate' : ''}`)}"]:::${isEntry ? 'entry' : 'block'}`;

const linkLine = ({ from, to, kind, label }: Link): string => `  ${from} ${ARROWS[kind]}|"${text(label)}"| ${to}`;
