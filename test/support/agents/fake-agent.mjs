// A fake agent that uses the stream formats of claude, codex and gemini (docs/reference/agents.md). `<home>/plan.json`
// defines its behaviour as a list with one entry per start; the last entry applies to all further starts. Each start
// appends its arguments and environment to `<home>/starts.jsonl`.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setInterval } from 'node:timers';

const [style, home, ...argv] = process.argv.slice(2);
if (argv.includes('--version')) {
  console.log(`9.9.9 (fake ${style})`);
  process.exit(0);
}
const stdin = fs.readFileSync(0, 'utf8');
const startsFile = path.join(home, 'starts.jsonl');
const earlier = fs.existsSync(startsFile) ? fs.readFileSync(startsFile, 'utf8').trimEnd().split('\n').length : 0;
fs.appendFileSync(
  startsFile,
  `${JSON.stringify({ argv, stdin, env: process.env, cwd: process.cwd(), pid: process.pid })}\n`,
);
const plans = JSON.parse(fs.readFileSync(path.join(home, 'plan.json'), 'utf8'));
const plan = plans[Math.min(earlier, plans.length - 1)];
const at = argv.findIndex((arg) => arg === '--resume' || arg === 'resume');
const session = plan.session ?? (at >= 0 ? argv[at + 1] : `5e551017-0000-4000-8000-00000000000${earlier + 1}`);
const say = (event) => process.stdout.write(`${typeof event === 'string' ? event : JSON.stringify(event)}\n`);

const speak = {
  claude: {
    begin: () =>
      say({
        type: 'system',
        subtype: 'init',
        session_id: session,
        cwd: process.cwd(),
        model: 'claude-sonnet-4-5',
        tools: ['Read', 'Edit'],
        permissionMode: 'acceptEdits',
      }),
    tool: (name, input) =>
      say({
        type: 'assistant',
        session_id: session,
        message: {
          id: 'msg_1',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'tool_use', id: 'toolu_1', name, input }],
          usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 20 },
        },
        parent_tool_use_id: null,
      }),
    text: (text) =>
      say({
        type: 'assistant',
        session_id: session,
        message: {
          id: 'msg_2',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text }],
          usage: { input_tokens: 12, output_tokens: 6 },
        },
        parent_tool_use_id: null,
      }),
    end: (text) =>
      say({
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 5,
        num_turns: 2,
        result: text,
        session_id: session,
        total_cost_usd: 0.0123,
        usage: { input_tokens: 100, cache_creation_input_tokens: 10, cache_read_input_tokens: 50, output_tokens: 40 },
        permission_denials: [],
      }),
    error: (text) =>
      say({
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: 500,
        result: text,
        session_id: session,
        total_cost_usd: 0,
        usage: { input_tokens: 0, output_tokens: 0 },
      }),
  },
  codex: {
    begin: () => {
      say({ type: 'thread.started', thread_id: session });
      say({ type: 'turn.started' });
    },
    tool: (name, { command = '', file_path = '' }) =>
      say(
        command === ''
          ? {
              type: 'item.completed',
              item: {
                id: 'item_1',
                type: 'file_change',
                changes: [{ path: file_path, kind: 'update' }],
                status: 'completed',
              },
            }
          : {
              type: 'item.started',
              item: {
                id: 'item_1',
                type: 'command_execution',
                command,
                aggregated_output: '',
                exit_code: null,
                status: 'in_progress',
              },
            },
      ),
    text: (text) => say({ type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text } }),
    end: (text) => {
      say({ type: 'item.completed', item: { id: 'item_3', type: 'agent_message', text } });
      say({
        type: 'turn.completed',
        usage: { input_tokens: 160, cached_input_tokens: 50, output_tokens: 40, reasoning_output_tokens: 8 },
      });
    },
    error: (text) => {
      say({ type: 'error', message: text });
      say({ type: 'turn.failed', error: { message: text } });
    },
  },
  gemini: {
    begin: () =>
      say({ type: 'init', timestamp: '2026-11-22T00:00:00.000Z', session_id: session, model: 'gemini-2.5-pro' }),
    tool: (name, parameters) => {
      say({ type: 'tool_use', timestamp: '2026-11-22T00:00:00.000Z', tool_name: name, tool_id: 't1', parameters });
      say({
        type: 'tool_result',
        timestamp: '2026-11-22T00:00:00.000Z',
        tool_id: 't1',
        status: 'success',
        output: 'done',
      });
    },
    text: (content) =>
      say({ type: 'message', timestamp: '2026-11-22T00:00:00.000Z', role: 'assistant', content, delta: true }),
    end: (text) => {
      const half = Math.ceil(text.length / 2);
      for (const content of [text.slice(0, half), text.slice(half)]) speak.gemini.text(content);
      say({
        type: 'result',
        timestamp: '2026-11-22T00:00:00.000Z',
        status: 'success',
        stats: {
          total_tokens: 200,
          input_tokens: 160,
          output_tokens: 40,
          cached: 50,
          input: 110,
          duration_ms: 5,
          tool_calls: 1,
        },
      });
    },
    error: (message) =>
      say({
        type: 'result',
        timestamp: '2026-11-22T00:00:00.000Z',
        status: 'error',
        error: { type: 'Error', message },
      }),
  },
};

const { begin, tool, text, end, error } = speak[style];

/**
 * Changes files. Each value is the new text, null to remove the file, or one of `{ link }`, `{ mode }`, `{ move }`, `{
 * hard }`.
 */
function change(files) {
  for (const [file, what] of Object.entries(files)) {
    if (what === null) fs.rmSync(file, { recursive: true, force: true });
    else if (typeof what === 'string') {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, what);
    } else if (what.link !== undefined) {
      fs.rmSync(file, { recursive: true, force: true });
      fs.symlinkSync(what.link, file);
    } else if (what.mode !== undefined) fs.chmodSync(file, what.mode);
    else if (what.move !== undefined) fs.renameSync(file, what.move);
    else if (what.hard !== undefined) fs.linkSync(file, what.hard);
    else if (what.folder === true) fs.mkdirSync(file, { recursive: true });
  }
}

const hang = () => setInterval(() => undefined, 1_000);

if (plan.silent !== true) begin();
for (const raw of plan.raw ?? []) say(raw);
for (const [name, input] of plan.tools ?? []) tool(name, input);
if (plan.stderr !== undefined) process.stderr.write(plan.stderr);
if (plan.files !== undefined) change(plan.files);
for (const [program, ...args] of plan.commands ?? []) {
  const child = spawn(program, args, { stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
}
if (plan.text !== undefined) text(plan.text);
if (plan.child === true) {
  // The source of a process that ignores SIGTERM and leaves the process group.
  const source = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', source], { detached: true, stdio: 'ignore' });
  fs.writeFileSync(path.join(home, 'child'), String(child.pid));
}
if (plan.flood !== undefined) {
  const line = `${JSON.stringify({ type: 'unknown', text: 'x'.repeat(10_000) })}\n`;
  for (let at = 0; at < plan.flood; at += 1)
    if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
if (plan.bytes !== undefined) process.stdout.write(Buffer.from(plan.bytes, 'base64'));
if (plan.partial !== undefined) process.stdout.write(plan.partial);
if (plan.crash === true) process.kill(process.pid, 'SIGKILL');
if (plan.hang === true) hang();
else if (plan.error !== undefined) {
  error(plan.error);
  process.exitCode = plan.code ?? 1;
} else if (plan.answer !== undefined) {
  end(plan.answer);
  process.exitCode = plan.code ?? 0;
  if (plan.stays === true) hang();
} else process.exitCode = plan.code ?? 0;
