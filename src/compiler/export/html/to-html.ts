import type { Graph } from '#protocol/graph.ts';
import { draw, type Drawing, type DrawnNode } from '../drawing/drawing.ts';
import { describeSettings } from './describe-settings.ts';
import { drawMap } from './draw-map.ts';
import { drawNode, type Anchors } from './draw-node.ts';
import { escapeHtml } from './escape-html.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The page may load nothing and send nothing, whatever a name in the manifest says. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function toHtml(graph: Graph): string {
  const drawing = draw(graph);
  const anchors = anchorsOf(drawing);
  const title = escapeHtml(graph.entry ?? drawing.nodes[0]?.node.id ?? 'Workflow');
  const count = `${plural(drawing.nodes.length, 'node')}, ${plural(
    drawing.nodes.reduce((sum, node) => sum + node.blocks.length, 0),
    'block',
  )}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${title} · RoboSmith workflow</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    '<body>',
    `<header><h1>${title}</h1><span class="count" id="found" aria-live="polite" data-all="${count}">${count}</span><span class="grow"></span>`,
    '<input id="search" type="search" placeholder="Search blocks ( / )" aria-label="Search blocks and workers">',
    '<button id="theme" type="button">Theme: auto</button></header>',
    `<div class="page">${navigation(drawing)}<main>`,
    overview(drawing),
    ...drawing.nodes.map((node) => nodeSection(node, anchors)),
    '</main></div>',
    '<footer>Made by <code>robosmith export --format html</code>. This page needs no network.</footer>',
    `<script>${PAGE_SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

function anchorsOf(drawing: Drawing): Anchors {
  const nodes = new Map(drawing.nodes.map((drawn) => [drawn.node.id, drawn.key] as const));
  const blocks = new Map(
    drawing.nodes.flatMap((node) => node.blocks.map((drawn) => [drawn.block.id, drawn.key] as const)),
  );
  return { node: (id) => nodes.get(id) ?? '', block: (id) => blocks.get(id) ?? '' };
}

const navigation = ({ nodes }: Drawing): string =>
  `<nav aria-label="Nodes"><h2>Nodes</h2><ol>${nodes
    .map(
      ({ key, node, blocks }) => `<li><a href="#${key}">${escapeHtml(node.id)}<small>${blocks.length}</small></a></li>`,
    )
    .join('')}</ol></nav>`;

const overview = (drawing: Drawing): string =>
  drawing.nodes.length < 2
    ? ''
    : `<section><p class="kicker">Overview</p><div class="scroll">${drawMap(drawing)}</div>` +
      '<p class="legend"><span class="call">call, comes back</span><span class="fork">fork, side by side</span><span class="jump">jump, stays there</span></p></section>';

function nodeSection(drawn: DrawnNode, anchors: Anchors): string {
  const { node } = drawn;
  const memory = Object.keys(node.staticMemory);
  const facts = [
    drawn.isEntry ? 'entry of the workflow' : '',
    plural(drawn.blocks.length, 'block'),
    `at most ${plural(node.maxSteps, 'step')}`,
    node.contextInheritance ? '' : 'context boundary',
    node.approvals === undefined ? '' : `agents may at most: ${node.approvals}`,
    memory.length === 0 ? '' : `static memory: ${memory.join(', ')}`,
  ].filter((fact) => fact !== '');
  return [
    `<section class="node" id="${drawn.key}"><h2>${escapeHtml(node.id)}</h2>`,
    `<p class="facts">${escapeHtml(facts.join(' · '))}</p>`,
    `<div class="scroll">${drawNode(drawn, anchors)}</div>`,
    settingsTable(drawn),
    '</section>',
  ].join('\n');
}

function settingsTable({ blocks }: DrawnNode): string {
  const rows = blocks
    .map(({ block }) => ({ name: block.name, lines: describeSettings(block) }))
    .filter(({ lines }) => lines.length > 0)
    .map(
      ({ name, lines }) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(lines.join('\n'))}</td></tr>`,
    );
  return rows.length === 0
    ? ''
    : `<details><summary>Contracts and settings</summary><table>${rows.join('')}</table></details>`;
}
