import { ExportResultCode } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from '#protocol/message-of.ts';
import { type CollectorAgent, createCollectorAgent } from './collector-agent.ts';
import type { SpanRecord } from './span-record.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';
import { toReadableSpan } from './to-readable-span.ts';

type Settings = Extract<TelemetrySettings, { readonly kind: 'on' }>;

/** The pipeline that sends spans to the collector in batches. */
export interface SpanPipeline {
  give(span: SpanRecord): void;
  /** Sends the remaining spans within `FLUSH_MS`. Returns a message about lost spans, or null. */
  close(): Promise<string | null>;
}

const FLUSH_MS = 3_000;
/**
 * The sizes of a batch and of the queue, in spans. The exporter allows 30 concurrent requests, so all batches of a full
 * queue can be sent at the same time.
 */
const BATCH = 1_024;
const QUEUE = 16 * BATCH;

/** Creates the exporter. The library reads further settings from the environment: headers, compression, attributes. */
async function createExporter({ protocol, url, timeoutMs }: Settings, agent: CollectorAgent): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, httpAgentOptions: agent.factory });
}

const resourceOf = (): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'robosmith' }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

/**
 * Returns an error as one line of at most 200 characters, without control characters, which could affect a terminal.
 */
function problemOf(error: Error | undefined): string {
  if (error === undefined) return 'no reason given';
  const { code } = error as NodeJS.ErrnoException;
  const text = error.message === '' ? (code ?? error.name) : error.message;
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}

/** Wraps an exporter to count the spans that it delivered and to keep its last error. */
function counted(exporter: SpanExporter) {
  const tally = { reached: 0, problem: null as string | null };
  const counting: SpanExporter = {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) tally.reached += spans.length;
        else tally.problem = problemOf(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  return { tally, counting };
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}

/** Opens the pipeline. Rejects if a certificate can't be read. */
export async function openSpanPipeline(settings: Settings): Promise<SpanPipeline> {
  const agent = await createCollectorAgent(settings.certificates).catch((error: unknown) => {
    throw new Error(`can't read a certificate: ${messageOf(error)}`, { cause: error });
  });
  const exporter = await createExporter(settings, agent);
  const { tally, counting } = counted(exporter);
  const processor = new BatchSpanProcessor({ exporter: counting, maxExportBatchSize: BATCH, maxQueueSize: QUEUE });
  const resource = resourceOf();
  let given = 0;

  const flush = async (): Promise<void> => {
    // This rejects with the first failed batch, while others are still being sent.
    await processor.forceFlush().catch(() => undefined);
    await exporter.forceFlush?.();
    await processor.shutdown();
  };
  return {
    give: (span) => {
      given += 1;
      processor.onEnd(toReadableSpan(span, resource));
    },
    close: async () => {
      await within(FLUSH_MS, flush());
      agent.destroy();
      const lost = given - tally.reached;
      if (lost === 0) return null;
      const why = tally.problem ?? `no answer within ${FLUSH_MS / 1000} s`;
      return `OpenTelemetry: ${lost} of ${given} spans did not reach the collector at ${settings.collector} (${why}).`;
    },
  };
}
