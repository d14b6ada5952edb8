import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { telemetryFromEnvironment } from '#engine/telemetry.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { EPOCH } from '../../../unit/engine/small-workflow.ts';
import { type Collector, startCollector } from '../../../support/collector.ts';
import { resourceOf, spansIn } from '../../../support/otlp-json.ts';
import { spansIn as protobufSpansIn } from './otlp-protobuf.ts';
import { ROOT, RUN, TRACE, tracedRun } from './traced-run.ts';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.close();
});

const set = (variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

/** Runs a workflow with the exporter that the environment configures, and returns its final message. */
async function exportRun(): Promise<string | null> {
  const telemetry = await telemetryFromEnvironment(process.env);
  if (telemetry === null) throw new Error('nothing asks for an exporter');
  const response = await tracedRun(telemetry.listener);
  expect(response.success).toBe(true);
  return telemetry.close();
}

const onlyExport = () => {
  const [sent, ...more] = collector.exports;
  expect(more).toEqual([]);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
};

const attempt = (node: string, block: string, frame: string, number: number) => ({
  'robosmith.run_id': RUN,
  'robosmith.node': node,
  'robosmith.block': block,
  'robosmith.frame': frame,
  'robosmith.visit': 1,
  'robosmith.attempt': number,
  'robosmith.side_effect_class': 'idempotent',
  'robosmith.worker': 'Worker:X',
});

const halt = { 'robosmith.block': 'Main__Ask', 'robosmith.frame': '/', 'robosmith.halt_id': 'h1' };

const fine = { code: 0 };

test('a run is a span, and every execution of a block one below it', async () => {
  verifies('engine.metadata.otel');
  set({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  expect(await exportRun()).toBeNull();
  const sent = onlyExport();
  expect([sent.url, sent.headers['content-type']]).toEqual(['/v1/traces', 'application/json']);
  expect(spansIn(sent, EPOCH)).toEqual([
    {
      traceId: TRACE,
      spanId: '0b0b0b0b00000001',
      parentSpanId: ROOT,
      name: 'Main__Ask',
      start: 0,
      end: 10,
      status: fine,
      attributes: { ...attempt('Main', 'Main__Ask', '/', 1), 'robosmith.signal': 'SIGNAL:SUCCESS' },
      events: [],
    },
    {
      traceId: TRACE,
      spanId: '0b0b0b0b00000002',
      parentSpanId: '0b0b0b0b00000001',
      name: 'Sub__Work',
      start: 10,
      end: 15,
      status: { code: 2, message: 'worker_error: Worker:X: out of paper' },
      attributes: { ...attempt('Sub', 'Sub__Work', '/Main__Ask#1', 1), 'error.type': 'worker_error' },
      events: [['recovery.retry', 15, { 'robosmith.reason': 'worker_error', 'robosmith.delay_ms': 100 }]],
    },
    {
      traceId: TRACE,
      spanId: '0b0b0b0b00000003',
      parentSpanId: '0b0b0b0b00000001',
      name: 'Sub__Work',
      start: 115,
      end: 135,
      status: fine,
      attributes: { ...attempt('Sub', 'Sub__Work', '/Main__Ask#1', 2), 'robosmith.signal': 'SIGNAL:SUCCESS' },
      events: [],
    },
    {
      traceId: TRACE,
      spanId: '0b0b0b0b00000004',
      parentSpanId: ROOT,
      name: 'Main__End',
      start: 135,
      end: 165,
      status: fine,
      attributes: { ...attempt('Main', 'Main__End', '/', 1), 'robosmith.signal': 'SIGNAL:FAILURE' },
      events: [],
    },
    {
      traceId: TRACE,
      spanId: ROOT,
      parentSpanId: null,
      name: 'run Main',
      start: 0,
      end: 165,
      status: fine,
      attributes: {
        'robosmith.run_id': RUN,
        'robosmith.node': 'Main',
        'robosmith.block': 'Main__Ask',
        'robosmith.outcome': 'completed',
        'robosmith.steps': 3,
      },
      events: [
        ['block.halted', 0, { ...halt, 'robosmith.why': 'gate' }],
        ['block.answered', 0, { ...halt, 'robosmith.answer': 'proceed' }],
      ],
    },
  ]);
});

test('protobuf is what is spoken when nothing is said', async () => {
  verifies('engine.metadata.otel');
  set({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.address}/own/path` });
  expect(await exportRun()).toBeNull();
  const sent = onlyExport();
  expect([sent.url, sent.headers['content-type']]).toEqual(['/own/path', 'application/x-protobuf']);
  const spans = protobufSpansIn(sent, EPOCH);
  expect(spans.map(({ name, start, end, status }) => [name, start, end, status])).toEqual([
    ['Main__Ask', 0, 10, 0],
    ['Sub__Work', 10, 15, 2],
    ['Sub__Work', 115, 135, 0],
    ['Main__End', 135, 165, 0],
    ['run Main', 0, 165, 0],
  ]);
  expect(spans.map(({ traceId, spanId, parentSpanId }) => [traceId, spanId, parentSpanId])).toEqual([
    [TRACE, '0b0b0b0b00000001', ROOT],
    [TRACE, '0b0b0b0b00000002', '0b0b0b0b00000001'],
    [TRACE, '0b0b0b0b00000003', '0b0b0b0b00000001'],
    [TRACE, '0b0b0b0b00000004', ROOT],
    [TRACE, ROOT, ''],
  ]);
  expect(spans[0]?.attributes).toContain('robosmith.signal');
  expect(spans.at(-1)?.events).toEqual(['block.halted', 'block.answered']);
});

describe('the environment', () => {
  test('names the service, its attributes and the headers of the request', async () => {
    set({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'night shift',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%2Cb',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=secret',
    });
    expect(await exportRun()).toBeNull();
    const sent = onlyExport();
    expect(sent.headers['x-token']).toBe('secret');
    expect(resourceOf(sent)).toMatchObject({
      'service.name': 'night shift',
      'deployment.environment.name': 'test',
      team: 'a,b',
    });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ' %s/ ', '/v1/traces'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '%s/otlp?team=a', '/otlp/v1/traces?team=a'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '%s/own/ ', '/own/'],
  ])('%s=%o leads to %s', async (name, value, url) => {
    set({ [name]: value.replace('%s', collector.address) });
    expect(await exportRun()).toBeNull();
    expect(onlyExport().url).toBe(url);
  });

  test.each([
    ['parentbased_always_on', '0', 5],
    ['traceidratio', '0.98', 5],
    ['parentbased_traceidratio', '0.9', 0],
    ['traceidratio', 'much', 5],
    ['of my own', '0', 5],
  ])('samples whole traces: %s, %s', async (name, argument, spans) => {
    set({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    // 95.7 % of all trace ids are higher than this one.
    expect(TRACE.slice(-14)).toBe('0b'.repeat(7));
    expect(await exportRun()).toBeNull();
    expect(collector.exports.flatMap((sent) => spansIn(sent, EPOCH))).toHaveLength(spans);
  });

  test('names no service: robosmith', async () => {
    set({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
    await exportRun();
    expect(resourceOf(onlyExport())['service.name']).toBe('robosmith');
  });

  test.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'True' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_SERVICE_NAME: 'x' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_TRACES_SAMPLER: 'always_off' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
  ])('%o asks for nothing', async (env) => {
    verifies('engine.metadata.otel');
    expect(await telemetryFromEnvironment(env)).toBeNull();
  });

  test.each([
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      "the protocol grpc is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and the endpoint to the collector's HTTP port (4318 by default).",
    ],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'carrier-pigeon' },
      "the protocol carrier-pigeon is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and the endpoint to the collector's HTTP port (4318 by default).",
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
      'the endpoint is not an http:// or https:// URL; correct OTEL_EXPORTER_OTLP_ENDPOINT.',
    ],
    [
      { OTEL_EXPORTER_OTLP_CERTIFICATE: 'no/such/file.pem' },
      expect.stringMatching(/^can't read a certificate: ENOENT: .*no.such.file\.pem'$/),
    ],
  ])('%o is said to be impossible, and the run goes on', async (more, problem) => {
    set({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, ...more });
    const said = await exportRun();
    expect(said?.replace('OpenTelemetry: nothing is exported: ', '')).toEqual(problem);
    expect(collector.exports).toEqual([]);
  });
});
