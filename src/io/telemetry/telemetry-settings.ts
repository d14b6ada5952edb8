type Environment = Readonly<Record<string, string | undefined>>;

/** The destination of spans, read from the environment variables of the OpenTelemetry specification. */
export type TelemetrySettings =
  | { readonly kind: 'off' }
  /** Export is requested but not possible; `problem` is a sentence. */
  | { readonly kind: 'unusable'; readonly problem: string }
  | {
      readonly kind: 'on';
      readonly protocol: 'http/json' | 'http/protobuf';
      /** The URL of requests: the endpoint for traces, or else the general endpoint with `/v1/traces`. */
      readonly url: string;
      /** The collector's origin for messages, without path and credentials. */
      readonly collector: string;
      readonly timeoutMs: number;
      /** The share of traces that is exported, from 0 to 1. */
      readonly ratio: number;
      readonly certificates: CertificateFiles;
    };

export interface CertificateFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/**
 * The maximum duration of an export with its retries, in milliseconds. It is shorter than the final flush, so that no
 * export outlives it.
 */
const LONGEST_EXPORT_MS = 2_500;

const said = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim() ?? '';
  return value === '' ? null : value;
};

/** Returns a setting; the variable for traces overrides the one for all signals. */
const forTraces = (env: Environment, name: string): string | null =>
  said(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? said(env, `OTEL_EXPORTER_OTLP_${name}`);

/**
 * Returns the share of traces to export. A run has no parent span, so `parentbased_` samplers treat it as a root. If
 * the sampler or its argument is unknown, all traces are exported.
 */
function ratioOf(env: Environment): number {
  const sampler = said(env, 'OTEL_TRACES_SAMPLER')?.replace(/^parentbased_/, '');
  if (sampler === 'always_off') return 0;
  const ratio = Number(said(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1);
  return sampler === 'traceidratio' && ratio >= 0 && ratio <= 1 ? ratio : 1;
}

const isOff = (env: Environment): boolean =>
  said(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' ||
  said(env, 'OTEL_TRACES_EXPORTER') === 'none' ||
  ratioOf(env) === 0;

const unusable = (problem: string): TelemetrySettings => ({
  kind: 'unusable',
  problem: `OpenTelemetry: nothing is exported: ${problem}`,
});

const isHttp = (endpoint: string): boolean =>
  URL.canParse(endpoint) && ['http:', 'https:'].includes(new URL(endpoint).protocol);

function urlOf(env: Environment, endpoint: string): URL {
  const url = new URL(endpoint);
  if (said(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') === null)
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url;
}

function timeoutOf(env: Environment): number {
  const wanted = Number(forTraces(env, 'TIMEOUT') ?? LONGEST_EXPORT_MS);
  return wanted > 0 ? Math.min(wanted, LONGEST_EXPORT_MS) : LONGEST_EXPORT_MS;
}

export function readTelemetrySettings(env: Environment): TelemetrySettings {
  const endpoint = forTraces(env, 'ENDPOINT');
  if (endpoint === null || isOff(env)) return { kind: 'off' };
  const protocol = forTraces(env, 'PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf')
    return unusable(
      `the protocol ${protocol} is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and the endpoint to the collector's HTTP port (4318 by default).`,
    );
  if (!isHttp(endpoint))
    return unusable('the endpoint is not an http:// or https:// URL; correct OTEL_EXPORTER_OTLP_ENDPOINT.');
  const certificates = {
    ca: forTraces(env, 'CERTIFICATE'),
    cert: forTraces(env, 'CLIENT_CERTIFICATE'),
    key: forTraces(env, 'CLIENT_KEY'),
  };
  const { href, origin } = urlOf(env, endpoint);
  const timeoutMs = timeoutOf(env);
  return { kind: 'on', protocol, url: href, collector: origin, timeoutMs, ratio: ratioOf(env), certificates };
}
