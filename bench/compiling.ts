import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { createMachine } from 'xstate';
import { compile } from '../src/compiler/index.ts';
import type { CompiledWorkflow } from '../src/protocol/compiled.ts';
import { timed } from './measure.ts';
import { bigManifest, workflowOf } from './workflows.ts';

const schema: unknown = JSON.parse(readFileSync(new URL('../schemas/workflow.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv({ allErrors: true, strict: false, discriminator: true }).compile(schema as object);

const emitAll = ({ graph, frame, config }: CompiledWorkflow): readonly object[] => [
  frame,
  ...graph.nodes.map(({ id }) => config(id)),
];

/** Removes context and output from a compiled config, so that `createMachine` accepts it. */
const plain = (config: object): never => ({ ...config, context: {}, output: undefined }) as never;

/**
 * Measures, in microseconds, how long a manifest takes to validate and compile. The floor is JSON.parse, ajv and
 * createMachine on the same manifest.
 */
export function compileCost(blocks: number): {
  readonly text: string;
  readonly ours: () => Promise<number>;
  readonly floor: () => Promise<number>;
} {
  const manifest = bigManifest(blocks);
  const text = JSON.stringify(manifest, null, 2);
  const configs = emitAll(workflowOf(manifest));
  return {
    text,
    ours: () =>
      timed(() => {
        const { workflow } = compile([{ path: 'workflows.json', text }]);
        if (workflow === null || emitAll(workflow).length === 0) throw new Error('the manifest has errors');
      }),
    floor: () =>
      timed(() => {
        if (!validate(JSON.parse(text))) throw new Error(JSON.stringify(validate.errors?.[0]));
        for (const config of configs)
          if (createMachine(plain(config)).root.initial === undefined) throw new Error('no initial state');
      }),
  };
}
