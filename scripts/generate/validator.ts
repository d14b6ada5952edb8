import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { generatedFile } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';
import { parseSchema } from './parse-schema.ts';

/** Errors that one call of a validator keeps: a file that is wrong in a million places must not fill the memory. More than the findings that are reported, since some errors are one finding. */
const KEPT_ERRORS = 5000;

const KEEPERS = `
  const keep = (errors, error) => { if (errors.length < ${KEPT_ERRORS}) errors.push(error); };
  const join = (errors, more) => { for (const error of more) keep(errors, error); return errors; };
`;

/** Counts code points as ajv's own runtime function does; inlined, since generated ESM must not \`require\`. */
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

/** A schema → a standalone ajv validator that reports everything, up to a bound. */
export async function generateValidator(name: string, schema: string): Promise<readonly GeneratedFile[]> {
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
  const from = name === 'validate-manifest' ? 'schemas/workflow.schema.json' : 'schemas/script.schema.json';
  return [
    await generatedFile(
      `src/compiler/generated/${name}.gen.js`,
      from,
      `${KEEPERS}${code.includes('codePoints') ? CODE_POINTS : ''}${code}`,
    ),
    await generatedFile(`src/compiler/generated/${name}.gen.d.ts`, from, DECLARATION),
  ];
}
