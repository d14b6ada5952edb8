/** The four protocols of providers. The answers in this file follow their documentation. */
export type Protocol = 'responses' | 'messages' | 'gemini' | 'chat';

export function protocolOf(path: string): Protocol {
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'messages';
  return path.endsWith('/chat/completions') ? 'chat' : 'gemini';
}

export const isStreaming = (path: string, body: string): boolean =>
  body !== '' &&
  (path.includes(':streamGenerateContent') || (JSON.parse(body) as { readonly stream?: boolean }).stream === true);

const USAGE = { input: 12, output: 3 };

const responseOf = (text: string, status: string) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'm',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

const geminiOf = (text: string, finished: boolean) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      ...(finished ? { finishReason: 'STOP' } : {}),
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output, totalTokenCount: 15 },
});

/** Returns a complete answer as one document. */
export function documentOf(protocol: Protocol, text: string): unknown {
  if (protocol === 'responses') return responseOf(text, 'completed');
  if (protocol === 'gemini') return geminiOf(text, true);
  if (protocol === 'messages')
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'end_turn',
      stop_sequence: null,
      content: [{ type: 'text', text }],
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    };
  return {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 15 },
  };
}

export interface StreamedAnswer {
  /** Events before any text. */
  readonly head: readonly string[];
  readonly texts: readonly string[];
  /** Events that mark the answer as complete. */
  readonly end: readonly string[];
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const named = (data: { readonly type: string }): string => event(data, data.type);

function responsesStream(texts: readonly string[]): StreamedAnswer {
  const text = texts.join('');
  const { output: items } = responseOf(text, 'completed');
  return {
    head: [
      named({
        type: 'response.created',
        response: { ...responseOf('', 'in_progress'), output: [], usage: null },
      } as never),
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] },
      } as never),
    ],
    texts: texts.map((delta) =>
      named({
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        logprobs: [],
        delta,
      } as never),
    ),
    end: [
      named({ type: 'response.output_item.done', output_index: 0, item: items[0] } as never),
      named({ type: 'response.completed', response: responseOf(text, 'completed') } as never),
    ],
  };
}

const messagesStream = (texts: readonly string[]): StreamedAnswer => ({
  head: [
    named({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: USAGE.input, output_tokens: 1 },
      },
    } as never),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
  ],
  texts: texts.map((text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
  ),
  end: [
    named({ type: 'content_block_stop', index: 0 } as never),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    } as never),
    named({ type: 'message_stop' }),
  ],
});

const chatChunk = (delta: object, finish: string | null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const chatStream = (texts: readonly string[]): StreamedAnswer => ({
  head: [event(chatChunk({ role: 'assistant', content: '' }, null))],
  texts: texts.map((content) => event(chatChunk({ content }, null))),
  end: [
    event(chatChunk({}, 'stop')),
    event({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 15 },
    }),
    event('[DONE]'),
  ],
});

/** Returns a complete answer as a stream of events. */
export function streamOf(protocol: Protocol, texts: readonly string[]): StreamedAnswer {
  if (protocol === 'responses') return responsesStream(texts);
  if (protocol === 'messages') return messagesStream(texts);
  if (protocol === 'chat') return chatStream(texts);
  const last = texts.at(-1) ?? '';
  return {
    head: [],
    texts: texts.slice(0, -1).map((text) => event(geminiOf(text, false))),
    end: [event(geminiOf(last, true))],
  };
}

/** Returns an error body in the provider's format; `told` is part of its message. */
export function errorOf(protocol: Protocol, status: number, message: string): unknown {
  if (protocol === 'messages')
    return { type: 'error', error: { type: status === 529 ? 'overloaded_error' : 'api_error', message: message } };
  if (protocol === 'gemini') return { error: { code: status, message: message, status: 'UNAVAILABLE' } };
  return { error: { message: message, type: 'server_error', param: null, code: 'server_error' } };
}

/** Returns an error as an event within a stream. */
export function errorEventOf(protocol: Protocol, message: string): string {
  if (protocol === 'messages') return event(errorOf(protocol, 529, message), 'error');
  if (protocol === 'responses')
    return named({
      type: 'error',
      sequence_number: 9,
      error: { type: 'server_error', code: 'server_error', message: message, param: null },
    } as never);
  return event(errorOf(protocol, 503, message));
}

const geminiHeldBack = {
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: USAGE.input, totalTokenCount: USAGE.input },
};

const responseHeldBack = {
  ...responseOf('', 'incomplete'),
  output: [],
  incomplete_details: { reason: 'content_filter' },
};

const messageHeldBack = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: 'refusal',
  stop_sequence: null,
  usage: { input_tokens: USAGE.input, output_tokens: 1 },
};

const chatHeldBack = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
  usage: { prompt_tokens: USAGE.input, completion_tokens: 0, total_tokens: USAGE.input },
};

/** Returns an answer that the provider's filter withheld, as a document and as a stream. */
export function heldBack(protocol: Protocol): { readonly document: unknown; readonly events: readonly string[] } {
  switch (protocol) {
    case 'gemini':
      return { document: geminiHeldBack, events: [event(geminiHeldBack)] };
    case 'chat':
      return { document: chatHeldBack, events: [event(chatChunk({}, 'content_filter')), event('[DONE]')] };
    case 'responses':
      return {
        document: responseHeldBack,
        events: [named({ type: 'response.incomplete', response: responseHeldBack } as never)],
      };
    case 'messages':
      return {
        document: messageHeldBack,
        events: [
          named({ type: 'message_start', message: { ...messageHeldBack, stop_reason: null } } as never),
          named({
            type: 'message_delta',
            delta: { stop_reason: 'refusal', stop_sequence: null },
            usage: { output_tokens: 1 },
          } as never),
          named({ type: 'message_stop' }),
        ],
      };
  }
}
