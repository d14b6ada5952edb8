import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Fault, Said } from '../test/support/faults.ts';

export interface ModelsApart {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Starts a mock model server in a separate process. Each key gets its own answer there. */
export async function startModelsApart(answers: Readonly<Record<string, Fault | Said>>): Promise<ModelsApart> {
  const program = fileURLToPath(new URL('mock-models.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(answers)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    baseUrl: line.toString().trim(),
    close: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
