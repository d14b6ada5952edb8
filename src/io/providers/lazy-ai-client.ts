import type { AiClient } from '#protocol/ai-call.ts';
import type { AiClientOptions } from './ai-client.ts';

/** Creates a client that loads the providers' code at its first call, because most commands call no model. */
export function lazyAiClient(options: AiClientOptions): AiClient & { close(): Promise<void> } {
  let loading: Promise<AiClient & { close(): Promise<void> }> | null = null;
  const load = async () => (await import('./ai-client.ts')).createAiClient(options);
  return {
    attempt: async (...call) => (await (loading ??= load())).attempt(...call),
    close: async () => (await loading)?.close(),
  };
}
