import type { ShownPrompts } from '#engine/index.ts';
import type { PromptCut } from '#protocol/prompt.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { moneyText } from '#protocol/amount-text.ts';
import { harmless, styleFor } from './style.ts';

const LAYERS = ['payload', 'contract', 'inherited', 'files', 'system'] as const;

const count = (number: number): string => number.toLocaleString('en-US');

function tokensText({ tokens: { layers, total, context } }: ShownPrompt): string {
  const each = layers.map((number, index) => `${index + 1} ${LAYERS[index] ?? ''} ${count(number)}`);
  const room = context === null ? 'how many the model takes is unknown' : `the model takes ${count(context)}`;
  return `about ${count(total)} (${each.join(', ')}); ${room}`;
}

function costText({ cost, max_output_tokens: longest }: ShownPrompt): string {
  if (cost.prompt_micro_usd === null) return 'unknown';
  const most =
    cost.most_micro_usd === null
      ? ''
      : `, ${moneyText(cost.most_micro_usd)} with ${count(longest ?? 0)} tokens of answer`;
  return `about ${moneyText(cost.prompt_micro_usd)} for the prompt${most}, by ${cost.source ?? '?'}`;
}

const cutText = ({ layer, name, tokens, kept }: PromptCut): string =>
  `omitted, because the prompt exceeds the context window: layer ${layer} ${name}, ${count(tokens - kept)} of ${count(tokens)} tokens`;

const target = ({ provider, model, base_url: at, pool }: ShownPrompt): string =>
  [`${provider}/${model}`, ...(at === null ? [] : [`at ${at}`]), ...(pool === null ? [] : [`pool ${pool}`])].join(', ');

/** Prints the parts of a prompt as sent, made safe for a terminal. */
export function printPrompt(prompt: ShownPrompt, screen: Screen, io: CliIo): void {
  const { paint, symbols } = styleFor(screen, io);
  const { block, visit, attempt, cut, segments, schema } = prompt;
  const again = attempt === null || attempt === 1 ? '' : `, attempt ${attempt}`;
  const lines = [
    `${paint.bold(`${symbols.start} ${harmless(block ?? 'prompt')}`)}  ${paint.dim(`visit ${visit ?? 1}${again}`)}`,
    `  ${paint.dim('to')}      ${harmless(target(prompt))}`,
    `  ${paint.dim('tokens')}  ${tokensText(prompt)}`,
    `  ${paint.dim('cost')}    ${harmless(costText(prompt))}`,
    ...cut.map((one) => `  ${paint.yellow(harmless(cutText(one)))}`),
    ...segments.flatMap(({ layer, name, role, tokens, text }) => [
      '',
      `${paint.cyan(`[${role}] layer ${layer} ${harmless(name)}`)}  ${paint.dim(`about ${count(tokens)} tokens`)}`,
      ...text.split('\n').map((line) => harmless(line)),
    ]),
    ...(schema === null ? [] : ['', paint.cyan('[schema of the answer]'), harmless(JSON.stringify(schema))]),
    '',
  ];
  screen.write(`${lines.join('\n')}\n`);
}

/** Prints why the preview ends here. */
export function printStopped({ stopped, response }: ShownPrompts, shown: number, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const { block, why } of stopped)
    io.stderr.write(
      `${symbols.halt} ${paint.bold(harmless(block))} ${
        why === 'not_sent' ? 'would call its model now' : 'would be executed now'
      }; the rest depends on its result. Script its answer with --script to see more.\n`,
    );
  const message = response.details['message'];
  if (stopped.length === 0 && !response.success && response.reason !== 'halted' && typeof message === 'string')
    io.stderr.write(`${paint.red(symbols.bad)} ${harmless(message)}\n`);
  io.stderr.write(
    paint.dim(`${shown === 0 ? 'No block with a model was reached. ' : ''}Nothing was sent, nothing was executed.\n`),
  );
}
