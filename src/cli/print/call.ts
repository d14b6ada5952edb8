import { calledName } from '#engine/authoring.ts';
import type { CallRecord, LoggedAttempt } from '#protocol/call-record.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { durationText } from './time-text.ts';
import { costText, moneyText } from '#protocol/amount-text.ts';
import { harmless, type Style, styleFor } from './style.ts';

/** Splits a text into lines and makes each safe for a terminal. */
const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => harmless(line));

function attemptLine({ key, outcome, facts, ms, tokens_used: used, cost_micro_usd: cost }: LoggedAttempt): string {
  const status = facts?.status === undefined || facts.status === null ? '' : ` ${facts.status}`;
  const tokens = used === null ? '' : `, ${used.input}+${used.output} tokens, ${moneyText(cost)}`;
  return harmless(`${key}: ${outcome}${status} after ${durationText(ms.total)}${tokens}`);
}

function facts(record: CallRecord): readonly (readonly [string, string])[] {
  const { request, tokens_used: used, cost, ms, origin } = record;
  return [
    [record.agent === undefined ? 'model' : 'agent', calledName({ ...request, agent: record.agent?.name })],
    ['block', `${record.block ?? '–'}, visit ${record.visit ?? '–'}, run ${record.run ?? '–'}`],
    ['started', new Date(record.started_at).toISOString()],
    [
      'time',
      `${durationText(ms.total)}, first token ${ms.first_token === null ? '–' : durationText(ms.first_token)}, in the queue ${durationText(ms.queued)}`,
    ],
    [
      'tokens',
      used === null
        ? '–'
        : `${used.input} in (${used.cached} cached), ${used.output} out (${used.reasoning} reasoning), ${used.source === 'provider' ? 'as the provider counted' : 'estimated'}`,
    ],
    [
      'cost',
      `${costText({ microUsd: cost.micro_usd, ...(cost.at_least === true ? { atLeast: true } : {}) })}${cost.source === null ? '' : ` by ${cost.source}`}`,
    ],
    ...(origin === null ? [] : [['repeats', origin] as const]),
  ];
}

function promptLines({ request }: CallRecord, { paint }: Style): readonly string[] {
  const left = request.cut.map(
    ({ layer, name, tokens, kept }) => `layer ${layer} ${name}: ${tokens - kept} of ${tokens} tokens were left out`,
  );
  return [
    ...left.map((line) => paint.yellow(harmless(line))),
    ...request.segments.flatMap(({ layer, name, role, tokens, text }) => [
      '',
      `${paint.bold(`layer ${layer} ${harmless(name)}`)}  ${paint.dim(`${role}, about ${tokens} tokens`)}`,
      ...linesOf(text),
    ]),
  ];
}

export function printCall(record: CallRecord, io: CliIo): void {
  const style = styleFor(io.stdout, io);
  const { paint } = style;
  const good = record.outcome === 'ok' ? paint.green : paint.red;
  const lines = [
    `${paint.bold(record.call)}  ${good(harmless(record.outcome))}`,
    ...facts(record).map(([name, value]) => `  ${paint.dim(name.padEnd(8))} ${harmless(value)}`),
    '',
    paint.dim('Attempts'),
    ...record.attempts.map((one) => `  ${attemptLine(one)}`),
    '',
    paint.dim('Prompt'),
    ...promptLines(record, style),
    '',
    paint.dim(`Answer${record.answer === null ? ': none' : ''}`),
    ...(record.answer === null ? [] : linesOf(record.answer.text)),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}
