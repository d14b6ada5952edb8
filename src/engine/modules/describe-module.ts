import type { ModuleFile } from '#io/project/module-file.ts';
import type { Clock } from '#protocol/clock.ts';
import type { Environment } from '#protocol/environment.ts';
import { messageOf } from '#protocol/message-of.ts';
import { nextId } from './executions.ts';
import type { Description, FromThread } from './messages.ts';
import { type ModuleThreads, moduleThreads } from './module-threads.ts';

/** The time limit for importing a module: it may await something at its top level forever. */
const LONGEST_LOAD_MS = 10_000;

export type DescribedModule =
  | { readonly problem: string }
  | { readonly module: ModuleFile; readonly exports: Readonly<Record<string, Description>> };

/** Imports a module in a thread, which executes it; only for trusted projects. Never throws. */
export async function describeModule(
  module: ModuleFile,
  names: readonly string[],
  clock: Clock,
  environment: Environment = process.env,
  threads: ModuleThreads = moduleThreads,
): Promise<DescribedModule> {
  const loaded = new AbortController();
  try {
    const thread = await threads.lease(module, environment);
    const late = `it did not finish loading within ${LONGEST_LOAD_MS / 1_000} s`;
    void clock.sleep(LONGEST_LOAD_MS, loaded.signal, '').then(() => {
      if (!loaded.signal.aborted) thread.end(late);
    });
    const found = await new Promise<Extract<FromThread, { readonly kind: 'described' }>['found']>((resolve, reject) => {
      const id = nextId();
      thread.executions.describe(id, { resolve, reject });
      thread.post({ kind: 'describe', id, href: module.href, exports: names });
    });
    return 'problem' in found ? found : { module, exports: found.exports };
  } catch (thrown) {
    const message = messageOf(thrown);
    return { problem: message.startsWith('it did not') ? message : `it cannot be loaded: ${message}` };
  } finally {
    loaded.abort();
  }
}
