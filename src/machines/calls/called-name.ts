import type { CallSummary } from '#protocol/call-record.ts';

type Called = Pick<CallSummary, 'provider' | 'model'> & { readonly agent?: string | undefined };

/**
 * Returns the name of what was called: `provider/model`, or for a coding agent its own name, with its model if known. An
 * agent that is no preset has no provider.
 */
export function calledName({ provider, model, agent }: Called): string {
  if (agent === undefined) return `${provider}/${model}`;
  return model === agent ? agent : `${agent} ${model}`;
}
