import { section } from './section.ts';

export const WORKERS = {
  ...section(2, 'workers: The contract of a worker', {
    'workers.contract.pure-function': 'A worker is a function of its memory: f(memory) → (payload, signal, exports).',
    'workers.contract.frozen': 'memory is deeply frozen; mutating it throws and the error names the worker.',
    'workers.contract.preconditions': 'checkPreconditions throws: nothing was done, precondition_failed.',
    'workers.contract.abort-signal': 'execute gets an AbortSignal that fires on time limit and cancel.',
    'workers.contract.unknown-side-effects': 'Unknown side effects count as non_idempotent.',
    'workers.contract.manifest-side-effects':
      'command, agent and ai workers say side_effects in the manifest (default non_idempotent; ai: none).',
    'workers.contract.scripted-idempotent': 'Scripted answers count as idempotent unless the entry says otherwise.',
    'workers.contract.result-serialisable':
      'What it returns must be JSON-serialisable, without cycles, before it touches any state.',
    'workers.contract.result-signal': 'Its signal must have the syntax of a signal.',
    'workers.contract.result-size': 'Its size is limited.',
    'workers.contract.violation-is-failure':
      'A contract violation is the failure worker_contract_violation, not a crash.',
    'workers.contract.services-only': 'It reaches the outside only through services, so that a test can replace them.',
    'workers.exports.overlay': "exports overlay the run's context: the latest wins.",
    'workers.exports.reserved': 'Reserved keys (system.*, config.*) are refused with a warning event.',
  }),
  ...section(3, 'workers: The contract of a worker', {
    'workers.contract.completion-record':
      'A command that had ended when the engine died is neither executed again nor halted as unsafe.',
    'workers.contract.completion': 'checkCompletion tells after a crash whether it was already done.',
    'workers.contract.cleanup': 'cleanup on interruption, at most 5 s.',
    'workers.contract.registration': 'A module neither idempotent nor with checkCompletion is refused at registration.',
  }),
  ...section(3, 'workers: Registry', {
    'workers.registry.whitelist': 'Only listed modules are ever imported; paths go through SafePath.',
    'workers.registry.broken':
      'A module that fails to load is BROKEN with its error and stops a run only if it is used.',
    'workers.registry.absent-or-empty':
      'No file means the built-in workers, {} means none; another shape is a configuration error.',
  }),
  ...section(2, 'workers: Internal workers', {
    'workers.command.argv': 'Command runs any argv, never a shell string unless `shell: true` is written.',
    'workers.command.cwd': 'Its cwd is inside the worktree.',
    'workers.command.env': 'It gets an allow-list of the environment.',
    'workers.command.timeout': 'It has a time limit and kills the whole process tree.',
    'workers.command.exit-codes': 'Its signal comes by exit code from the table in the manifest.',
    'workers.test-runner.pass-fail': "TestRunner runs the project's test command: SUCCESS or FAILURE.",
    'workers.test-runner.segment': 'It appends TEST_RESULT with outcome, exit code, duration and the log.',
    'workers.test-runner.interleaved': 'stdout and stderr are captured interleaved.',
    'workers.test-runner.elided': 'A long log has its middle elided.',
    'workers.test-runner.cannot-start': 'ERROR when the command cannot start.',
    'workers.file-system-writer.writes':
      'FileSystemWriter writes CODE_OUTPUT and DOCUMENTATION_OUTPUT segments to files.',
    'workers.file-system-writer.extracts':
      "It extracts the code from fenced or chatty answers, path from metadata or the fence's info string.",
    'workers.file-system-writer.all-or-none': 'All files or none.',
    'workers.file-system-writer.stats': 'stats: filesWritten, linesWritten.',
    'workers.manual-intervention': 'ManualIntervention halts for a person.',
  }),
  ...section(4, 'workers: Internal workers', {
    'workers.test-runner.whole-log': 'The whole log is kept as a blob.',
    'workers.log-of-time-limit': 'What a process had said when its time limit ended it is kept, as any log.',
    'workers.crash':
      'Whatever is killed while a worker touches the world: the same files and Response after resume, and no finished step again.',
    'workers.linter': 'RunLinter gives LINT_RESULT with file, line and rule.',
    'workers.builder': 'RunBuilder gives BUILD_RESULT.',
    'workers.diff': 'Internal:Diff gives reviewers what has changed, bounded and without secrets.',
    'workers.git-commit': 'GitCommit stages and commits, only where the manifest asks for it.',
    'workers.documentation-writer': 'DocumentationWriter strips the preamble up to the first heading or rule.',
    'workers.access.modes':
      'All writes of internal workers go through one service that applies access: strict, partial, shared.',
    'workers.access.change-plan':
      'Without a list of its own a block may write its artifact, what its run has identified, and the change plan of its session.',
    'workers.access.lazy-rewrite': 'A rewrite that drops more than half of a file is refused and told to the model.',
  }),
  ...section(6, 'workers: Internal workers', {
    'workers.update-change-plan':
      "UpdateChangePlan adds files to the session's change plan, which re-runs the conflict scan.",
  }),
  ...section('later', 'workers: Internal workers', {
    'workers.context-query': 'ContextQuery runs a context slice and appends its result.',
  }),
  ...section(2, 'workers: AI workers', {
    'workers.answer.keyword-first': 'Answer → signal: validation.signal comes first.',
    'workers.answer.last-token':
      'Else the last non-empty line, if it is one SIGNAL:… token, plain or in usual decoration.',
    'workers.answer.schema': 'Else, with validation.schema, SUCCESS if the JSON in the answer validates.',
    'workers.answer.none': 'Else SIGNAL:NO_SIGNAL.',
    'workers.answer.outside-table': "A signal outside the block's table falls to FAIL_DEFAULT.",
    'workers.answer.schema-fails':
      'On a schema failure SIGNAL:VALIDATION_FAIL and a VALIDATION_ERROR segment, path by path.',
    'workers.scripted.marked': 'Scripted answers are marked as scripted wherever they are shown.',
  }),
  ...section(5, 'workers: AI workers', {
    'workers.ai.providers': 'OpenAI, Anthropic, Google and any compatible endpoint by base_url.',
    'workers.ai.agent': 'kind agent runs a coding agent as a child process in the worktree.',
    'workers.ai.agent-streams':
      "An agent's stream is read line by line into answer, activity, progress, usage and cost; nothing in it breaks a run.",
    'workers.ai.agent-access':
      'What an agent changed outside of its access is put back, byte for byte, and reported as a failure.',
    'workers.ai.agent-approvals':
      'What an agent may do without asking comes from the manifest, holds for called nodes too, and is never more.',
    'workers.ai.agent-sandbox':
      'An agent whose approvals are sandboxed runs any command, inside of a sandbox; without a sandbox it does not start.',
    'workers.ai.agent-resume': "A retry goes on with the agent's own conversation where it can, else begins anew.",
    'workers.ai.agent-log': 'Every execution of an agent is a record of the call log; unknown usage is never zero.',
    'workers.ai.agent-trouble':
      'A missing program, a missing login, a limit of use and a crash each say what to do; a limit is a durable wait.',
    'workers.ai.agent-analysis':
      "An agent is offered the code-analysis server of its worktree and no other server, unless its worker's code_analysis is false.",
    'workers.ai.agent-environment': 'An agent sees an allow-list of the environment, and no key that is not named.',
    'workers.ai.agent-tree': 'Its whole process tree ends with its time limit, with a cancel, and after a dead engine.',
    'workers.ai.structured-output': 'Providers that support structured output get the schema as well.',
    'workers.ai.attempt-facts':
      'What went wrong in an attempt is told as it came, for every fault, provider, and streaming or not; the library never retries.',
    'workers.ai.limits': 'An attempt has limits for its connection, its first token, a pause, and in all.',
    'workers.ai.prompt-layers':
      'The prompt is persona, contract, legal signals and the five layers in order, each with its tokens.',
    'workers.ai.prompt-cut': "What is over the model's context limit is cut by layer priority, and reported.",
    'workers.ai.prompt-data': 'Content from files and models is marked as data in the prompt.',
    'workers.ai.only-signals': "A model's text can never name an action, only a signal that the block handles.",
    'workers.ai.prices':
      "A call's cost is known by an offline table with the user's own prices; unknown is never zero.",
    'workers.ai.streaming': 'Token progress reaches the UI and the terminal while the block runs.',
  }),
  ...section(5, 'workers: The key pool', {
    'workers.pool.key-states': 'A key is healthy, cooling, half_open, exhausted, invalid or disabled.',
    'workers.pool.selection':
      'A conversation stays on its healthy key; new ones go round robin; a failure moves on at once.',
    'workers.pool.retry-after': 'retry-after is honoured in all its forms.',
    'workers.pool.execute': 'execute(workOrder): Promise<Result>: all AI calls of all sessions go through it.',
    'workers.pool.until-forward': 'until only moves forward.',
    'workers.pool.endpoint': '5xx, overload and network errors cool the endpoint, not the key.',
    'workers.pool.classes': 'A failure is classified by status, error type and body, provider by provider.',
    'workers.pool.policies': 'Each class has its policy (next_key, cool, disable, fail), which the user can override.',
    'workers.pool.client-errors': 'Client errors that no other key would cure do not burn keys.',
    'workers.pool.exhausted':
      'When all are cooling it waits for the soonest within the deadline, else PoolExhausted with retryAt and a table.',
    'workers.pool.limits':
      'Tiers, weights, concurrency, requests and tokens per minute, and a budget per run, day and key.',
    'workers.pool.unknown-price': 'An unknown price never counts as zero.',
    'workers.pool.no-replay': 'An answer that has begun is not silently replayed unless nothing of it has been used.',
    'workers.pool.durable-wait': 'All keys cooling is a durable wait, not a failure.',
    'workers.pool.paid-attempts': 'Every attempt that was paid counts in its run once, whatever became of its call.',
    'workers.pool.budgets': 'A run that would pass its budget halts for a person.',
    'workers.pool.keychain':
      'Keys of the command line are in the environment or the keychain of the system, never in a file.',
    'workers.pool.per-model': 'What a provider says of one model cools that model on the key, not the key.',
    'workers.pool.events': 'Calls of models and changes of keys are events of the run, without secrets.',
    'workers.pool.user-prices': "The user's and the project's own prices beat the table.",
    'workers.pool.secrets': 'A key is in no file, log, event, error or dump.',
    'workers.pool.call-log': 'Every call is a file in .vision/logs with all its attempts.',
    'workers.pool.broken-off': 'An attempt that was broken off, by its caller or by a crash, is in the log as that.',
    'workers.pool.paid-once': 'After a crash a call whose answer had been logged is not made again.',
    'workers.pool.call-log-commands': 'calls list, show, rerun, diff and cost work on the log.',
    'workers.pool.call-log-retention': 'The log is kept for as long, and as large, as is asked.',
    'workers.pool.what-leaves': '.vision/ignore is obeyed by all that leaves the machine.',
    'workers.pool.proxy': 'Proxy and CA settings are honoured.',
  }),
  ...section(4, 'workers: The Loom', {
    'workers.loom.operations': 'insert, replaceBlock, append, replaceLine, as one transaction over several files.',
    'workers.loom.one-match': 'Exactly one match of an anchor, or nothing is written.',
    'workers.loom.preserves': 'Line endings, indentation, BOM, final newline, mode and encoding stay.',
    'workers.loom.optimistic-lock': 'content_changed when the file changed between read and rename.',
    'workers.loom.answers':
      'An AI worker in loom mode answers with edit operations; a failed edit goes back to it as a segment.',
    'workers.loom.idempotent': 'An edit that is already there is a no-op that says so.',
  }),
  ...section(3, 'workers: SafePath', {
    'workers.safe-path.hostile': 'SafePath rejects every way out of the root, on every platform.',
  }),
  ...section(2, 'workers: SafePath', {
    'workers.safe-path.traversal': 'Traversal, absolute paths, NUL and control bytes are rejected.',
    'workers.safe-path.links': 'Links that leave the root are rejected.',
  }),
} as const;
