/**
 * Returns the anchor of a heading as GitHub makes it, so that a link such as `engine.md#internaldiff` works in both
 * places.
 */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}\p{Connector_Punctuation}\- ]/gu, '')
    .replaceAll(' ', '-');
