import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { generatedFile } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';
import { parseSchema } from './parse-schema.ts';

/**
 * Maximum number of errors that one validation keeps, so that a file with a million errors does not exhaust the memory.
 * It exceeds the number of reported diagnostics, because several errors can form one diagnostic.
 */
const KEPT_ERRORS = 5000;

const KEEPERS = `
  const keep = (errors, error) => { if (errors.length < ${KEPT_ERRORS}) errors.push(error); };
  const join = (errors, more) => { for (const error of more) keep(errors, error); return errors; };
`;

/**
 * Source code of a function that counts code points like ajv's runtime function. It is inlined, because a generated ES
 * module must not call `require`.
 */
const CODE_POINTS = `
  const codePoints = (text) => { let count = 0; for (const _ of text) count += 1; return count; };
`;

function bounded(code: string): string {
  const kept = code
    .replace(/^"use strict";/, '')
    .replaceAll(/vErrors\.push\(/g, 'keep(vErrors, ')
    .replaceAll(/vErrors\.concat\(/g, 'join(vErrors, ')
    .replaceAll(/require\("ajv\/dist\/runtime\/ucs2length"\)\.default/g, 'codePoints');
  const left = /\brequire\(|vErrors\.(?!length)\w+/.exec(kept);
  if (left !== null) throw new Error(`scripts/generate: ajv's output changed: ${left[0]}`);
  return kept;
}

const DECLARATION = `
  export interface ShapeError {
    readonly instancePath: string;
    readonly schemaPath: string;
    readonly keyword: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly propertyName?: string;
    readonly schema?: unknown;
    readonly parentSchema?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
  }
  export interface Validate {
    (data: unknown): boolean;
    readonly errors?: readonly ShapeError[] | null;
  }
  export const validate: Validate;
`;

const ROOT = join(import.meta.dirname, '../..');

/** The validators, and the schema of each. */
const SCHEMAS = {
  'validate-manifest': 'schemas/workflow.schema.json',
  'validate-script': 'schemas/script.schema.json',
} as const;

type Validator = keyof typeof SCHEMAS;

const NAMES = Object.keys(SCHEMAS) as readonly Validator[];

/** Returns the source of a standalone ajv validator. It reports all errors, up to `KEPT_ERRORS`. */
function sourceOf(schema: string): string {
  const ajv = new Ajv({
    allErrors: true,
    discriminator: true,
    verbose: true,
    allowUnionTypes: true,
    messages: false,
    inlineRefs: false,
    code: { source: true, esm: true, lines: false },
  });
  ajv.addSchema(parseSchema(schema), 'root');
  const code = bounded(standalone.default(ajv, { validate: 'root' }));
  return `${KEEPERS}${code.includes('codePoints') ? CODE_POINTS : ''}${code}`;
}

async function buildValidator(name: Validator, tools: string): Promise<void> {
  const file = join(ROOT, `src/compiler/generated/${name}.gen.js`);
  const schema = await readFile(join(ROOT, SCHEMAS[name]), 'utf8');
  const head = `// Built from ${SCHEMAS[name]}: ${createHash('sha256').update(schema).update(tools).digest('hex')}\n`;
  if ((await readFile(file, 'utf8').catch(() => '')).startsWith(head)) return;
  // Two processes may build at the same time.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${head}${sourceOf(schema)}`);
  await rename(unfinished, file);
}

/** Builds the validators that do not exist yet, or whose schema or generator has changed. They are not committed. */
export async function buildValidators(): Promise<void> {
  const tools = await Promise.all(
    [import.meta.filename, join(ROOT, 'node_modules/ajv/package.json')].map((file) => readFile(file, 'utf8')),
  );
  await Promise.all(NAMES.map((name) => buildValidator(name, tools.join('\n'))));
}

/** Generates the declarations of the validators. */
export const generateDeclarations = (): Promise<readonly GeneratedFile[]> =>
  Promise.all(
    NAMES.map((name) => generatedFile(`src/compiler/generated/${name}.gen.d.ts`, SCHEMAS[name], DECLARATION)),
  );
