import {
  type ChatHistoryItem,
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  resolveChatWrapper,
  type Token,
  TokenBias,
} from 'node-llama-cpp';

export interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The JSON schema of the answer; null for plain words. */
  readonly schema: unknown;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
}

export interface Answered {
  readonly text: string;
  readonly finish: 'stop' | 'length';
  readonly prompt: number;
  readonly completion: number;
}

/**
 * A grammar that restricts the model to words. Without it, random weights never end an answer and generate mostly bytes
 * that are not text.
 */
const WORDS = 'root ::= word ([ ] word){7,11}\nword ::= [a-z]{2,7}';

const historyOf = (messages: Asked['messages']): readonly ChatHistoryItem[] => [
  ...messages.map(({ role, content }): ChatHistoryItem => {
    if (role === 'assistant') return { type: 'model', response: [content] };
    return { type: role === 'system' ? 'system' : 'user', text: content };
  }),
  { type: 'model', response: [] },
];

/** Empty lines that mark the end of an answer in the grammar of a schema. */
const END = '\n\n\n\n';

/** The tokens are `<unk>`, `<s>`, `</s>` and then one per byte. */
const [FIRST_BYTE, ASCII, BYTES] = [3, 128, 256];

/**
 * Excludes bytes above ASCII. Grammars accept invalid UTF-8, whose decoded text would be longer than the schema allows.
 */
function onlyAscii({ tokenizer }: LlamaModel): TokenBias {
  const bias = new TokenBias(tokenizer);
  for (let byte = ASCII; byte < BYTES; byte += 1) bias.set((FIRST_BYTE + byte) as Token, 'never');
  return bias;
}

async function* spoken(model: LlamaModel, tokens: AsyncIterable<Token>) {
  const all: Token[] = [];
  for await (const token of tokens) {
    all.push(token);
    const text = model.detokenize(all);
    const ended = model.isEogToken(token) || text.endsWith(END);
    yield { text: ended ? text.trimEnd() : text, count: all.length, ended };
    if (ended) return;
  }
}

/** Creates the grammar of an answer. It throws if the requested schema is not supported. */
const grammarFor = (llama: Llama, schema: unknown) =>
  schema === null ? llama.createGrammar({ grammar: WORDS }) : llama.createGrammarForJsonSchema(schema);

/** Loads a model that can answer as many requests at once as it has slots. */
export async function openInference(file: string, slots: number, contextSize: number) {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: 'error',
  });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ sequences: slots, contextSize, threads: 1 });
  const chat = resolveChatWrapper(model);
  const tokenBias = onlyAscii(model);
  const free = Array.from({ length: slots }, () => context.getSequence());

  const speak = async (
    slot: LlamaContextSequence,
    { messages, schema, maxTokens, temperature, seed }: Asked,
    onText: (text: string) => Promise<void>,
  ): Promise<Answered | null> => {
    const grammar = await grammarFor(llama, schema);
    const { contextText } = chat.generateContextState({ chatHistory: historyOf(messages) });
    const prompt = contextText.tokenize(model.tokenizer);
    if (prompt.length + maxTokens > contextSize) return null;
    await slot.clearHistory();
    const tokens = slot.evaluate(prompt, {
      temperature,
      seed,
      tokenBias,
      yieldEogToken: true,
      grammarEvaluationState: new LlamaGrammarEvaluationState({ model, grammar }),
    });
    let shown = '';
    for await (const { text, count, ended } of spoken(model, tokens)) {
      const usage = { prompt: prompt.length, completion: count };
      // Trailing white space is held back, because it may belong to the end mark.
      const sure = ended ? text : text.trimEnd();
      if (sure.length > shown.length) {
        await onText(sure.slice(shown.length));
        shown = sure;
      }
      if (ended) return { text, finish: 'stop', ...usage };
      if (count === maxTokens) return { text: shown, finish: 'length', ...usage };
    }
    throw new Error('the model ended without an end');
  };

  return {
    isFull: (): boolean => free.length === 0,
    /** Returns null if prompt and answer exceed the context. An error thrown by `onText` ends the answer. */
    answer: async (asked: Asked, onText: (text: string) => Promise<void>): Promise<Answered | null> => {
      const slot = free.pop();
      if (slot === undefined) throw new Error('all slots are full');
      try {
        return await speak(slot, asked, onText);
      } finally {
        free.push(slot);
      }
    },
  };
}
