import type { BlockId } from '#protocol/id.ts';
import type { Transition } from '#protocol/graph.ts';
import { describeSettings } from './describe-settings.ts';
import { escapeMarkup, plural } from './escape-markup.ts';
import { calledNodes, nextBlock, type Picture, type PicturedBlock, type PicturedLane, rowLabel } from './picture.ts';

const link = (key: string | undefined, name: string): string =>
  key === undefined ? escapeMarkup(name) : `<a href="#${key}">${escapeMarkup(name)}</a>`;

function blockLink(picture: Picture, id: BlockId, from: PicturedBlock): string {
  const target = picture.blockOf(id);
  const name = target?.block.node === from.block.node ? target.block.name : id;
  return link(target?.key, name);
}

function actionMarkup(picture: Picture, { action }: Transition, from: PicturedBlock): string {
  if (action.kind === 'return' || action.kind === 'halt') return action.kind;
  const calls = calledNodes(action).map((id) => link(picture.laneOf(id)?.key, id));
  const next = nextBlock(action);
  const after = next === null ? 'return' : blockLink(picture, next, from);
  return calls.length === 0 ? `→ ${after}` : `${action.kind} ${calls.join(', ')}, then ${after}`;
}

function transitionList(picture: Picture, from: PicturedBlock): string {
  const rows = from.block.transitions.map(
    (row) => `<tr><th scope="row">${escapeMarkup(rowLabel(row))}</th><td>${actionMarkup(picture, row, from)}</td></tr>`,
  );
  const body = rows.length === 0 ? '<tr><th scope="row">any signal</th><td>return</td></tr>' : rows.join('');
  return `<table><caption>Transitions</caption>${body}</table>`;
}

/** Renders a block's section of the HTML page: its worker, transitions and settings. */
export function blockDetails(picture: Picture, drawn: PicturedBlock, { key, node }: PicturedLane): string {
  const settings = describeSettings(drawn.block);
  return [
    `<section id="${drawn.key}"><h2>${escapeMarkup(drawn.block.name)}</h2>`,
    `<p class="facts">${link(key, node.id)}${drawn.isEntry ? ' · entry block' : ''} · ${escapeMarkup(drawn.block.worker)}</p>`,
    transitionList(picture, drawn),
    settings.length === 0
      ? ''
      : `<h3>Settings</h3><ul>${settings.map((line) => `<li>${escapeMarkup(line)}</li>`).join('')}</ul>`,
    '</section>',
  ].join('');
}

/** Renders a node's section of the HTML page, with links to its blocks. */
export function nodeDetails({ key, node, blocks, isEntry }: PicturedLane): string {
  const memory = Object.keys(node.staticMemory);
  const facts = [
    isEntry ? 'entry of the workflow' : '',
    plural(blocks.length, 'block'),
    `at most ${plural(node.maxSteps, 'step')}`,
    node.contextInheritance ? '' : 'context boundary',
    node.approvals === undefined ? '' : `maximum permissions of agents: ${node.approvals}`,
    memory.length === 0 ? '' : `static memory: ${memory.join(', ')}`,
  ].filter((fact) => fact !== '');
  const items = blocks.map((drawn) => `<li>${link(drawn.key, drawn.block.name)}</li>`);
  return [
    `<section id="${key}"><h2>${escapeMarkup(node.id)}</h2>`,
    `<p class="facts">${escapeMarkup(facts.join(' · '))}</p>`,
    `<h3>Blocks</h3><ol>${items.join('')}</ol></section>`,
  ].join('');
}
