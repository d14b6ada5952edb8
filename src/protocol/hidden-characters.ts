/**
 * Characters that steer a terminal, hide text or reorder it: control characters except tab and line feed, bidirectional
 * controls, line separators, and characters without a picture of their own. Some of the latter are letters for
 * programming languages (U+3164), and some spell out bytes that only a model reads (tags, variation selectors).
 */
const CONTROLS = [
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f]`,
  String.raw`[\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]`,
  String.raw`[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`,
];

/**
 * Joiners and variation selectors without a letter or picture before them. Behind one they are part of emoji and of some
 * scripts; of ASCII only the signs of keycaps have a variant.
 */
const LONELY = [
  String.raw`(?<=^|[\u0000-\u007f\u200c\u200d])[\u200c\u200d\ufe00-\ufe0f](?!\u20e3)`,
  String.raw`(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]`,
];

/** Matches each hidden character of a text. */
// eslint-disable-next-line no-misleading-character-class -- each of these characters is looked for by itself
export const HIDDEN = new RegExp([...CONTROLS, ...LONELY].join('|'), 'gu');
