import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { allConfigs } from './to-json.ts';
import { visibleJson } from '#protocol/bidi-controls.ts';

const HEADER = `// Made by \`robosmith export --format ts\`. Edit the manifest, not this file.
//
//   import { link } from 'robo-smith';
//   import { configs } from './this-file.js';
//   const machines = link(configs, { workers });
`;

/**
 * Writes a value as an object literal. A literal key `"__proto__"` would set the prototype, so it is written as a
 * computed key.
 */
const literal = (value: unknown): string => visibleJson(value).replace(/^(\s*)"__proto__":/gm, '$1["__proto__"]:');

export function toTypeScript(workflow: CompiledWorkflow): string {
  const { graph, frame, nodes } = allConfigs(workflow);
  return [
    HEADER,
    '/** Whose tables the look-ups ask. */',
    `export const graph = ${literal(graph)};`,
    '',
    '/** The root of a run: its states are the nodes. */',
    `export const frame = ${literal(frame)};`,
    '',
    '/** One XState v5 machine config a node. */',
    `export const nodes = ${literal(nodes)};`,
    '',
    'export const configs = { graph, frame, nodes };',
    '',
  ].join('\n');
}
