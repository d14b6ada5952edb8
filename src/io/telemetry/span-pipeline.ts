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

/** Spans on their way to the collector. */
export interface SpanPipeline {
  give(span: SpanRecord): void;
  /** Sends what is left, for at most `FLUSH_MS`. Null, or the sentence that says what was lost. */
  close(): Promise<string | null>;
}

const FLUSH_MS = 3_000;
/** All batches of a full queue can be under way at once: the exporter takes 30. */
const BATCH = 1_024;
const QUEUE = 16 * BATCH;

/** The library reads the rest of what the environment says: headers, compression, attributes. */
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

/** In one line, without what a collector could do to a terminal. */
function problemOf(error: Error | undefined): string {
  if (error === undefined) return 'no reason given';
  const { code } = error as NodeJS.ErrnoException;
  const text = error.message === '' ? (code ?? error.name) : error.message;
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}

/** The exporter, and what became of what it was given. */
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

/** Rejects when it can't be made: certificates that can't be read. */
export async function openSpanPipeline(settings: Settings): Promise<SpanPipeline> {
  const agent = await createCollectorAgent(settings.certificates).catch((error: unknown) => {
    throw new Error(`a certificate cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const exporter = await createExporter(settings, agent);
  const { tally, counting } = counted(exporter);
  const processor = new BatchSpanProcessor({ exporter: counting, maxExportBatchSize: BATCH, maxQueueSize: QUEUE });
  const resource = resourceOf();
  let given = 0;

  const flush = async (): Promise<void> => {
    // It rejects with the first batch that fails; the others are still on their way.
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
