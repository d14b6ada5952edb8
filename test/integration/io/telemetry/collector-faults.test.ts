import { afterEach, expect, test, vi } from 'vitest';
import { telemetryFromEnvironment } from '#engine/telemetry.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { serve, startCollector } from '../../../support/collector.ts';
import { spansIn } from '../../../support/otlp-json.ts';
import { tracedRun } from './traced-run.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function open(address: string) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', address);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  const telemetry = await telemetryFromEnvironment(process.env);
  if (telemetry === null) throw new Error('nothing asks for an exporter');
  return telemetry;
}

/** Returns the final message of an exporter for this address. Its failures must not affect the run. */
async function lastWords(address: string): Promise<string | null> {
  const telemetry = await open(address);
  const response = await tracedRun(telemetry.listener);
  expect([response.success, response.metadata.steps]).toEqual([true, 3]);
  return telemetry.close();
}

test('a collector that is not there: said once', async () => {
  verifies('engine.metadata.otel');
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
  const { address, close } = await serve(() => undefined);
  await close();
  const port = address.split(':').at(-1) ?? '';
  expect(await lastWords(address)).toBe(
    `OpenTelemetry: 5 of 5 spans did not reach the collector at ${address} (connect ECONNREFUSED 127.0.0.1:${port}).`,
  );
});

test('one that refuses', async () => {
  const collector = await startCollector(400, 'what is this?');
  expect(await lastWords(collector.address)).toBe(
    `OpenTelemetry: 5 of 5 spans did not reach the collector at ${collector.address} (Bad Request).`,
  );
  expect(collector.exports.length).toBe(1);
  await collector.close();
});

test('one that takes the spans and answers garbage', async () => {
  const collector = await startCollector(200, '\u0000<html>{"partialSuccess": [');
  expect(await lastWords(collector.address)).toBeNull();
  expect(collector.exports.length).toBe(1);
  await collector.close();
});

test('one that never answers', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '50');
  const server = await serve(() => undefined);
  expect(await lastWords(server.address)).toBe(
    `OpenTelemetry: 5 of 5 spans did not reach the collector at ${server.address} (Request timed out).`,
  );
  await server.close();
});

test('one that answers without end is hung up on, and nothing is left that keeps the process', async () => {
  verifies('engine.metadata.otel');
  const { promise: cut, resolve } = Promise.withResolvers<string>();
  const server = await serve((request, response) => {
    request.resume();
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => {
      clearInterval(drip);
      resolve('cut');
    });
  });
  expect(await lastWords(server.address)).toBe(
    `OpenTelemetry: 5 of 5 spans did not reach the collector at ${server.address} (no answer within 3 s).`,
  );
  expect(await cut).toBe('cut');
  await server.close();
});

test('credentials in the address stay out of what is said', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
  const { address, close } = await serve(() => undefined);
  await close();
  const said = await lastWords(address.replace('http://', 'http://me:secret@'));
  expect(said).toContain(`the collector at ${address} (`);
  expect(said).not.toContain('secret');
});

test('many spans at once all arrive', async () => {
  const collector = await startCollector();
  const telemetry = await open(collector.address);
  const events: RoboSmithEvent[] = [];
  await tracedRun((event) => events.push(event));
  const block = events.filter(({ type }) => type === 'block.started' || type === 'block.finished').slice(0, 2);
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was told');
  telemetry.listener(first);
  for (let count = 0; count < 10_000; count += 1) for (const event of block) telemetry.listener(event);
  telemetry.listener(last);
  expect(await telemetry.close()).toBeNull();
  const arrived = collector.exports.map((sent) => spansIn(sent, 0).length);
  expect(arrived.reduce((sum, count) => sum + count, 0)).toBe(10_001);
  await collector.close();
});
