import type { Typed } from './flags.ts';

const at = (state: Typed['state'], ...lines: readonly string[]): readonly Typed[] =>
  lines.map((line) => ({ state, args: line.split(' ') }));

/** Commands that are refused, or that end with advice, in the states that make them so. */
export const ADVISING: readonly Typed[] = [
  ...at('empty', 'run', 'runs', 'tasks', 'work', 'inbox', 'sessions', 'status', 'host status', 'worktrees', 'calls'),
  ...at('empty', 'validate', 'simulate', 'graph', 'init', 'init --template nope', 'export', 'keys', 'doctor'),
  ...at('plain', 'run Main --in .', 'run Nope --in .', 'run Main --in nope', 'run Main', 'run --nope'),
  ...at(
    'plain',
    'validate --manifest broken.json',
    'validate --manifest nope.json',
    'run --manifest broken.json --in .',
  ),
  ...at('plain', 'resume', 'resume r000000000000', 'runs show nope', 'runs fork nope@1', 'runs fork nope', 'runs'),
  ...at('plain', 'runs stop nope', 'runs prune', 'runs events nope', 'runs replay nope', 'resume --due'),
  ...at('plain', 'tasks', 'tasks set 9 done', 'tasks set 1 nope', 'tasks remove 9', 'zoom in 9', 'zoom out', 'next'),
  ...at('plain', 'tasks add', 'tasks accept', 'tasks restore', 'tasks add A --under 9', 'tasks add A --node Nope'),
  ...at('plain', 'calls', 'calls show nope', 'calls rerun nope', 'calls diff a b', 'calls cost --by nope'),
  ...at('plain', 'keys', 'keys test', 'keys test nope', 'keys remove nope', 'keys disable nope', 'keys add work'),
  ...at(
    'plain',
    'keys add work --provider openai-compatible',
    'keys add 1nvalid! --provider openai',
    'keys order nope',
  ),
  ...at(
    'plain',
    'sessions',
    'sessions new One',
    'sessions show nope',
    'status',
    'worktrees',
    'host status',
    'host stop',
  ),
  ...at(
    'plain',
    'simulate',
    'simulate --script nope.json',
    'simulate Nope',
    'graph --format nope',
    'export --format nope',
  ),
  ...at(
    'plain',
    'diff nope.json',
    'context',
    'context nope',
    'fmt',
    'fmt --check',
    'manifest show Nope',
    'completion nope',
  ),
  ...at('plain', 'registry check', 'notify', 'notify --desktop perhaps', 'loom apply nope.json', 'inspect --record'),
  ...at('plain', 'inspect nope.jsonl', 'nope', 'sesions', 'run -C nope', 'export', 'diff', 'calls --limit nope'),
  ...at('module', 'registry check', 'run Main --in .'),
  ...at('trusted', 'resume {run}', 'resume', 'runs cancel {run}', 'runs stop {run}', 'runs fork {run}@99', 'inbox'),
  ...at('trusted', 'resume {run} --retry', 'resume {run} --next', 'runs prune --keep nope', 'runs show {run}'),
  ...at(
    'halted',
    'inbox',
    'resume',
    'resume {run}',
    'resume {run} --retry',
    'resume {run} --jump Nope',
    'runs show {run}',
  ),
  ...at(
    'halted',
    'resume {run} --reject no',
    'resume {run} --abort',
    'runs cancel {run}',
    'runs fork {run}@9',
    'doctor',
  ),
  ...at('failed', 'resume', 'resume {run}', 'resume {run} --next', 'runs show {run}', 'inbox', 'runs stop {run}'),
  ...at('untrusted', 'resume {run} --next', 'resume {run} --proceed', 'run Main --in .'),
  ...at('changed', 'resume {run} --next', 'resume {run} --manifest new --next', 'resume {run} --proceed'),
  ...at('edited', 'tasks', 'tasks --strict', 'work --strict', 'next --strict', 'tasks accept', 'tasks restore'),
  ...at('unasked', 'work', 'next'),
  ...at('forgotten', 'run Main --in .', 'sessions new One --node Main'),
  ...at('modelled', 'inbox', 'resume', 'doctor', 'calls'),
];

/** The same for states with worktrees, which are slow to create. */
export const ADVISING_WITH_SESSIONS: readonly Typed[] = [
  ...at(
    'repository',
    'sessions new',
    'sessions show nope',
    'sessions merge nope',
    'sessions discard',
    'worktrees clean',
  ),
  ...at('repository', 'sessions new One --base nope', 'sessions resume origin/nope', 'sessions new One --node Nope'),
  ...at('session', 'sessions', 'sessions show {session}', 'sessions merge', 'sessions restore {session}'),
  ...at('session', 'sessions withdraw {session}', 'sessions resume {session}', 'sessions discard {session}'),
  ...at('session', 'sessions update {session} --abort', 'sessions change {session}', 'sessions push {session}'),
  ...at('session', 'sessions diff {session} nope.txt', 'sessions hold {session}', 'sessions merge {session}', 'status'),
  ...at('session', 'sessions discard {session} --yes', 'sessions change {session} --base nope', 'worktrees'),
  ...at('behind', 'sessions merge {session}', 'sessions update {session}', 'sessions merge {session} --verify'),
  ...at(
    'clash',
    'sessions',
    'sessions merge {session}',
    'sessions update {session}',
    'sessions submit {session}',
    'inbox',
  ),
  ...at('discarded', 'sessions merge {session}', 'sessions resume {session}', 'sessions diff {session}', 'sessions'),
  ...at('discarded', 'sessions hold {session}', 'sessions push {session}', 'sessions submit {session}'),
  ...at('discarded', 'sessions update {session}', 'sessions discard {session}', 'sessions change {session} --title B'),
];

/**
 * Commands that messages of the source advise, and that no case above makes appear, with the test of the state that
 * does.
 */
export const ADVISED_ELSEWHERE: Readonly<Record<string, string>> = {};
