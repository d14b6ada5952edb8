import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerTo, refuse, sayJson } from './answers.ts';
import { openInference } from './inference.ts';
import { type ReadRequest, readRequest } from './requests.ts';
import type { ServerReport } from './start-model.ts';

/*
 * Serves the model file given as first argument with OpenAI's protocol. Accepts the keys in LLAMA_KEYS. Ends when its
 * stdin ends.
 */

const [file = ''] = process.argv.slice(2);
const keys = new Set((process.env['LLAMA_KEYS'] ?? '').split(','));

const SLOTS = 4;
const CONTEXT = 8_192;
const SEED = 1;

const inference = await openInference(file, SLOTS, CONTEXT);
const report: { -readonly [Key in keyof ServerReport]: ServerReport[Key] } = {
  answered: [],
  refused: { 401: 0, 429: 0 },
  broken: 0,
};

/**
 * Number of answers after which one answer pauses at its first letter until its client has disconnected; null if none
 * pauses.
 */
let stopAfter: number | null = null;
const happens = new EventEmitter();

/** Number of requests that must be refused because all slots are in use before any answer continues. */
let refusalsToCome = 0;

async function waitForRefusals(): Promise<void> {
  while (refusalsToCome > 0) await once(happens, 'refused');
}

const gone = (response: ServerResponse): boolean => response.destroyed && !response.writableFinished;

async function answer(request: ReadRequest, response: ServerResponse): Promise<void> {
  const writer = answerTo(response, request);
  const stops = stopAfter === 0;
  if (stopAfter !== null) stopAfter = stops ? null : stopAfter - 1;
  const answered = await inference.answer(request.asked, async (part) => {
    writer.text(part);
    await waitForRefusals();
    if (stops) happens.emit('stopped');
    if (stops && !gone(response)) await once(response, 'close');
    if (gone(response)) throw new Error('its client is gone');
  });
  if (answered === null)
    return refuse(response, 400, 'context_length_exceeded', `the maximum context length is ${String(CONTEXT)} tokens`);
  report.answered = [...report.answered, { prompt: answered.prompt, completion: answered.completion }];
  writer.done(answered);
}

async function complete(body: string, response: ServerResponse): Promise<void> {
  if (inference.isFull()) {
    report.refused = { ...report.refused, 429: report.refused[429] + 1 };
    refusalsToCome -= 1;
    happens.emit('refused');
    return refuse(response, 429, 'rate_limit_exceeded', 'all slots are full', { 'retry-after': '1' });
  }
  try {
    await answer(readRequest(body, SEED), response);
  } catch (error) {
    if (gone(response)) {
      report.broken += 1;
      happens.emit('broken');
    } else if (response.headersSent) response.destroy();
    else refuse(response, 400, 'invalid_request_error', String(error));
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const asked = `${request.method ?? ''} ${request.url ?? ''}`;
  if (asked === 'GET /report') return sayJson(response, 200, report);
  if (asked === 'POST /until-broken') {
    while (report.broken < Number(body)) await once(happens, 'broken');
    return sayJson(response, 200, {});
  }
  if (asked === 'POST /refuse-first') {
    refusalsToCome = Number(body);
    return sayJson(response, 200, {});
  }
  if (asked === 'POST /stop-after') {
    const nextStop = once(happens, 'stopped');
    stopAfter = Number(body);
    // The headers of this response are sent immediately. Its body ends when the model's answer has stopped.
    response.writeHead(200).flushHeaders();
    await nextStop;
    return void response.end();
  }
  if (!keys.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) {
    report.refused = { ...report.refused, 401: report.refused[401] + 1 };
    return refuse(response, 401, 'invalid_api_key', 'Incorrect API key provided.');
  }
  if (asked === 'GET /v1/models') return sayJson(response, 200, { object: 'list', data: [{ id: 'tiny' }] });
  if (asked === 'POST /v1/chat/completions') return complete(body, response);
  refuse(response, 404, 'not_found', `there is no ${asked}`);
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}\n`);
process.stdin.resume().once('end', () => process.exit(0));
