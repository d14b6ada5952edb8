import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tinyModel } from './tiny-model.ts';

/** The server's report on its work so far. */
export interface ServerReport {
  /** The token counts of the completed answers, in the order in which they ended. */
  readonly answered: readonly { readonly prompt: number; readonly completion: number }[];
  readonly refused: Readonly<Record<401 | 429, number>>;
  /** Number of answers whose client disconnected. */
  readonly broken: number;
}

export interface ModelServer {
  readonly baseUrl: string;
  report(): Promise<ServerReport>;
  /**
   * Makes the answer after the given number of answers pause at its first letter until its client has disconnected.
   * `stopped` waits until it pauses.
   */
  stopAfter(answers: number): Promise<{ readonly stopped: () => Promise<string> }>;
  /** Makes all answers wait until this many further requests have been refused because all slots were in use. */
  refuseFirst(requests: number): Promise<void>;
  /** Resolves when the server has detected that, in total, the clients of this many answers have disconnected. */
  untilBroken(answers: number): Promise<void>;
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('serve-model.ts', import.meta.url));

/** Creates a model and starts a process that serves it. */
export async function startModel(keys: readonly string[], seed: number): Promise<ModelServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-llama-'));
  const file = path.join(folder, 'tiny.gguf');
  writeFileSync(file, tinyModel(seed));
  const env = { ...process.env, LLAMA_KEYS: keys.join(',') };
  const child = spawn(process.execPath, [PROGRAM, file], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const [origin] = (await Promise.race([
    once(lines, 'line'),
    closed.then(([code]) => Promise.reject(new Error(`the model's server ended with ${String(code)}`))),
  ])) as [string];
  const post = async (what: string, count: number): Promise<void> => {
    await (await fetch(`${origin}/${what}`, { method: 'POST', body: String(count) })).text();
  };
  return {
    baseUrl: `${origin}/v1`,
    report: async () => (await (await fetch(`${origin}/report`)).json()) as ServerReport,
    refuseFirst: (requests) => post('refuse-first', requests),
    untilBroken: (answers) => post('until-broken', answers),
    stopAfter: async (answers) => {
      const asked = await fetch(`${origin}/stop-after`, { method: 'POST', body: String(answers) });
      return { stopped: () => asked.text() };
    },
    close: async () => {
      child.stdin.end();
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}
