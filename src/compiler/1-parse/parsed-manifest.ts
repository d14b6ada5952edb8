import type { JsonObject } from '#protocol/json.ts';

declare const brand: unique symbol;

export interface ParsedFile {
  /** Normalised, as imports name it. */
  readonly path: string;
  readonly root: JsonObject;
}

/** Every file's value; shape faults are reported, syntax faults leave no value at all. The entry comes first. */
export type ParsedManifest = { readonly files: readonly [ParsedFile, ...ParsedFile[]] } & {
  readonly [brand]: 'parsed';
};

export const parsedManifest = (files: readonly [ParsedFile, ...ParsedFile[]]): ParsedManifest =>
  ({ files }) as ParsedManifest;
