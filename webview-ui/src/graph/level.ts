/** The level of detail of the cards. At `far`, a canvas draws the whole graph. */
export type Level = 'near' | 'middle' | 'far';

/** Maximum number of visible cards as DOM elements. More cards are drawn on the canvas. */
export const MOST_CARDS = 140;
const HYSTERESIS = 1.2;
const NEAR_ZOOM = 0.62;
const FAR_ZOOM = 0.2;

/** Chooses the level of detail. Hysteresis prevents flickering between two levels. */
export function chooseLevel(before: Level | null, zoom: number, cards: number): Level {
  const most = before === 'far' ? MOST_CARDS / HYSTERESIS : MOST_CARDS;
  const farZoom = before === 'far' ? FAR_ZOOM * HYSTERESIS : FAR_ZOOM;
  if (cards > most || zoom < farZoom) return 'far';
  return zoom >= (before === 'near' ? NEAR_ZOOM / HYSTERESIS : NEAR_ZOOM) ? 'near' : 'middle';
}
