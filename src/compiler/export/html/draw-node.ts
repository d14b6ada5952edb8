import type { GraphBlock, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { rowLabel, shortSignal, type DrawnBlock, type DrawnNode } from '../drawing/drawing.ts';
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

/** A name within a line, with what stands before and after it; what leads nowhere has no anchor. */
interface Piece {
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly anchor: string | null;
}

/** A row of the table: its action on as many lines as it needs. */
interface Row {
  readonly label: string;
  readonly tone: string;
  readonly lines: readonly (readonly Piece[])[];
  /** Of its first line, from the top of the table. */
  readonly offset: number;
}

interface Card {
  readonly drawn: DrawnBlock;
  readonly rows: readonly Row[];
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
  const cards = placeCards(node, anchors);
  const width = cards.reduce((most, card) => Math.max(most, cardWidth(card)), 280);
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
    ...cards.map((card) => drawCard(card, left, width)),
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
const rowY = (card: Card, row: number): number => card.top + HEADER + (card.rows[row]?.offset ?? 0) + ROW / 2;

function placeCards(node: DrawnNode, anchors: Anchors): readonly Card[] {
  const names = new Map(node.blocks.map(({ block }) => [block.id, block.name] as const));
  let top = MARGIN;
  return node.blocks.map((drawn) => {
    const rows = rowsOf(drawn.block, names, anchors);
    const height = HEADER + rows.reduce((sum, { lines }) => sum + lines.length * ROW, 0) + FOOT;
    const card = { drawn, rows, top, height };
    top += height + GAP;
    return card;
  });
}

/** Names of the node's own blocks; those of others go by their whole ids. */
type OwnNames = ReadonlyMap<BlockId, string>;

function rowsOf({ transitions }: GraphBlock, names: OwnNames, anchors: Anchors): readonly Row[] {
  if (transitions.length === 0)
    return [{ label: 'any signal', tone: 'good', lines: [[plainPiece('return')]], offset: 0 }];
  let offset = 0;
  return transitions.map((transition) => {
    const lines = broken(piecesOf(transition, names, anchors));
    const row = { label: rowLabel(transition), tone: toneOf(transition), lines, offset };
    offset += lines.length * ROW;
    return row;
  });
}

const plainPiece = (name: string): Piece => ({ before: '', name, after: '', anchor: null });

function piecesOf({ action }: Transition, names: OwnNames, anchors: Anchors): readonly Piece[] {
  const block = (before: string, id: BlockId): Piece => ({
    ...{ before, after: '', anchor: anchors.block(id) },
    name: shortened(names.get(id) ?? id, LONGEST),
  });
  const called = (before: string, id: NodeId): Piece => ({
    ...{ before, after: ',', anchor: anchors.node(id) },
    name: shortened(id, LONGEST),
  });
  const then = (id: BlockId | null): Piece => (id === null ? plainPiece('then return') : block('then ', id));
  switch (action.kind) {
    case 'jump':
      return [block('→ ', action.target)];
    case 'call':
      return [called('call ', action.node), then(action.returnTo)];
    case 'fork':
      return [...action.nodes.map((id, index) => called(index === 0 ? 'fork ' : '', id)), then(action.returnTo)];
    case 'return':
    case 'halt':
      return [plainPiece(action.kind)];
  }
}

const pieceText = ({ before, name, after }: Piece): string => before + name + after;
const lineText = (line: readonly Piece[]): string => line.map(pieceText).join(' ');

/** In lines that are no longer than they have to be. */
function broken(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line === undefined || lineText([...line, piece]).length > LONGEST) lines.push([piece]);
    else line.push(piece);
  }
  return lines;
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

const badgeOf = ({ block, isEntry }: DrawnBlock): string =>
  [isEntry ? 'entry' : '', block.gate ? 'gate' : ''].filter((word) => word !== '').join(' · ');

function cardWidth({ drawn, rows }: Card): number {
  const rowWidths = rows.map(({ label, lines }) => {
    const action = lines.reduce((most, line) => Math.max(most, textWidth(lineText(line))), 0);
    return textWidth(shortened(label, LONGEST)) + 36 + action;
  });
  const name = Math.ceil(textWidth(shortened(drawn.block.name, LONGEST)) * 1.12) + 36 + textWidth(badgeOf(drawn));
  return Math.max(name, textWidth(workerText(drawn)), ...rowWidths) + 2 * PADDING;
}

function drawCard(card: Card, left: number, width: number): string {
  const { drawn, rows, top, height } = card;
  const { block } = drawn;
  const badge = badgeOf(drawn);
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
    ...rows.map((row, index) => drawRow(row, left, width, rowY(card, index))),
    '</g>',
  ].join('');
}

function drawRow({ label, tone, lines }: Row, left: number, width: number, y: number): string {
  const short = shortened(label, LONGEST);
  return [
    `<g class="row ${tone}">`,
    short === label ? '' : `<title>${escapeHtml(label)}</title>`,
    `<text class="signal" x="${left + PADDING}" y="${y + 4}">${escapeHtml(short)}</text>`,
    ...lines.map(
      (line, index) =>
        `<text class="action" x="${left + width - PADDING}" y="${y + 4 + index * ROW}" text-anchor="end">${line.map(pieceMarkup).join(' ')}</text>`,
    ),
    '</g>',
  ].join('');
}

const pieceMarkup = ({ before, name, after, anchor }: Piece): string =>
  before + (anchor === null ? escapeHtml(name) : `<a href="#${anchor}">${escapeHtml(name)}</a>`) + after;

function drawArc(arc: Arc, edge: number, side: 1 | -1, lane: number): string {
  const x = edge + side * (14 + lane * LANE);
  const turn = arc.y2 > arc.y1 ? 6 : -6;
  const path = `M${edge} ${arc.y1}H${x - side * 6}Q${x} ${arc.y1} ${x} ${arc.y1 + turn}V${arc.y2 - turn}Q${x} ${arc.y2} ${x - side * 6} ${arc.y2}H${edge + side * 7}`;
  const head = `M${edge + side} ${arc.y2}l${side * 7} -4v8z`;
  return `<g class="arc ${arc.tone}${arc.dotted ? ' dotted' : ''}" data-from="${arc.from.drawn.key}" data-to="${arc.to.drawn.key}"><path class="line" d="${path}"/><path class="head" d="${head}"/></g>`;
}
