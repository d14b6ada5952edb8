import type { ManifestSource } from '#protocol/compiled.ts';
import { validate } from '../generated/validate-manifest.gen.js';
import { checkShape } from './report-shape-error.ts';
import type { Diagnose } from './diagnose.ts';
import { hasParameters, type ParsedFile, parsedManifest, type ParsedManifest } from './parsed-manifest.ts';
import { readText } from './read-text.ts';

const normalise = (path: string): string => path.replace(/^(?:\.\/+)+/, '');

function parseFile(source: ManifestSource, order: number, diagnose: Diagnose): ParsedFile | null {
  const root = readText(source, order, diagnose);
  if (root === null) return null;
  if (!hasParameters(root)) checkShape(root, validate, diagnose);
  return { path: normalise(source.path), root };
}

/**
 * Parses all sources. Returns null if any file is not JSON: the names that it declares would be missing, and every use
 * of them would be reported wrongly.
 */
export function parse(sources: readonly ManifestSource[], diagnose: Diagnose): ParsedManifest | null {
  const files = sources.map((source, order) => parseFile(source, order, diagnose));
  const parsed = files.filter((file) => file !== null);
  const [entry, ...imported] = parsed;
  return entry === undefined || parsed.length < files.length ? null : parsedManifest([entry, ...imported]);
}
