import { section } from './section.ts';

export const ENGINE = {
  ...section(2, 'engine: From text to actors', {
    'engine.compile.pure': 'Compiling is pure up to the machines: no file, no clock, no chance.',
    'engine.compile.node-is-machine':
      'One node is one XState v5 machine; its states are its blocks and the states of calls, forks, halts.',
    'engine.compile.plain-json': 'Configs are plain serialisable JSON: actors, guards and actions are named strings.',
    'engine.compile.runs-what-is-exported': 'What runs is what is exported for review.',
    'engine.compile.lazy': 'Nodes are built lazily.',
    'engine.compile.call-is-child-actor':
      "CALL invokes the callee's machine as a child actor; RETURN is its done event with output.",
    'engine.compile.cross-node-jump-flat': 'A loop of cross-node JUMPs needs constant stack and memory.',
    'engine.compile.max-depth': 'Recursion works, bounded by max_depth (root 0, default 256).',
    'engine.compile.depth-256': 'A CALL depth of 256 works.',
    'engine.compile.wide-fork': 'A FORK of 1,000 branches works, and its cost per branch stays flat.',
    'engine.compile.payload-shared':
      'The payload is a shared append log: O(1) a step, immutable to readers, safe under FORK.',
    'engine.compile.halt-address': 'An answer is sent to the halted frame directly, at any depth.',
    'engine.compile.block-guard': 'A block goes READY → BUSY → READY, or → WAITING when only a person can go on.',
  }),
  ...section(2, 'engine: A run', {
    'engine.run.states': 'A run goes running → (halted ⇄ running) → completed, failed or cancelled.',
    'engine.run.response': 'It ends with a Response: success, data, reason, details, error_type, metadata, path.',
    'engine.run.reasons-closed': 'The list of reasons is closed, and each has its exit code.',
    'engine.reason.no-transition': 'no_transition: exit 1.',
    'engine.reason.max-steps': 'max_steps_exceeded: exit 1.',
    'engine.reason.max-run-steps': 'max_run_steps_exceeded: exit 1.',
    'engine.reason.max-depth': 'max_depth_exceeded: exit 1.',
    'engine.reason.condition': 'condition_resolution_error at run time: exit 1.',
    'engine.reason.contract': 'worker_contract_violation: exit 1.',
    'engine.reason.precondition': 'precondition_failed: exit 1.',
    'engine.reason.worker-error': 'worker_error: exit 1.',
    'engine.reason.timeout': 'timeout: exit 1.',
    'engine.reason.unsafe-to-retry': 'unsafe_to_retry: exit 1.',
    'engine.reason.cancelled': 'cancelled: exit 1.',
    'engine.reason.invalid-graph': 'invalid_graph: exit 2, nothing was executed.',
    'engine.reason.unknown-node': 'unknown_node at start: exit 2.',
    'engine.reason.usage': 'A usage error: exit 2.',
    'engine.reason.halted': 'halted: exit 3.',
    'engine.halt.details':
      'details.halts has {halt_id, block, why, since, answers} for each halt; answers are commands.',
    'engine.run.failures-are-data': 'Failures are data; execute resolves with a failed Response and never throws.',
    'engine.step.events': 'The parts of a step are events: memory, start, recovery, finish, transition.',
    'engine.step.key': 'The step key is `<run>/<frame path>/<block>#<visit>`, the same for all attempts.',
    'engine.step.key-branch': 'The frame path in it has the branch index of a FORK.',
    'engine.step.visit': "Visit counts a block's entries in a frame.",
    'engine.step.attempt': 'Attempt is 1-based and counts executions in one visit.',
    'engine.limit.max-steps-frame': 'max_steps counts visits in one frame, kept across cross-node JUMPs and halts.',
    'engine.limit.max-steps-before': 'The 129th visit fails before it executes.',
    'engine.limit.max-run-steps': 'max_run_steps counts all visits of the run.',
    'engine.signal.error': 'A worker that throws, breaks its contract or fails its precondition gives SIGNAL:ERROR.',
    'engine.signal.timeout': 'A time limit passed gives SIGNAL:TIMEOUT.',
    'engine.signal.validation-fail': 'An answer against its schema gives SIGNAL:VALIDATION_FAIL.',
    'engine.signal.no-signal': 'An AI answer without a token gives SIGNAL:NO_SIGNAL.',
  }),
  ...section(2, 'engine: Recovery', {
    'engine.recovery.failed-executions-only':
      'Recovery is for failed executions, never for a returned signal, FAILURE included.',
    'engine.recovery.by-reason': 'The policies of the failure’s reason apply, else those of `*`.',
    'engine.recovery.ordered': 'The policies of a list apply in order.',
    'engine.recovery.retry-max-attempts': 'retry executes again until max_attempts.',
    'engine.recovery.retry-delay': 'retry waits delay_ms, times backoff for each further attempt.',
    'engine.recovery.retry-jitter': 'jitter spreads the delay; none in simulate.',
    'engine.recovery.repair':
      'repair lets a worker make a new request out of request and failure; the old one is never mutated.',
    'engine.recovery.bubble': 'bubble ends recovery.',
    'engine.recovery.then-lookup': 'When the policies are exhausted or bubbled, the engine signal is looked up.',
    'engine.recovery.non-idempotent':
      'A non_idempotent attempt that started is never retried or repaired (unsafe_to_retry).',
    'engine.recovery.actor-clock': 'Delays are on the actor clock, simulated in tests.',
    'engine.metadata.attempt':
      'Every attempt has run_id, trace_id, span_id, parent_span_id, node, block, visit, attempt, started_at, duration_ms, side_effect_class.',
  }),
  ...section(3, 'engine: Metadata', {
    'engine.metadata.otel':
      'With OTEL_EXPORTER_OTLP_ENDPOINT the spans are exported; nothing of OpenTelemetry is loaded otherwise.',
  }),
  ...section(2, 'engine: Halts', {
    'engine.halt.flagged': 'HALT_AND_FLAG halts after execution (why: flagged).',
    'engine.halt.gate': 'A manual gate halts before execution (why: gate).',
    'engine.halt.step-mode': 'Step mode halts before each execution (why: step).',
    'engine.halt.manual': 'Internal:ManualIntervention halts (why: manual).',
    'engine.halt.fork-siblings': 'In a FORK the siblings run on; the run is halted when no branch can move.',
    'engine.answer.retry': 'retry executes this block again.',
    'engine.answer.proceed': 'proceed executes a gated or stepped block now.',
    'engine.answer.next': 'next goes to the block after it in declaration order, RETURN from the last.',
    'engine.answer.jump': 'jump goes to that block.',
    'engine.answer.abort': 'abort cancels the run.',
    'engine.answer.reject':
      'reject answers SIGNAL:REJECTED at work by hand; its reason is guidance, and max_rejections limits it.',
    'engine.answer.guidance': 'Optional guidance becomes a HUMAN_GUIDANCE segment.',
    'engine.answer.second-refused': 'A second answer to the same halt is refused.',
    'engine.answer.no-free-text': 'Free text is never taken as an approval.',
    'engine.control.cancel': 'cancel ends the run; the worker is aborted and its child processes are gone.',
  }),
  ...section(3, 'engine: Halts', {
    'engine.run.recorded-states': 'A run that is known but does not run is pending, interrupted or paused.',
    'engine.halt.durable': 'A halted run holds no process, survives restarts and can be answered on another machine.',
    'engine.control.stop': 'stop interrupts now; the run can be resumed.',
    'engine.control.pause': 'pause stops after the current step.',
    'engine.control.cancel-final': 'A cancelled run executes nothing any more, also when it is resumed.',
    'engine.wait.worker':
      'A worker can ask to wait, until a time or for a person: no failure, and its message is shown.',
    'engine.wait.goes-on-by-itself': 'A wait whose time has come answers itself when the run is resumed.',
  }),
  ...section(3, 'engine: Durability', {
    'engine.root.nearest-flow':
      'The root is the nearest ancestor with .flow/; in a linked worktree that of the main worktree.',
    'engine.root.errors':
      'root_not_found, or invalid_root when .flow is a file or leads out; no hang on hostile directories.',
    'engine.lock.owner': "A dead owner's lock is taken over, a live one's respected.",
    'engine.lock.intent': 'intent.lock lists what was dispatched, with attempt numbers, before dispatch.',
    'engine.journal.one-append': 'One synced append carries the result of step n and the intent of step n+1.',
    'engine.journal.before-machine':
      'It is written before the machine hears of the result and before the next worker starts.',
    'engine.journal.by-step-key': 'Replay is by step key, not by order of arrival.',
    'engine.journal.torn-line': 'A torn last line is dropped; any other damage is corrupt_state with what can be done.',
    'engine.journal.group-commit': 'Group commit when several runs write at once.',
    'engine.state-files.checkpoints':
      'State files are checkpoints, written at the turning points and rebuilt from the journal.',
    'engine.blobs.journal': 'Journal data over 8 KiB goes to .flow/blobs, synced before the line that names it.',
    'engine.blobs.events':
      'Event payloads over 8,192 bytes go to .flow/artifacts, removed when the run ends unless preserve.',
    'engine.resume.journal-answers': 'On resume the journal answers until it ends; then real workers run.',
    'engine.resume.zombie': 'A step in flight is asked by checkCompletion, executed again if safe, else halted.',
    'engine.resume.retry-failed':
      'After a failure --retry takes the failing execution back, and nothing that had succeeded.',
    'engine.resume.only-when-asked': 'Only when asked for; a new run never inherits an old one.',
    'engine.circuit-breaker': 'More than three crashed executions of one step key halt as circuit_open.',
    'engine.drift.stored-manifest':
      'A run carries its resolved manifest; a changed file is reported and the stored one used.',
    'engine.drift.migrate':
      '--manifest new migrates when every recorded block is the same, else manifest_changed with the list.',
    'engine.crash-barrier.exception': 'An exception saves state and exits 1.',
    'engine.crash-barrier.signals':
      'SIGINT/SIGTERM interrupt: clean up in 5 s, flush, exit 0; a second signal ends at once.',
    'engine.crash-barrier.disk': 'Disk full or read-only: the old state stays, the new one goes to stderr, exit 1.',
    'engine.retention': 'Sizes in status --disk; runs prune by age, count and size.',
  }),
  ...section(6, 'engine: Durability', {
    'engine.snapshots.before-effects':
      'Before a step with side effects in a worktree a snapshot commit is made through a temporary index.',
    'engine.snapshots.restored':
      'A crashed attempt is executed again on the files as they were before it; what it left is saved under refs/robosmith/rescue.',
    'engine.snapshots.shared':
      'What others have finished in the same worktree meanwhile is never taken back: then nothing is restored.',
    'engine.snapshots.time-travel':
      'Time travel restores the files of its step from the same snapshots, in a new session.',
    'engine.snapshots.pruned': 'The snapshots of a run go with it.',
    'engine.snapshots.in-dir-never-restored': 'In a directory given with --in nothing is ever restored.',
  }),
  ...section(6, 'engine: Where the engine runs', {
    'engine.host.outlives-windows': 'The engine is a process of its own, one per project, that outlives its clients.',
    'engine.host.busy': 'Exit 4 only when neither a live host nor an own process is possible.',
    'engine.host.idle': 'It ends after idling with nothing running or waiting.',
    'engine.host.one': 'Of several hosts that are started at once, exactly one owns the project.',
    'engine.host.detaches': 'Ctrl-C on a client of the host detaches and prints how to come back.',
    'engine.host.kill': 'A host or a client killed at any time loses nothing; a run goes on again only when asked.',
    'engine.host.private':
      'Others, other versions and whatever is no protocol are sent away, each with its own connection only.',
    'engine.host.slow-client': 'A client that does not read holds up nobody; it can subscribe again from where it was.',
    'engine.host.session-moves':
      'A client that follows the sessions is told the whole list, then each move once and in order, and the rows that change.',
    'engine.host.log': 'What the host says goes into a file that is bounded.',
    'engine.host.fork': 'A run is forked by the host as by a command that owns the engine, in a session or in none.',
    'engine.host.own-process':
      'A run that the command line does by itself can be watched, stopped and paused by others.',
    'engine.host.inbox': 'Host and command line tell the same of what waits for a person.',
    'engine.host.keys': 'Keys are handed over by the client and held in memory only; missing keys halt the run.',
  }),
  ...section(2, 'engine: Events', {
    'engine.events.every-change': 'Every change is a structured event, typed in one place.',
    'engine.events.sequence': 'Each has a sequence number, time, ids and payload.',
    'engine.events.run': 'run.started, run.halted and run.finished frame a run.',
    'engine.events.block': 'block.started and block.finished frame an execution.',
    'engine.events.node': 'node.entered and node.left frame a frame.',
    'engine.events.recovery': 'Recovery tells each retry, repair and exhaustion.',
    'engine.events.transition': 'transition.taken tells every look-up.',
    'engine.events.fork': 'A FORK tells its opening and its join.',
    'engine.events.subscribers': 'Views, progress and exports are subscribers; the engine knows none of them.',
    'engine.events.listener-throws': 'A subscriber that throws does not disturb the run.',
  }),
  ...section(3, 'engine: Events', {
    'engine.events.file':
      'Appended to .flow/logs/events.jsonl, rotated by size; a torn last line is repaired at start.',
    'engine.events.hostile-payload': 'A cyclic or unserialisable payload is replaced by a description.',
    'engine.events.disk': 'A full or read-only disk degrades with a warning and never kills a run.',
  }),
  ...section(2, 'engine: Determinism', {
    'engine.determinism.same-path':
      'Given manifest and worker results a run takes the same path; time, ids, chance come in as inputs.',
    'engine.determinism.virtual-time': 'In simulate time is virtual.',
    'engine.determinism.fork-order': 'FORK steps are ordered by virtual finish time, then frame path.',
  }),
  ...section(3, 'engine: Determinism', {
    'engine.determinism.replay': 'runs replay re-executes a run from its journal and compares every transition.',
    'engine.determinism.replay-executes-nothing': 'A replay executes and writes nothing.',
    'engine.determinism.time-travel':
      'runs fork <run>@<step> starts a new run from any step; the old run is untouched.',
  }),
  ...section(2, 'engine: Export for review', {
    'engine.export.json': 'XState JSON that createMachine accepts unchanged.',
    'engine.export.json-links': 'link() from the library makes it run.',
    'engine.export.ts': 'A TypeScript module.',
    'engine.export.mermaid': 'A Mermaid diagram.',
    'engine.export.dot': 'A DOT graph.',
    'engine.export.scxml': 'SCXML.',
    'engine.export.html': 'One self-contained HTML page with the graph.',
    'engine.export.svg': 'One SVG file with the graph, which loads nothing.',
    'engine.export.reproducible': 'Output is byte-for-byte reproducible.',
    'engine.diff.behaviour': 'diff tells two manifests apart by blocks, transitions and contracts rather than by text.',
  }),
  ...section(2, 'engine: The library', {
    'engine.library.exports': "import … from 'robo-smith': package exports, typed, pinned by tests.",
    'engine.library.compile': 'compile(source) gives diagnostics, graph and configs.',
    'engine.library.link': 'link(configs, implementations) gives ordinary XState machines for createActor.',
    'engine.library.orchestrator':
      'new Orchestrator(manifest, services).execute(startNodeId) resolves with the final Response.',
    'engine.library.orchestrator-block': 'execute takes a block id as well.',
    'engine.library.execute-action-jump': 'executeAction of a JUMP gives the target and leaves the stack.',
    'engine.library.execute-action-call':
      'executeAction of a CALL pushes the return address and gives the entry block.',
    'engine.library.execute-action-return':
      'executeAction of a RETURN pops the last address; null from an empty stack.',
    'engine.library.workflow-service': 'WorkflowService reads, parses and validates the manifest.',
  }),
  ...section(5, 'engine: The library', {
    'engine.library.api-pool-manager': 'ApiPoolManager and SecureStorageService are facades of the library.',
  }),
  ...section(6, 'engine: The library', {
    'engine.library.git-worktree-manager': 'GitWorktreeManager is a facade of the library.',
  }),
  ...section('later', 'engine: The library', {
    'engine.library.context-partitioner':
      'R_Mcp_ServerManager and ContextPartitionerService are facades of the library.',
  }),
} as const;
