import type { JsonObject } from '#protocol/json.ts';
import { readObject } from './json-reader.ts';

/**
 * Returns whether a file declares parameters. The shape of such a file is checked only after its placeholders are
 * replaced, because a placeholder may stand for a number or a list.
 */
export const hasParameters = (root: JsonObject): boolean =>
  Object.keys(readObject(root, 'parameters') ?? {}).length > 0;
