import type { JsonObject } from '#protocol/json.ts';
import { readObject } from './json-reader.ts';

declare const brand: unique symbol;

export interface ParsedFile {
  /** The path in the form that imports resolve to: without a leading `./`. */
  readonly path: string;
  readonly root: JsonObject;
}

/**
 * The values of all files, the entry file first. Values that violate the schema are kept; the violations have been
 * reported.
 */
export type ParsedManifest = { readonly files: readonly [ParsedFile, ...ParsedFile[]] } & {
  readonly [brand]: 'parsed';
};

export const parsedManifest = (files: readonly [ParsedFile, ...ParsedFile[]]): ParsedManifest =>
  ({ files }) as ParsedManifest;

/**
 * Returns whether a file declares parameters. The shape of such a file is checked only after its placeholders are
 * replaced, because a placeholder may stand for a number or a list.
 */
export const hasParameters = (root: JsonObject): boolean =>
  Object.keys(readObject(root, 'parameters') ?? {}).length > 0;
