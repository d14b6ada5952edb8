import type { JsonObject } from '#protocol/json.ts';

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
