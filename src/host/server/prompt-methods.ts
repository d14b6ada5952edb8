import type { HostNotices } from '#protocol/host.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { Caller, Methods } from './methods/methods.ts';

/** Sends prompts to the clients that show them. */
export interface PromptFeed {
  /** Publishes the prompt of a run. The prompt is made only if a client shows prompts. */
  publish(prompt: () => Promise<ShownPrompt>, run: string | null): Promise<void>;
  readonly methods: Methods<'prompts.open'>;
}

export function createPromptFeed(): PromptFeed {
  const callers = new Set<Caller>();
  return {
    publish: async (prompt, run) => {
      if (callers.size === 0) return;
      const notice: HostNotices['prompt'] = { run, prompt: await prompt() };
      // Sent before the request, so that the client shows the prompt before the answer.
      await Promise.allSettled([...callers].map((caller) => caller.notify('prompt', notice)));
    },
    methods: {
      'prompts.open': (_params, caller) => {
        callers.add(caller);
        caller.onGone(() => void callers.delete(caller));
        return {};
      },
    },
  };
}
