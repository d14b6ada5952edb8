import type { Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { Inputs } from '#protocol/inputs.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Outline } from './json-documents.ts';
import { harmless, styleFor, type Style } from './style.ts';

/** Returns nodes, blocks and transitions for `manifest show --json`. */
export const outline = (graph: Graph): Omit<Outline, 'ok'> => ({
  entry: graph.entry,
  nodes: graph.nodes.map((node) => ({
    id: node.id,
    entry_block: node.entryBlock,
    blocks: node.blocks.map((block) => ({
      id: block.id,
      worker: block.worker,
      transitions: block.transitions.map((row) => ({
        on_signal: row.signal,
        condition: conditionText(row),
        action: row.text,
        ...(row.means === undefined ? {} : { means: row.means }),
      })),
    })),
  })),
});

/** Returns the lines that say how the declared inputs are given. */
function inputLines(inputs: Inputs, { paint }: Style): readonly string[] {
  const width = Math.max(...Object.keys(inputs).map((name) => name.length));
  const lines = Object.entries(inputs).map(([name, { type, description, values, fallback }]) => {
    const facts = [
      values === null ? type : values.map((value) => JSON.stringify(value)).join(' or '),
      ...(fallback === null ? ['required'] : [`default ${JSON.stringify(fallback)}`]),
    ].join(', ');
    const note = description === null ? '' : paint.dim(`  ${harmless(description)}`);
    return `  ${paint.cyan(harmless(name.padEnd(width)))}  ${harmless(facts)}${note}`;
  });
  return [`${paint.bold('Inputs')}${paint.dim('  --input <name>=<value>')}`, ...lines];
}

export function printOutline(graph: Graph, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  if (graph.inputs !== undefined) io.stdout.write(`${inputLines(graph.inputs, style).join('\n')}\n\n`);
  for (const node of graph.nodes) io.stdout.write(`${nodeLines(node, node.id === graph.entry, style).join('\n')}\n\n`);
}

const nodeLines = (node: GraphNode, isEntry: boolean, style: Style): readonly string[] => [
  `${style.paint.bold(harmless(node.id))}${isEntry ? style.paint.dim('  entry') : ''}`,
  ...node.blocks.flatMap((block) => blockLines(block, block.id === node.entryBlock, style)),
];

function blockLines(block: GraphBlock, isEntry: boolean, { paint, symbols }: Style): readonly string[] {
  const notes = [isEntry ? 'entry' : '', block.gate ? 'gate' : '']
    .filter((note) => note !== '')
    .map((note) => paint.dim(`  ${note}`));
  const width = Math.max(0, ...block.transitions.map((row) => rowHead(row).length));
  return [
    `  ${paint.cyan(harmless(block.name))}  ${paint.dim(harmless(block.worker))}${notes.join('')}`,
    ...block.transitions.map(
      (row) =>
        `    ${harmless(rowHead(row)).padEnd(width)}  ${symbols.arrow} ${harmless(row.text)}${meaning(row, paint)}`,
    ),
    ...(block.transitions.length === 0 ? [`    any signal  ${symbols.arrow} RETURN`] : []),
  ];
}

const meaning = ({ means }: Transition, paint: Style['paint']): string =>
  means === undefined ? '' : paint.dim(`  ${harmless(means)}`);

const conditionText = ({ condition }: Transition): string | null =>
  condition === null ? null : `${condition.id}(${condition.args.map((arg) => JSON.stringify(arg)).join(', ')})`;

function rowHead(row: Transition): string {
  const condition = conditionText(row);
  return `${row.signal.replace(/^SIGNAL:/, '')}${condition === null ? '' : ` if ${condition}`}`;
}
