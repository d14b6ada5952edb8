// An MCP server that misbehaves according to a plan. The file `.plan` in the folder given as its argument contains one
// word per start.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers';
const folder = process.argv[2];
const plan = readFileSync(`${folder}/.plan`, 'utf8').trim().split(/\s+/);
let starts = 0;
try {
  starts = readFileSync(`${folder}/.starts`, 'utf8').trim().split('\n').length;
} catch {
  // The file doesn't exist at the first start.
}
appendFileSync(`${folder}/.starts`, `${process.pid}\n`);
const how = plan[Math.min(starts, plan.length - 1)];
if (how === 'dies') {
  process.stderr.write('cannot read the index\n');
  process.exit(3);
}
const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }], structuredContent: { value } });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (how === 'mute') return;
  if (method === 'initialize')
    reply(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'fake', version: '1' },
    });
  else if (method === 'ping') reply(id, {});
  else if (method === 'tools/call') {
    if (params.name === 'index_code') return reply(id, text('indexed'));
    if (how === 'hangs') for (;;);
    if (how === 'slow') return;
    if (how === 'crashes') process.kill(process.pid, 'SIGKILL');
    if (params.name === 'fails')
      return reply(id, { isError: true, content: [], structuredContent: { error: { code: 'odd', message: 'no' } } });
    reply(id, text(`${params.name} ${JSON.stringify(params.arguments)}`));
  }
});
if (how !== 'stubborn') process.stdin.on('end', () => process.exit(0));
else setInterval(() => undefined, 1_000);
process.on('SIGTERM', () => {
  if (how !== 'stubborn') process.exit(0);
});
