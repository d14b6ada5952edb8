import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';
import type { FailureClass } from '#protocol/failure-class.ts';

/** The current time in this table: 2026-11-21 12:00:00 UTC. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** A failure in a provider's wording, and its expected classification. */
export interface VendorFailure {
  readonly name: string;
  readonly provider: ProviderName;
  readonly facts: AttemptFacts;
  readonly class: FailureClass;
  /** The expected wait in milliseconds after `NOON`; null if the provider states none. */
  readonly waitMs: number | null;
}

type Answer = Partial<Pick<AttemptFacts, 'headers' | 'phase' | 'begun' | 'error'>>;

const answer = (status: number | null, body: unknown, more: Answer = {}): AttemptFacts => ({
  phase: 'answer',
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
  error: 'AI_APICallError',
  begun: false,
  ...more,
});

const row = (
  name: string,
  provider: ProviderName,
  facts: AttemptFacts,
  failure: FailureClass,
  waitMs: number | null = null,
): VendorFailure => ({ name, provider, facts, class: failure, waitMs });

const openAiError = (message: string, type: string, code: string | null, param: string | null = null) => ({
  error: { message, type, param, code },
});

const TPM =
  'Rate limit reached for gpt-5.5 in organization org-abc on tokens per min (TPM): Limit 30000, Used 29500, Requested 900. Please try again in 800ms. Visit https://platform.openai.com/account/rate-limits to learn more.';
const RPD =
  'Rate limit reached for gpt-5.5 in organization org-abc on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.';
const NO_QUOTA =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.';
const TOO_LARGE =
  'Request too large for gpt-5.5 in organization org-abc on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.';

const OPENAI: readonly VendorFailure[] = [
  row(
    'tokens a minute, told in words',
    'openai',
    answer(429, openAiError(TPM, 'tokens', 'rate_limit_exceeded')),
    'rate_limited',
    800,
  ),
  row(
    'tokens a minute, told in milliseconds',
    'openai',
    answer(429, openAiError(TPM, 'tokens', 'rate_limit_exceeded'), {
      headers: { 'retry-after-ms': '812', 'retry-after': '1' },
    }),
    'rate_limited',
    812,
  ),
  row(
    'reset headers: only what has run out counts',
    'openai',
    answer(429, openAiError('Rate limit reached.', 'requests', 'rate_limit_exceeded'), {
      headers: {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m2.5s',
        'x-ratelimit-remaining-tokens': '29000',
        'x-ratelimit-reset-tokens': '6m0s',
      },
    }),
    'rate_limited',
    62_500,
  ),
  row(
    'requests a day',
    'openai',
    answer(429, openAiError(RPD, 'requests', 'rate_limit_exceeded')),
    'quota_window',
    432_000,
  ),
  row(
    'no quota, as 429',
    'openai',
    answer(429, openAiError(NO_QUOTA, 'insufficient_quota', 'insufficient_quota')),
    'exhausted',
  ),
  row(
    'hard limit of billing, as 400',
    'openai',
    answer(
      400,
      openAiError('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'),
    ),
    'exhausted',
  ),
  row(
    'too large for a minute, as 429',
    'openai',
    answer(429, openAiError(TOO_LARGE, 'tokens', 'rate_limit_exceeded')),
    'context_length',
  ),
  row(
    'wrong key',
    'openai',
    answer(401, openAiError('Incorrect API key provided: sk-ab***yz.', 'invalid_request_error', 'invalid_api_key')),
    'invalid_key',
  ),
  row(
    'no member of an organization',
    'openai',
    answer(401, openAiError('You must be a member of an organization to use the API', 'invalid_request_error', null)),
    'invalid_key',
  ),
  row(
    'country',
    'openai',
    answer(
      403,
      openAiError(
        'Country, region, or territory not supported',
        'request_forbidden',
        'unsupported_country_region_territory',
      ),
    ),
    'forbidden',
  ),
  row(
    'model',
    'openai',
    answer(
      404,
      openAiError(
        'The model `gpt-99` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
    ),
    'model_not_found',
  ),
  row(
    'context',
    'openai',
    answer(
      400,
      openAiError(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        'invalid_request_error',
        'context_length_exceeded',
        'messages',
      ),
    ),
    'context_length',
  ),
  row(
    'bad parameter',
    'openai',
    answer(
      400,
      openAiError(
        "Unsupported value: 'temperature' does not support 0.2 with this model.",
        'invalid_request_error',
        'unsupported_value',
        'temperature',
      ),
    ),
    'bad_request',
  ),
  row(
    'a request that quotes what a spent key would say',
    'openai',
    answer(
      400,
      openAiError(
        'Invalid prompt: "Your credit balance is too low, insufficient_quota"',
        'invalid_request_error',
        null,
      ),
    ),
    'bad_request',
  ),
  row(
    'content policy',
    'openai',
    answer(
      400,
      openAiError(
        'Your request was rejected as a result of our safety system.',
        'image_generation_user_error',
        'content_policy_violation',
      ),
    ),
    'content_filter',
  ),
  row(
    'server',
    'openai',
    answer(
      500,
      openAiError('The server had an error while processing your request. Sorry about that!', 'server_error', null),
    ),
    'server_error',
  ),
  row(
    'overloaded',
    'openai',
    answer(503, openAiError('The engine is currently overloaded, please try again later', 'server_error', null), {
      headers: { 'Retry-After': '3' },
    }),
    'overloaded',
    3_000,
  ),
  row(
    'an error event in the stream',
    'openai',
    answer(
      200,
      {
        type: 'response.failed',
        response: { error: { code: 'rate_limit_exceeded', message: 'Please try again in 2s.' } },
      },
      { phase: 'stream' },
    ),
    'rate_limited',
    2_000,
  ),
  row(
    'an error event after text',
    'openai',
    answer(
      200,
      { type: 'error', error: { type: 'server_error', code: null, message: 'The server had an error' } },
      { phase: 'stream', begun: true },
    ),
    'server_error',
  ),
];

const anthropic = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011',
});

const ANTHROPIC: readonly VendorFailure[] = [
  row(
    'rate limit with seconds',
    'anthropic',
    answer(
      429,
      anthropic(
        'rate_limit_error',
        "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
      ),
      { headers: { 'retry-after': '37' } },
    ),
    'rate_limited',
    37_000,
  ),
  row(
    'rate limit with reset headers',
    'anthropic',
    answer(429, anthropic('rate_limit_error', "This request would exceed your organization's rate limit."), {
      headers: {
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-11-21T18:00:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-21T12:00:41Z',
      },
    }),
    'rate_limited',
    41_000,
  ),
  row(
    'a date, hours away',
    'anthropic',
    answer(429, anthropic('rate_limit_error', 'Number of requests has exceeded your limit.'), {
      headers: { 'retry-after': 'Sat, 21 Nov 2026 17:00:00 GMT' },
    }),
    'quota_window',
    18_000_000,
  ),
  row(
    'no credit, as 400',
    'anthropic',
    answer(
      400,
      anthropic(
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
    ),
    'exhausted',
  ),
  row(
    'usage limit, as 400, with a date in words',
    'anthropic',
    answer(
      400,
      anthropic(
        'invalid_request_error',
        'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      ),
    ),
    'exhausted',
    9.5 * 86_400_000,
  ),
  row(
    'billing',
    'anthropic',
    answer(402, anthropic('billing_error', 'There is an issue with your billing.')),
    'exhausted',
  ),
  row('wrong key', 'anthropic', answer(401, anthropic('authentication_error', 'invalid x-api-key')), 'invalid_key'),
  row(
    'permission',
    'anthropic',
    answer(403, anthropic('permission_error', 'Your API key does not have permission to use the specified resource.')),
    'forbidden',
  ),
  row('model', 'anthropic', answer(404, anthropic('not_found_error', 'model: claude-99')), 'model_not_found'),
  row(
    'too large',
    'anthropic',
    answer(413, anthropic('request_too_large', 'Request exceeds the maximum size')),
    'context_length',
  ),
  row(
    'context',
    'anthropic',
    answer(400, anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
    'context_length',
  ),
  row(
    'context with its output',
    'anthropic',
    answer(
      400,
      anthropic(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      ),
    ),
    'context_length',
  ),
  row(
    'bad request',
    'anthropic',
    answer(400, anthropic('invalid_request_error', 'messages: at least one message is required')),
    'bad_request',
  ),
  row(
    'filtered',
    'anthropic',
    answer(400, anthropic('invalid_request_error', 'Output blocked by content filtering policy')),
    'content_filter',
  ),
  row('overloaded', 'anthropic', answer(529, anthropic('overloaded_error', 'Overloaded')), 'overloaded'),
  row(
    'overloaded, in the stream',
    'anthropic',
    answer(200, `event: error\ndata: ${JSON.stringify(anthropic('overloaded_error', 'Overloaded'))}`, {
      phase: 'stream',
    }),
    'overloaded',
  ),
  row('server', 'anthropic', answer(500, anthropic('api_error', 'Internal server error')), 'server_error'),
  row('its own time limit', 'anthropic', answer(504, anthropic('timeout_error', 'Request timed out')), 'timeout'),
];

const google = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, message, status, details },
});
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const quota = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId }],
});
const retryInfo = (retryDelay: unknown) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
const reason = (name: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name });

const GOOGLE: readonly VendorFailure[] = [
  row(
    'a minute, told in the body',
    'google',
    answer(
      429,
      google(429, 'RESOURCE_EXHAUSTED', QUOTA, [
        quota('GenerateRequestsPerMinutePerProjectPerModel'),
        retryInfo('37.5s'),
      ]),
    ),
    'rate_limited',
    37_500,
  ),
  row(
    'a duration as an object',
    'google',
    answer(429, google(429, 'RESOURCE_EXHAUSTED', QUOTA, [retryInfo({ seconds: 12 })])),
    'rate_limited',
    12_000,
  ),
  row(
    'in a list',
    'google',
    answer(429, [google(429, 'RESOURCE_EXHAUSTED', QUOTA, [retryInfo('5s')])]),
    'rate_limited',
    5_000,
  ),
  row(
    'a day',
    'google',
    answer(
      429,
      google(429, 'RESOURCE_EXHAUSTED', QUOTA, [
        quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
        retryInfo('37s'),
      ]),
    ),
    'quota_window',
    37_000,
  ),
  row(
    'wrong key, as 400',
    'google',
    answer(
      400,
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [reason('API_KEY_INVALID')]),
    ),
    'invalid_key',
  ),
  row(
    'expired key, as 400',
    'google',
    answer(400, google(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.')),
    'invalid_key',
  ),
  row(
    'leaked key',
    'google',
    answer(403, google(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked. Please use another API key.')),
    'invalid_key',
  ),
  row(
    'no billing',
    'google',
    answer(
      403,
      google(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', [reason('BILLING_DISABLED')]),
    ),
    'exhausted',
  ),
  row(
    'permission',
    'google',
    answer(403, google(403, 'PERMISSION_DENIED', 'The caller does not have permission')),
    'forbidden',
  ),
  row(
    'location',
    'google',
    answer(400, google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.')),
    'forbidden',
  ),
  row(
    'billing, as a precondition',
    'google',
    answer(400, google(400, 'FAILED_PRECONDITION', 'Billing hard limit has been reached.')),
    'exhausted',
  ),
  row(
    'no free tier in this country',
    'google',
    answer(400, google(400, 'FAILED_PRECONDITION', 'The free tier is not available in your country. Enable billing.')),
    'exhausted',
  ),
  row(
    'model',
    'google',
    answer(404, google(404, 'NOT_FOUND', 'models/gemini-99 is not found for API version v1beta')),
    'model_not_found',
  ),
  row(
    'context',
    'google',
    answer(
      400,
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
    ),
    'context_length',
  ),
  row(
    'bad request',
    'google',
    answer(400, google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.')),
    'bad_request',
  ),
  row(
    'overloaded',
    'google',
    answer(503, google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')),
    'overloaded',
  ),
  row('server', 'google', answer(500, google(500, 'INTERNAL', 'An internal error has occurred.')), 'server_error'),
  row(
    'its own time limit',
    'google',
    answer(504, google(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.')),
    'timeout',
  ),
];

const compatible = (name: string, facts: AttemptFacts, failure: FailureClass, waitMs: number | null = null) =>
  row(name, 'openai-compatible', facts, failure, waitMs);

const COMPATIBLE: readonly VendorFailure[] = [
  compatible(
    'OpenRouter: no credit',
    answer(402, {
      error: { code: 402, message: 'Insufficient credits. Add more using https://openrouter.ai/credits' },
    }),
    'exhausted',
  ),
  compatible(
    'OpenRouter: free models a day',
    answer(429, {
      error: {
        code: 429,
        message: 'Rate limit exceeded: free-models-per-day',
        metadata: {
          headers: {
            'X-RateLimit-Limit': '50',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': String(NOON + 43_200_000),
          },
        },
      },
    }),
    'quota_window',
    43_200_000,
  ),
  compatible(
    'OpenRouter: moderation',
    answer(403, {
      error: { code: 403, message: 'anthropic/claude requires moderation on Anthropic. Your input was flagged' },
    }),
    'content_filter',
  ),
  compatible(
    'OpenRouter: an error under 200',
    answer(200, { error: { code: 502, message: 'Provider returned error' } }),
    'server_error',
  ),
  compatible(
    'DeepSeek: no balance',
    answer(402, { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } }),
    'exhausted',
  ),
  compatible(
    'DashScope: a throttle that is called insufficient_quota',
    answer(
      429,
      openAiError('You exceeded your current request rate limit.', 'insufficient_quota', 'insufficient_quota'),
    ),
    'rate_limited',
  ),
  compatible(
    'xAI: wrong key, as 400',
    answer(400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***yz.' }),
    'invalid_key',
  ),
  compatible(
    'xAI: no credits, as 403',
    answer(403, {
      code: 'The caller does not have permission',
      error: 'Your newly created team doesn’t have any credits yet.',
    }),
    'exhausted',
  ),
  compatible('Mistral: wrong key', answer(401, { message: 'Unauthorized', request_id: 'x' }), 'invalid_key'),
  compatible(
    'Groq: too large',
    answer(
      413,
      openAiError(
        'Request too large for model `llama` on tokens per minute (TPM): Limit 6000',
        'tokens',
        'rate_limit_exceeded',
      ),
    ),
    'context_length',
  ),
  compatible('Groq: at capacity', answer(498, { error: { message: 'Flex tier capacity exceeded' } }), 'overloaded'),
  compatible(
    'Ollama: no such model',
    answer(404, { error: { message: 'model "llama9" not found, try pulling it first', type: 'api_error' } }),
    'model_not_found',
  ),
  compatible(
    'vLLM: context',
    answer(400, {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens.",
      type: 'BadRequestError',
      code: 400,
    }),
    'context_length',
  ),
  compatible(
    'LM Studio: context',
    answer(400, {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    }),
    'context_length',
  ),
  compatible(
    'LM Studio: context overflow',
    answer(400, {
      error:
        'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    }),
    'context_length',
  ),
  compatible(
    'llama.cpp: context, by its name',
    answer(400, {
      error: {
        code: 400,
        message: 'the request is too long',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    }),
    'context_length',
  ),
  compatible(
    'a gateway’s page',
    answer(502, '<html><head><title>502 Bad Gateway</title></head></html>'),
    'server_error',
  ),
  compatible('a request that took too long to come', answer(408, ''), 'timeout'),
  compatible('Cloudflare: origin took too long', answer(524, 'error code: 524'), 'timeout'),
  compatible(
    'a page instead of an answer',
    answer(200, '<html>Sign in to the hotel’s network</html>', {
      error: 'AI_APICallError: Invalid JSON response (AI_JSONParseError)',
    }),
    'malformed',
  ),
  compatible('something else in JSON', answer(200, { hello: 1 }, { error: 'AI_TypeValidationError' }), 'malformed'),
  compatible(
    'weekly limit in hours',
    answer(429, { error: { message: 'Weekly limit reached, resets in 26 hours 5 minutes' } }),
    'quota_window',
    93_900_000,
  ),
  compatible(
    'minutes, many',
    answer(429, { error: { message: 'Too many requests. Try again in ~162 min' } }),
    'quota_window',
    9_720_000,
  ),
  compatible(
    'a field with seconds',
    answer(429, { error: { message: 'slow', retry_after: 9 } }),
    'rate_limited',
    9_000,
  ),
  compatible(
    'a moment in seconds',
    answer(429, { error: { message: 'wait' } }, { headers: { 'x-ratelimit-reset': String(NOON / 1_000 + 20) } }),
    'rate_limited',
    20_000,
  ),
  compatible('a bare 429', answer(429, ''), 'rate_limited'),
  compatible('a wait that is no number', answer(429, '', { headers: { 'retry-after': 'soon' } }), 'rate_limited'),
];

const broken = (name: string, facts: Partial<AttemptFacts>, failure: FailureClass): readonly VendorFailure[] =>
  (['openai', 'anthropic', 'google', 'openai-compatible'] as const).map((provider) =>
    row(
      name,
      provider,
      { phase: 'connect', status: null, headers: {}, body: '', error: '', begun: false, ...facts },
      failure,
    ),
  );

const CONNECTION: readonly VendorFailure[] = [
  ...broken('refused', { error: 'Error ECONNREFUSED' }, 'network'),
  ...broken('reset before an answer', { error: 'SocketError UND_ERR_SOCKET' }, 'network'),
  ...broken('no such host', { error: 'Error ENOTFOUND' }, 'dns'),
  ...broken('no name server', { error: 'Error EAI_AGAIN' }, 'dns'),
  ...broken('expired certificate', { error: 'Error CERT_HAS_EXPIRED' }, 'tls'),
  ...broken('unknown certificate', { error: 'Error SELF_SIGNED_CERT_IN_CHAIN' }, 'tls'),
  ...broken('our own time limit', { phase: 'answer', error: 'TimeoutError' }, 'timeout'),
  ...broken('a stall in the stream', { phase: 'stream', status: 200, begun: true, error: 'TimeoutError' }, 'timeout'),
  ...broken(
    'cut after text',
    { phase: 'stream', status: 200, begun: true, error: 'TypeError terminated' },
    'stream_cut',
  ),
  ...broken('cut before text', { phase: 'stream', status: 200, error: 'Error ECONNRESET' }, 'stream_cut'),
  ...broken('broken JSON in the stream', { phase: 'stream', status: 200, error: 'AI_JSONParseError' }, 'malformed'),
];

export const VENDOR_FAILURES: readonly VendorFailure[] = [
  ...OPENAI,
  ...ANTHROPIC,
  ...GOOGLE,
  ...COMPATIBLE,
  ...CONNECTION,
];
