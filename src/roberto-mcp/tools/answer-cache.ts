/** A cache of tool answers, keyed by tool and arguments. An answer is valid for one version of the file set. */
export interface AnswerCache<Answer> {
  /** Returns the answer for this version, or undefined. */
  readonly get: (key: string, version: number) => Answer | undefined;
  readonly set: (key: string, version: number, answer: Answer) => void;
}

/**
 * Maximum number of cached answers, and of characters in their texts. The structured content is about three times as
 * large as the text.
 */
const CACHE_LIMITS = { answers: 256, characters: 4_000_000 };

export const answerKey = (tool: string, args: Readonly<Record<string, unknown>>): string =>
  `${tool} ${JSON.stringify(Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1)))}`;

/** Creates a cache that evicts the least recently used answers. */
export function createAnswerCache<Answer extends { readonly text: string }>(
  limits: typeof CACHE_LIMITS = CACHE_LIMITS,
): AnswerCache<Answer> {
  const kept = new Map<string, { readonly version: number; readonly answer: Answer }>();
  let characters = 0;
  const remove = (key: string): void => {
    characters -= kept.get(key)?.answer.text.length ?? 0;
    kept.delete(key);
  };
  const add = (key: string, version: number, answer: Answer): void => {
    remove(key);
    kept.set(key, { version, answer });
    characters += answer.text.length;
  };
  return {
    get: (key, version) => {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      if (found.version !== version) {
        remove(key);
        return undefined;
      }
      add(key, version, found.answer);
      return found.answer;
    },
    set: (key, version, answer) => {
      add(key, version, answer);
      for (const [oldest] of kept) {
        if (kept.size <= limits.answers && characters <= limits.characters) break;
        remove(oldest);
      }
    },
  };
}
