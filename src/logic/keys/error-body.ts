import { parseJsonObject } from '#protocol/json.ts';

/** The error information that all providers' bodies have in common. */
export interface ErrorBody {
  /** The provider's names of the error in lower case: `code`, `type`, `status`, reasons and quotas. */
  readonly names: readonly string[];
  readonly message: string;
  /** The status inside a body that came with 200, or in a stream event. */
  readonly status: number | null;
  /** Google's RetryInfo (`37s`), or a field with seconds or a time. */
  readonly retryDelay: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

const NAMED = ['code', 'type', 'status', 'reason', 'quotaId', 'quotaMetric', '@type'] as const;
const WAITS = ['retry_after', 'retryAfter', 'resets_in_seconds', 'resets_at', 'reset_at'] as const;

/** Reads Google's duration: a text, or seconds and nanoseconds. */
function delayOf(value: unknown): string | null {
  if (isFields(value)) return delayOf(value['seconds']);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function firstDelay(all: readonly Fields[]): string | null {
  for (const fields of all)
    for (const name of ['retryDelay', ...WAITS]) {
      const delay = delayOf(fields[name]);
      if (delay !== null) return delay;
    }
  const limit = all.map(({ headers }) => (isFields(headers) ? delayOf(headers['X-RateLimit-Reset']) : null));
  return limit.find((delay) => delay !== null) ?? null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function messageIn(all: readonly Fields[], body: string): string {
  for (const fields of all) {
    const found = text(fields['message']) || text(fields['error']) || text(fields['detail']);
    if (found !== '') return found;
  }
  return body.trim();
}

/** Parses the JSON of a body or of an event (`data: {…}`); Google wraps its errors in a list. */
function parse(body: string): Fields | null {
  const start = body.indexOf('{');
  if (start < 0) return null;
  return parseJsonObject(body.slice(start, body.lastIndexOf('}') + 1));
}

const statusOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 400 && value <= 599 ? value : null;

/** Returns whether a body, or the data of an event, reports an error, whatever its HTTP status. */
export function isErrorBody(body: string): boolean {
  const whole = parse(body);
  if (whole === null) return false;
  const { error, type, response } = whole;
  return (
    isFields(error) || text(error) !== '' || type === 'error' || (isFields(response) && isFields(response['error']))
  );
}

/** Reads the body of an error response. A body that is not JSON is used as the message. */
export function readErrorBody(body: string): ErrorBody {
  const whole = parse(body);
  if (whole === null) return { names: [], message: body.trim(), status: null, retryDelay: null };
  const response = isFields(whole['response']) ? whole['response'] : null;
  const error = [whole['error'], response?.['error']].find(isFields) ?? null;
  const top = error === null ? [whole] : [error, whole];
  const details = fieldsIn(error?.['details']);
  const inner = details.flatMap((detail) => fieldsIn(detail['violations']));
  const metadata = error !== null && isFields(error['metadata']) ? [error['metadata']] : [];
  const all = [...top, ...details, ...inner, ...metadata];
  const names = all.flatMap((fields) => NAMED.map((name) => text(fields[name]).toLowerCase()).filter(Boolean));
  const status = top
    .map((fields) => statusOf(fields['code']) ?? statusOf(fields['status']))
    .find((one) => one !== null);
  return { names, message: messageIn(top, body), status: status ?? null, retryDelay: firstDelay(all) };
}
