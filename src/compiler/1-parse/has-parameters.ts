import type { JsonObject } from '#protocol/json.ts';
import { readObject } from './json-reader.ts';

/**
 * Returns whether a file declares parameters. The shape of such a file is checked after its placeholders are filled: a
 * number or a list may be a placeholder.
 */
export const hasParameters = (root: JsonObject): boolean =>
  Object.keys(readObject(root, 'parameters') ?? {}).length > 0;
