import { type ProviderName, PROVIDERS } from '#protocol/provider.ts';
import type { FailureClass } from '#protocol/failure-class.ts';

/** A row of the table. The first row whose conditions all hold determines the class. */
export interface ClassRow {
  readonly class: FailureClass;
  /** The providers that the row applies to. If absent, it applies to all. */
  readonly providers?: readonly ProviderName[];
  readonly statuses?: readonly number[];
  /** Matches one of the provider's error names, which are given in lower case. */
  readonly names?: RegExp;
  /**
   * Matches the provider's message. Patterns for failures that disable a key are anchored at its beginning: later parts
   * can quote the request, and a request must not be able to disable a key.
   */
  readonly message?: RegExp;
}

const ANTHROPIC: readonly ProviderName[] = ['anthropic'];
const GOOGLE: readonly ProviderName[] = ['google'];
/**
 * The providers other than Google, which sends "You exceeded your current quota" also when a limit per minute is
 * exceeded.
 */
const NOT_GOOGLE: readonly ProviderName[] = PROVIDERS.filter((one) => one !== 'google');
const OPENAI_LIKE: readonly ProviderName[] = ['openai', 'openai-compatible'];
const REFUSED = [400, 401, 402, 403, 429];

/** The rules that classify a failure by its names and messages, before the status alone is considered. */
export const CLASS_TABLE: readonly ClassRow[] = [
  // These rows come first, because waiting does not help a request that is too large.
  { class: 'context_length', names: /context_(?:length|size|window)|^(?:request_too_large|string_above_max_length)$/ },
  { class: 'context_length', statuses: [413, 429], message: /^request too large|^input tokens per request/i },
  {
    class: 'context_length',
    statuses: [400, 422, 500],
    message:
      /(?:prompt|input|request) is too long|input token count .{0,40}exceeds|\bcontext (?:window|length|size|limit)\b|\bcontext (?:the )?overflow/i,
  },

  // A refusal that compares two numbers of tokens, unless they are about the length of the answer.
  {
    class: 'context_length',
    statuses: [400, 413, 422],
    message:
      /^(?!.{0,600}(?:max_(?:completion_|output_)?tokens|(?:output|completion) tokens))(?=.{0,600}\btokens?\b).{0,300}\d{3}.{0,300}?\D\d{3}/is,
  },

  { class: 'invalid_key', names: /^(?:invalid_api_key|authentication_error|api_key_invalid|unauthenticated)$/ },
  {
    class: 'invalid_key',
    statuses: [400, 401, 403],
    message:
      /^(?:incorrect|invalid) api key|^api key (?:not valid|expired|not found)|^your api key was reported as leaked/i,
  },

  { class: 'exhausted', providers: GOOGLE, names: /^billing_disabled$/ },
  {
    class: 'exhausted',
    names: /^(?:billing_error|billing_hard_limit_reached|insufficient_credits|insufficient_balance)$/,
  },
  {
    class: 'exhausted',
    statuses: REFUSED,
    message:
      /^your credit balance is too low|^you have reached your (?:specified )?(?:workspace )?api usage limits|^insufficient (?:credits|balance|funds|quota)|^(?:this request requires more|you have no|not enough) credits|^your team .{0,80}(?:used all available credits|spending limit)|^your newly created team/i,
  },
  // Compatible servers use `insufficient_quota` for a limit per second as well; then their message mentions a rate.
  {
    class: 'rate_limited',
    providers: ['openai-compatible'],
    names: /^insufficient_quota$/,
    message: /rate|throttl|per (?:second|minute)|\b[rt]p[ms]\b|too (?:many|fast|quickly)/i,
  },
  { class: 'exhausted', names: /^insufficient_quota$/ },
  { class: 'exhausted', providers: NOT_GOOGLE, statuses: REFUSED, message: /^you exceeded your current quota/i },

  {
    class: 'quota_window',
    statuses: [429],
    names: /per(?:day|week|month)|_per_(?:day|week|month)|^usage_limit_reached$/,
  },
  {
    class: 'quota_window',
    statuses: [429],
    message:
      /per (?:day|week|month)|\b[rt]pd\b|daily (?:limit|quota)|(?:weekly|monthly) (?:limit|quota|usage)|usage limit/i,
  },

  { class: 'content_filter', names: /^(?:content_filter|content_policy_violation|responsibleaipolicyviolation)$/ },
  {
    class: 'content_filter',
    statuses: [400, 403, 422],
    message:
      /content filter|content management policy|requires moderation|^output blocked|^your request was rejected as a result of our safety/i,
  },

  { class: 'model_not_found', names: /^(?:model_not_found|not_found_error)$/ },
  {
    class: 'model_not_found',
    statuses: [400],
    message:
      /^(?:the )?model .{0,200}(?:not found|does not exist|is not (?:a valid|supported))|is not a valid model id/i,
  },

  { class: 'forbidden', names: /^(?:unsupported_country_region_territory|permission_error|permission_denied)$/ },
  { class: 'forbidden', providers: GOOGLE, statuses: [400], message: /^user location is not supported/i },
  // The project of the key lacks something, such as billing, that the project of another key may have.
  { class: 'exhausted', providers: GOOGLE, statuses: [400], names: /^failed_precondition$/ },

  { class: 'overloaded', names: /^(?:overloaded_error|overloaded|engine_overloaded|slow_down)$/ },
  { class: 'overloaded', statuses: [500, 502, 503, 529], message: /overloaded|at capacity|slow down/i },
  { class: 'rate_limited', names: /^(?:rate_limit_exceeded|rate_limit_error)$/ },
  { class: 'rate_limited', providers: GOOGLE, names: /^resource_exhausted$/ },
  { class: 'timeout', names: /^(?:timeout_error|deadline_exceeded)$/ },
  { class: 'server_error', providers: ANTHROPIC, names: /^api_error$/ },
  { class: 'server_error', providers: OPENAI_LIKE, names: /^(?:server_error|internal_server_error|internal_error)$/ },
  { class: 'server_error', providers: GOOGLE, names: /^(?:internal|unavailable)$/ },
];

export const BY_STATUS: Readonly<Record<number, FailureClass>> = {
  401: 'invalid_key',
  402: 'exhausted',
  403: 'forbidden',
  404: 'model_not_found',
  407: 'network',
  408: 'timeout',
  413: 'context_length',
  425: 'rate_limited',
  429: 'rate_limited',
  // Groq uses this status when it is at capacity.
  498: 'overloaded',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
};
