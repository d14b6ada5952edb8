import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Segment } from '#protocol/payload.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import type { Services } from '#protocol/services.ts';

const CHECKS: Readonly<Record<string, string>> = {
  TEST_RESULT: 'test',
  LINT_RESULT: 'lint',
  BUILD_RESULT: 'build',
};

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

const textOf = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Returns the outcome of a check as a line, without the check's output, which may name files and people. */
function checkLine({ type, meta }: Segment): string | null {
  const name = CHECKS[type];
  if (name === undefined) return null;
  return `${name}: ${meta['outcome'] === 'PASS' ? 'passed' : 'failed'}`;
}

/** Returns the newest outcome of each check in the block's payload, in the order in which the checks first ran. */
function checksOf({ payload }: BlockMemory): readonly string[] {
  const lines = new Map<string, string>();
  for (const segment of payload) {
    const line = checkLine(segment);
    if (line !== null) lines.set(segment.type, line);
  }
  return [...lines.values()];
}

const failure = (code: string, message: string): WorkerResult => ({
  signal: FAILURE,
  append: [{ type: 'PULL_REQUEST_ERROR', content: `There is no pull request (${code}): ${message}`, meta: { code } }],
});

function orderOf(memory: BlockMemory, { params }: GraphBlock) {
  return {
    title: textOf(params['title']),
    text: textOf(params['body']),
    checks: checksOf(memory),
    isDraft: isOn(params['draft']),
  };
}

async function execute(
  memory: BlockMemory,
  { block, files, pullRequests = null, progress }: Services,
): Promise<WorkerResult> {
  if (files === null)
    throw new RoboSmithError('precondition_failed', "this run can't use git, because it has no directory to work in");
  if (pullRequests === null)
    return failure('no_session', 'the run works in no session, so it has no branch. Start it without --in');
  // Rolls back the writes of a killed process, so that a partial write is not pushed.
  await files.settle();
  progress('pushing the branch');
  const opened = await pullRequests.open(orderOf(memory, block));
  if (!opened.ok) return failure(opened.code, opened.message);
  const { url, number, isNew, commit } = opened;
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'PULL_REQUEST',
        content: `${isNew ? 'Opened' : 'Updated'} ${url}`,
        meta: { url, number, is_new: isNew, commit },
      },
    ],
    exports: { 'pull_request.url': url, 'pull_request.number': number },
  };
}

/**
 * The worker `Internal:PullRequest`. It pushes the session's branch, and opens a pull request or updates the
 * description of the open one. It never merges.
 */
export const pullRequest: Worker = { sideEffects: 'idempotent', execute };
