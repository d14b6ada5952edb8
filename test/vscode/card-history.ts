import type { Frame } from 'playwright-core';

/** A status of a block that Mission Control has shown. */
interface ShownStatus {
  readonly block: string;
  readonly status: string;
  readonly colour: Colour;
}

type Colour = 'red' | 'amber' | 'green' | 'other';

interface Recorded {
  readonly block: string;
  readonly status: string;
  readonly colour: string;
}

/** Script that runs in the view. It records each new status of each card, with the colour of its icon. */
const RECORD = `(() => {
  const seen = (globalThis.seenStatuses = []);
  const last = new Map();
  const look = () => {
    for (const card of document.querySelectorAll('.card')) {
      const block = card.querySelector('.name, .lines')?.textContent ?? '';
      const { status } = card.dataset;
      if (last.get(block) === status) continue;
      last.set(block, status);
      seen.push({ block, status, colour: getComputedStyle(card.querySelector('.status')).color });
    }
  };
  const watched = { subtree: true, childList: true, attributes: true, attributeFilter: ['data-status'] };
  new MutationObserver(look).observe(document.body, watched);
  look();
})()`;

/** Starts to record the statuses of all cards in a view. */
export const recordCards = async (view: Frame): Promise<void> => {
  await view.evaluate(RECORD);
};

/** Ranges of hues, in degrees. */
const HUES: readonly (readonly [Colour, from: number, to: number])[] = [
  ['red', 0, 20],
  ['amber', 25, 65],
  ['green', 80, 170],
  ['red', 340, 360],
];

function colourOf(text: string): Colour {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (range === 0) return 'other';
  const sixth =
    most === red ? (green - blue) / range : most === green ? (blue - red) / range + 2 : (red - green) / range + 4;
  const hue = (sixth * 60 + 360) % 360;
  return HUES.find(([, from, to]) => hue >= from && hue <= to)?.[0] ?? 'other';
}

/** Returns the recorded statuses in order. Cards without any change are left out. */
export async function shownCards(view: Frame): Promise<readonly ShownStatus[]> {
  const seen = await view.evaluate<readonly Recorded[]>('globalThis.seenStatuses');
  return seen
    .filter(({ status }) => status !== 'pending')
    .map(({ block, status, colour }) => ({ block, status, colour: colourOf(colour) }));
}
