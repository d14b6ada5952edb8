import type { Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { rowLabel, shortSignal, type DrawnBlock, type DrawnNode } from '../drawing.ts';
import { escapeHtml } from './escape-html.ts';
import { layOutLanes } from './lay-out-lanes.ts';
import { shortened, textWidth } from './measure-text.ts';

const HEADER = 46;
const ROW = 24;
const FOOT = 6;
const GAP = 26;
const PADDING = 14;
const LANE = 12;
const MARGIN = 10;
const LONGEST = 56;

/** Where names lead: anchors of blocks and nodes on the page. */
export interface Anchors {
  readonly block: (id: BlockId) => string;
  readonly node: (id: NodeId) => string;
}

interface Card {
  readonly drawn: DrawnBlock;
  readonly top: number;
  readonly height: number;
}

interface Arc {
  readonly from: Card;
  readonly to: Card;
  readonly row: number;
  readonly y1: number;
  readonly y2: number;
  readonly tone: string;
  readonly dotted: boolean;
}

/** The blocks of a node as cards in written order, each with its transition table; arrows down on the right, back on the left. */
export function drawNode(node: DrawnNode, anchors: Anchors): string {
  const cards = placeCards(node.blocks);
  const width = node.blocks.reduce((most, block) => Math.max(most, cardWidth(block)), 280);
  const arcs = arcsOf(cards);
  const down = layOutLanes(arcs.filter(isDown).map(spanOf));
  const back = layOutLanes(arcs.filter((arc) => !isDown(arc)).map(spanOf));
  const left = MARGIN + back.count * LANE + (back.count > 0 ? 14 : 4);
  const right = left + width;
  const total = {
    width: right + down.count * LANE + (down.count > 0 ? 14 : 4) + MARGIN,
    height: bottomOf(cards) + MARGIN,
  };
  return [
    `<svg class="flow" width="${total.width}" height="${total.height}" viewBox="0 0 ${total.width} ${total.height}" role="group" aria-label="Blocks of ${escapeHtml(node.node.id)}">`,
    ...cards.map((card) => drawCard(card, left, width, anchors)),
    ...arcs.filter(isDown).map((arc, index) => drawArc(arc, right, 1, down.lanes[index] ?? 0)),
    ...arcs.filter((arc) => !isDown(arc)).map((arc, index) => drawArc(arc, left, -1, back.lanes[index] ?? 0)),
    '</svg>',
  ].join('\n');
}

const isDown = ({ y1, y2 }: Arc): boolean => y2 > y1;
const spanOf = ({ y1, y2 }: Arc): { top: number; bottom: number } => ({
  top: Math.min(y1, y2),
  bottom: Math.max(y1, y2),
});
const bottomOf = (cards: readonly Card[]): number =>
  cards.reduce((bottom, card) => Math.max(bottom, card.top + card.height), 0);
const rowY = (card: Card, row: number): number => card.top + HEADER + row * ROW + ROW / 2;

function placeCards(blocks: readonly DrawnBlock[]): readonly Card[] {
  let top = MARGIN;
  return blocks.map((drawn) => {
    const height = HEADER + Math.max(1, drawn.block.transitions.length) * ROW + FOOT;
    const card = { drawn, top, height };
    top += height + GAP;
    return card;
  });
}

function arcsOf(cards: readonly Card[]): readonly Arc[] {
  const byId = new Map(cards.map((card) => [card.drawn.block.id, card] as const));
  return cards.flatMap((from) =>
    from.drawn.block.transitions.flatMap((transition, row) => {
      const target = targetWithin(transition);
      const to = target === null ? undefined : byId.get(target);
      if (to === undefined) return [];
      const arc: Arc = {
        from,
        to,
        row,
        y1: rowY(from, row),
        y2: to.top + HEADER / 2,
        tone: toneOf(transition),
        dotted: transition.action.kind !== 'jump',
      };
      return [arc];
    }),
  );
}

function targetWithin({ action }: Transition): BlockId | null {
  if (action.kind === 'jump') return action.target;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
}

const toneOf = ({ signal, action }: Transition): string => {
  if (action.kind === 'halt') return 'bad';
  const name = shortSignal(signal);
  if (name === 'SUCCESS') return 'good';
  return /^(FAIL|FAILURE|FAIL_DEFAULT|ERROR|TIMEOUT|VALIDATION_FAIL|NO_SIGNAL)$/.test(name) ? 'warn' : 'plain';
};

const workerText = ({ block }: DrawnBlock): string => shortened(block.worker, LONGEST);

function cardWidth(drawn: DrawnBlock): number {
  const { block } = drawn;
  const rows = block.transitions.map(
    (row) => textWidth(shortened(rowLabel(row), LONGEST)) + 36 + textWidth(shortened(actionText(row), LONGEST)),
  );
  const name = Math.ceil(textWidth(shortened(block.name, LONGEST)) * 1.12) + 70;
  return Math.max(name, textWidth(workerText(drawn)), ...rows) + 2 * PADDING;
}

function drawCard(card: Card, left: number, width: number, anchors: Anchors): string {
  const { drawn, top, height } = card;
  const { block } = drawn;
  const badge = drawn.isEntry ? 'entry' : block.gate ? 'gate' : '';
  return [
    `<g class="block${drawn.isEntry ? ' first' : ''}" id="${drawn.key}" data-key="${drawn.key}" tabindex="0" data-find="${escapeHtml(`${block.id} ${block.worker}`.toLowerCase())}">`,
    `<title>${escapeHtml(`${block.id} (${block.worker})`)}</title>`,
    `<rect class="card" x="${left}" y="${top}" width="${width}" height="${height}" rx="10"/>`,
    `<text class="name" x="${left + PADDING}" y="${top + 20}">${escapeHtml(shortened(block.name, LONGEST))}</text>`,
    `<text class="worker" x="${left + PADDING}" y="${top + 37}">${escapeHtml(workerText(drawn))}</text>`,
    badge === ''
      ? ''
      : `<text class="badge" x="${left + width - PADDING}" y="${top + 20}" text-anchor="end">${badge}</text>`,
    `<line class="rule" x1="${left}" x2="${left + width}" y1="${top + HEADER}" y2="${top + HEADER}"/>`,
    ...(block.transitions.length === 0
      ? [rowText(left, width, rowY(card, 0), 'any signal', 'return', 'good')]
      : block.transitions.map((row, index) =>
          rowText(
            left,
            width,
            rowY(card, index),
            escapeHtml(shortened(rowLabel(row), LONGEST)),
            actionMarkup(row, anchors),
            toneOf(row),
          ),
        )),
    '</g>',
  ].join('');
}

const rowText = (left: number, width: number, y: number, signal: string, action: string, tone: string): string =>
  `<g class="row ${tone}"><text class="signal" x="${left + PADDING}" y="${y + 4}">${signal}</text>` +
  `<text class="action" x="${left + width - PADDING}" y="${y + 4}" text-anchor="end">${action}</text></g>`;

const nameOf = (id: BlockId): string => id.slice(id.indexOf('__') + 2);

function actionText({ action }: Transition): string {
  switch (action.kind) {
    case 'jump':
      return `→ ${nameOf(action.target)}`;
    case 'call':
      return `call ${action.node}${thenText(action.returnTo)}`;
    case 'fork':
      return `fork ${action.nodes.join(', ')}${thenText(action.returnTo)}`;
    case 'return':
      return 'return';
    case 'halt':
      return 'halt';
  }
}

const thenText = (target: BlockId | null): string => (target === null ? ', then return' : `, then ${nameOf(target)}`);

function actionMarkup(row: Transition, anchors: Anchors): string {
  const { action } = row;
  const link = (anchor: string, text: string): string =>
    `<a href="#${anchor}">${escapeHtml(shortened(text, LONGEST))}</a>`;
  const then = (target: BlockId | null): string =>
    target === null ? ', then return' : `, then ${link(anchors.block(target), nameOf(target))}`;
  switch (action.kind) {
    case 'jump':
      return `→ ${link(anchors.block(action.target), nameOf(action.target))}`;
    case 'call':
      return `call ${link(anchors.node(action.node), action.node)}${then(action.returnTo)}`;
    case 'fork':
      return `fork ${action.nodes.map((node) => link(anchors.node(node), node)).join(', ')}${then(action.returnTo)}`;
    case 'return':
      return 'return';
    case 'halt':
      return 'halt';
  }
}

function drawArc(arc: Arc, edge: number, side: 1 | -1, lane: number): string {
  const x = edge + side * (14 + lane * LANE);
  const turn = arc.y2 > arc.y1 ? 6 : -6;
  const path = `M${edge} ${arc.y1}H${x - side * 6}Q${x} ${arc.y1} ${x} ${arc.y1 + turn}V${arc.y2 - turn}Q${x} ${arc.y2} ${x - side * 6} ${arc.y2}H${edge + side * 7}`;
  const head = `M${edge + side} ${arc.y2}l${side * 7} -4v8z`;
  return `<g class="arc ${arc.tone}${arc.dotted ? ' dotted' : ''}" data-from="${arc.from.drawn.key}" data-to="${arc.to.drawn.key}"><path class="line" d="${path}"/><path class="head" d="${head}"/></g>`;
}
