import type { TestedKey } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printKeyProblems } from './keys.ts';
import { printNext } from './problem.ts';
import { harmless, styleFor } from './style.ts';
import { whenText } from './time-text.ts';

/** Explanations of the test results in plain words. */
const WORDS: Readonly<Record<TestedKey['result'], string>> = {
  good: 'is accepted',
  no_secret: 'has no secret: add it again',
  rate_limited: 'is valid but cooling down: too many requests in a short time',
  quota_window: 'has used up its daily, weekly or monthly limit',
  exhausted: 'has no credit or quota left',
  invalid_key: 'was rejected: it is wrong, revoked or expired',
  forbidden: 'is valid, but lacks the permission for this request',
  model_not_found: 'was not tested: there is no such model or address',
  bad_request: 'was not tested: the request was refused',
  context_length: 'was not tested: the request was refused',
  content_filter: 'is accepted; the provider filtered the answer',
  timeout: 'was not tested: no answer in time',
  server_error: 'was not tested: the provider reported an error',
  overloaded: 'was not tested: the provider is overloaded',
  network: 'was not tested: there is no connection',
  dns: "was not tested: the host name can't be resolved",
  tls: 'was not tested: the certificate is not trusted',
  stream_cut: 'was not tested: the answer was cut off',
  stream_broken: 'was not tested: the answer was cut off',
  answer_too_large: 'was not tested: the answer is too large',
  malformed: 'was not tested: the answer has an unknown format',
  empty: 'is accepted; the answer was empty',
};

function lineOf({ key, result, said, retryAt, models, status }: TestedKey): string {
  const count = models === null ? '' : ` (${models} ${models === 1 ? 'model' : 'models'})`;
  const until = retryAt === null ? '' : `, until ${whenText(retryAt)}`;
  const words = said === '' || result === 'good' ? '' : `\n    ${status === null ? '' : `${status}: `}${said}`;
  return `${key.alias} ${WORDS[result]}${count}${until}${words}`;
}

export function printTests(
  tested: readonly TestedKey[],
  model: string | null,
  problems: readonly string[],
  io: CliIo,
): void {
  printKeyProblems(problems, io);
  const { paint, symbols } = styleFor(io.stdout, io);
  for (const one of tested) {
    const mark = one.result === 'good' ? paint.green(symbols.ok) : paint.red(symbols.bad);
    io.stdout.write(`${mark} ${harmless(lineOf(one))}\n`);
  }
  if (tested.length === 0) {
    io.stdout.write('There are no keys to test.\n');
    return printNext(['robosmith keys add --help'], io);
  }
  if (model === null && tested.some(({ result }) => result === 'good'))
    io.stdout.write(paint.dim('To check whether the account has credit, add --model <name>.\n'));
}
