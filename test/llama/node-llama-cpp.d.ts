/** The part of the package that the tests use. Only run.ts installs the package, so its own types may be missing. */
declare module 'node-llama-cpp' {
  export type Token = number & { readonly __token: never };

  export interface Tokenizer {
    (text: string): Token[];
  }

  export interface LlamaModel {
    readonly tokenizer: Tokenizer;
    detokenize(tokens: readonly Token[]): string;
    isEogToken(token: Token): boolean;
    createContext(options: {
      readonly sequences: number;
      readonly contextSize: number;
      readonly threads: number;
    }): Promise<LlamaContext>;
  }

  export interface LlamaContext {
    readonly contextSize: number;
    getSequence(): LlamaContextSequence;
  }

  export interface LlamaContextSequence {
    clearHistory(): Promise<void>;
    evaluate(
      tokens: readonly Token[],
      options: {
        readonly temperature: number;
        readonly seed: number;
        readonly tokenBias: TokenBias;
        readonly grammarEvaluationState: LlamaGrammarEvaluationState;
        readonly yieldEogToken: true;
      },
    ): AsyncIterable<Token>;
  }

  export interface LlamaGrammar {
    readonly grammar: string;
  }

  export interface LlamaGrammarEvaluationState {
    clone(): LlamaGrammarEvaluationState;
  }

  export const LlamaGrammarEvaluationState: new (options: {
    readonly model: LlamaModel;
    readonly grammar: LlamaGrammar;
  }) => LlamaGrammarEvaluationState;

  export class TokenBias {
    constructor(tokenizer: Tokenizer);
    set(token: Token, bias: 'never'): this;
  }

  export interface Llama {
    loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
    createGrammar(options: { readonly grammar: string }): Promise<LlamaGrammar>;
    createGrammarForJsonSchema(schema: unknown): Promise<LlamaGrammar>;
  }

  export type ChatHistoryItem =
    | { readonly type: 'system' | 'user'; readonly text: string }
    | { readonly type: 'model'; readonly response: readonly string[] };

  export interface ChatWrapper {
    generateContextState(options: { readonly chatHistory: readonly ChatHistoryItem[] }): {
      readonly contextText: { tokenize(tokenizer: Tokenizer): Token[] };
    };
  }

  export function resolveChatWrapper(model: LlamaModel): ChatWrapper;

  export function getLlama(options: {
    readonly gpu: false;
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logLevel: 'error';
  }): Promise<Llama>;
}
