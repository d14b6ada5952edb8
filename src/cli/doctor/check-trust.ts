import { realpath } from 'node:fs/promises';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { areTrusted, listExecutables } from '#engine/authoring.ts';
import { ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';

export async function checkTrust(
  workflow: CompiledWorkflow | null,
  root: string | null,
  io: CliIo,
): Promise<readonly Check[]> {
  if (workflow === null || root === null) return [];
  const place = await realpath(root);
  const executables = await listExecutables(workflow.graph, place);
  if (executables.length === 0) return [ok('trust', 'the manifest runs no commands and calls no models')];
  return [
    (await areTrusted(executables, place, io.env))
      ? ok('trust', 'this project is trusted to run its commands and call its models')
      : warn(
          'trust',
          'this project is not trusted yet to run its commands or call its models',
          'The first `robosmith run` asks, or pass --trust.',
        ),
  ];
}
