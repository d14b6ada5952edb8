import { CARD, portOffset } from '#protocol/layout.ts';
import type { Transition } from '#protocol/graph.ts';
import { escapeMarkup } from './escape-markup.ts';
import { BOLD, fitText, textWidth } from './fit-text.ts';
import { type PicturedBlock, rowEffect, rowLabel } from './picture.ts';

const NAME_SIZE = 12.5;
const SMALL_SIZE = 10.5;
const PADDING = 10;
const INNER = CARD.width - 2 * PADDING;

const text = (kind: string, x: number, y: number, content: string): string =>
  content === '' ? '' : `<text class="${kind}" x="${x}" y="${y}">${escapeMarkup(content)}</text>`;

/** Renders one transition row of a card. If the space is short, the effect gets at most half of the width. */
function drawRow(row: Transition, x: number, y: number): string {
  const effect = rowEffect(row);
  const label = rowLabel(row);
  const room = INNER - (effect === '' ? 0 : 8);
  const effectRoom = Math.max(room / 2, room - textWidth(label.slice(0, 100), SMALL_SIZE));
  const shown = fitText(effect, effectRoom, SMALL_SIZE);
  const left = fitText(label, room - textWidth(shown, SMALL_SIZE), SMALL_SIZE);
  return text('signal', x + PADDING, y, left) + text('effect', x + CARD.width - PADDING, y, shown);
}

/** Renders a block's card: its name, its worker and one line for each transition. */
export function drawCard({ block, box, isEntry }: PicturedBlock): string {
  const badge = block.gate ? 'gate' : '';
  const nameRoom = INNER - (badge === '' ? 0 : 34);
  const parts = [
    text('name', box.x + PADDING, box.y + 17, fitText(block.name, nameRoom, NAME_SIZE * BOLD)),
    text('badge', box.x + CARD.width - PADDING, box.y + 17, badge),
    text('dim', box.x + PADDING, box.y + 32, fitText(block.worker, INNER, SMALL_SIZE)),
    ...block.transitions.map((row) => drawRow(row, box.x, box.y + portOffset(row.row) + 3.5)),
  ].join('');
  return [
    `<rect class="card${isEntry ? ' entry' : ''}" x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="6"/>`,
    isEntry ? `<path class="bar" d="M${box.x + 1.5} ${box.y + 6}v${box.height - 12}"/>` : '',
    parts,
  ].join('');
}
