import { compile } from 'json-schema-to-typescript';
import { generatedFile } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';
import { parseSchema } from './parse-schema.ts';

/** Generates the type `WorkflowManifest` from `schemas/workflow.schema.json`. */
export async function generateManifestTypes(schema: string): Promise<readonly GeneratedFile[]> {
  const body = await compile(parseSchema(schema), 'WorkflowManifest', {
    bannerComment: '',
    format: false,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
    strictIndexSignatures: true,
  });
  return [await generatedFile('src/protocol/generated/manifest.gen.ts', 'schemas/workflow.schema.json', body)];
}
