import type { FromThread } from './messages.ts';

type Loose = Readonly<Record<string, unknown>>;

const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null;

const isNumber = (value: unknown): boolean => typeof value === 'number';

const isOutcome = (value: unknown): boolean =>
  isLoose(value) &&
  (value['ok'] === true ||
    typeof value['violation'] === 'string' ||
    (isLoose(value['error']) && 'kind' in value['error']));

const isArgument = (value: unknown): boolean => isLoose(value) && typeof value['kind'] === 'string';

const CHECKS: Readonly<Record<FromThread['kind'], (message: Loose) => boolean>> = {
  described: ({ id, found }) =>
    isNumber(id) && isLoose(found) && (typeof found['problem'] === 'string' || isLoose(found['exports'])),
  ended: ({ id, outcome }) => isNumber(id) && isOutcome(outcome),
  aborted: ({ id }) => isNumber(id),
  rested: ({ isClean }) => typeof isClean === 'boolean',
  call: ({ id, call, name, args }) =>
    isNumber(id) &&
    (call === null || isNumber(call)) &&
    typeof name === 'string' &&
    Array.isArray(args) &&
    args.every(isArgument),
  signal: ({ signal }) => isNumber(signal),
};

/** Returns whether a message has the shape of a thread's message: a module in the thread can post others. */
export function isFromThread(message: unknown): message is FromThread {
  if (!isLoose(message)) return false;
  const { kind } = message;
  return typeof kind === 'string' && Object.hasOwn(CHECKS, kind) && CHECKS[kind as FromThread['kind']](message);
}
