import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type CompileOptions, importsOf, parseScript } from '#compiler/index.ts';
import { createSchemaCheck } from '#engine/schemas/json-schema.ts';
import type { Compilation, ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { JsonObject } from '#protocol/json.ts';

const SAMPLES = join(import.meta.dirname, '../../samples/compiler');

export const sampleNames = (): readonly string[] => readdirSync(SAMPLES).toSorted();

/**
 * A text that is too large or unusual for a file: `repeat`, with `{i}` and `{before}` filled in, between `prefix` and
 * `suffix`.
 */
interface GeneratedText {
  readonly prefix: string;
  readonly repeat: string;
  readonly times: number;
  readonly suffix: string;
}

function generate({ prefix, repeat, times, suffix }: GeneratedText): string {
  if (!repeat.includes('{')) return prefix + repeat.repeat(times) + suffix;
  const parts = Array.from({ length: times }, (_, i) =>
    repeat.replaceAll('{i}', String(i)).replaceAll('{before}', String(i - 1)),
  );
  return prefix + parts.join(',\n') + suffix;
}

const inSample = (name: string, file: string): string => join(SAMPLES, name, file);

const readJson = (name: string, file: string): unknown => JSON.parse(readFileSync(inSample(name, file), 'utf8'));

function entryText(name: string): string {
  const generated = inSample(name, 'generated.json');
  return existsSync(generated)
    ? generate(readJson(name, 'generated.json') as GeneratedText)
    : readFileSync(inSample(name, 'workflows.json'), 'utf8');
}

/** Returns the entry file and all its imports, as the engine would read them. */
export function sampleSources(name: string): readonly ManifestSource[] {
  const found: ManifestSource[] = [{ path: 'workflows.json', text: entryText(name) }];
  for (const source of found) {
    for (const path of importsOf(source)) {
      const known = found.some((other) => other.path === path);
      if (!known && existsSync(inSample(name, path)))
        found.push({ path, text: readFileSync(inSample(name, path), 'utf8') });
    }
  }
  return found;
}

/** The compiler options in the format of a sample's file, with lists and objects instead of sets and maps. */
interface WrittenOptions {
  readonly registry?: readonly string[];
  readonly conditions?: readonly string[];
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  readonly unmatchedArtifacts?: readonly string[];
  readonly notInForce?: readonly string[];
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly schemaProblems?: Readonly<Record<string, string>>;
  readonly importProblems?: Readonly<Record<string, string>>;
  readonly answerProblems?: Readonly<Record<string, string>>;
}

export function sampleOptions(name: string): CompileOptions {
  if (!existsSync(inSample(name, 'options.json'))) return {};
  const written = readJson(name, 'options.json') as WrittenOptions;
  return {
    registry: new Set(written.registry),
    conditions: new Set(written.conditions),
    commands: written.commands ?? {},
    unmatchedArtifacts: new Set(written.unmatchedArtifacts),
    notInForce: new Set(written.notInForce),
    schemas: new Map(Object.entries(written.schemas ?? {})),
    schemaProblems: new Map(Object.entries(written.schemaProblems ?? {})),
    importProblems: new Map(Object.entries(written.importProblems ?? {})),
    answerProblems: new Map(Object.entries(written.answerProblems ?? {})),
    checkSchema: createSchemaCheck(),
  };
}

export interface SampleResult {
  readonly compilation: Compilation;
  readonly diagnostics: readonly Diagnostic[];
  /** The script as JSON. */
  readonly script: unknown;
}

/** Compiles a sample and checks its `script.json`, if it has one, against the graph. */
export function compileSample(name: string): SampleResult {
  const compilation = compile(sampleSources(name), sampleOptions(name));
  if (!existsSync(inSample(name, 'script.json')) || compilation.workflow === null) {
    return { compilation, diagnostics: compilation.diagnostics, script: null };
  }
  const text = readFileSync(inSample(name, 'script.json'), 'utf8');
  const { value, diagnostics } = parseScript({ path: 'script.json', text }, compilation.workflow.graph);
  const script = value && { answers: Object.fromEntries(value.answers), halts: value.halts };
  return { compilation, diagnostics: [...compilation.diagnostics, ...diagnostics], script };
}

/**
 * Returns the content of a sample's expected file, or null if there is none. If `UPDATE=1` is set, first replaces it by
 * the actual value.
 */
export function expected(name: string, file: string, actual: unknown): unknown {
  const path = inSample(name, file);
  const isWanted = file === 'expected.diagnostics.json' || existsSync(path);
  if (process.env['UPDATE'] === '1' && isWanted) writeFileSync(path, `${JSON.stringify(actual, null, 2)}\n`);
  return existsSync(path) ? readJson(name, file) : null;
}

/** The number of diagnostics above which a sample's expected file keeps only their number and the ends of the list. */
const MAX_LISTED = 100;

/** Returns the diagnostics of a sample as its expected file stores them. */
export const asStored = (diagnostics: readonly Diagnostic[]): unknown =>
  diagnostics.length <= MAX_LISTED
    ? diagnostics
    : { count: diagnostics.length, first: diagnostics.slice(0, 3), last: diagnostics.slice(-2) };
