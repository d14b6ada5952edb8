import { section } from './section.ts';

export const MANIFEST = {
  ...section(2, 'manifest: Shape', {
    'manifest.shape.comments': 'Comments and trailing commas are allowed.',
    'manifest.shape.position': 'Every diagnostic carries file, line, column and a JSON pointer.',
    'manifest.shape.schema-single-source':
      'schemas/workflow.schema.json alone defines the shape: validation and types come from it.',
    'manifest.shape.unknown-key': 'An unknown key is an error with a "did you mean".',
    'manifest.shape.x-keys': 'Keys that begin with `x-` are free, at every level.',
    'manifest.shape.defaults': 'max_steps 128, max_run_steps 10000, max_depth 256 where the manifest says nothing.',
    'manifest.shape.entry': '`entry` names the node that a run without a start takes.',
    'manifest.shape.node-max-steps': "A node's own max_steps replaces the manifest's for its frame.",
    'manifest.shape.scripted-worker': 'A `scripted` worker answers from the file named in `answers`.',
    'manifest.shape.command-worker':
      'A `command` worker has argv, side_effects and a table from exit code to signal, `*` for the rest.',
  }),
  ...section(2, 'manifest: Names and grammar', {
    'manifest.names.node-id': 'A node id is letters, digits, `_`, `-`, without `__`, not only digits.',
    'manifest.names.block-id': 'A block id is `<node>__<name>`, unique in the whole manifest after imports.',
    'manifest.names.signal': 'A signal is `SIGNAL:` and one or more of A–Z, 0–9, `_`.',
    'manifest.names.action-grammar':
      'An action is JUMP, CALL, RETURN, FORK or HALT_AND_FLAG in the written grammar; all else is an error.',
    'manifest.names.bare-target': 'A bare target is a block of the same node.',
    'manifest.names.prefixes': '`Block:` and `Node:` prefixes are accepted in actions and change nothing.',
    'manifest.names.full-block-key':
      'The full id, with or without `Block:`, is accepted as a key of `blocks` and normalised.',
    'manifest.names.string-booleans': '"TRUE" and "FALSE" are accepted for booleans and normalised.',
    'manifest.names.forbidden-characters':
      '`.` `*` `#` `@` `\\`, control characters and a prefix `xstate.` are refused in every id.',
    'manifest.names.only-digits': 'A name made of digits only is refused.',
    'manifest.names.fail-default-lookup-only':
      'SIGNAL:FAIL_DEFAULT is for look-up only; a worker that emits it breaks its contract.',
    'manifest.names.engine-signals-allowed':
      'Workers may emit ERROR, TIMEOUT, VALIDATION_FAIL and NO_SIGNAL as ordinary signals.',
    'manifest.names.worker-reference':
      'A worker is `Worker:<Name>` (declared), `Internal:<Name>` (built in) or a name in the registry.',
  }),
  ...section(2, 'manifest: Actions', {
    'manifest.jump.same-node': 'JUMP goes to that block; the stack is unchanged.',
    'manifest.jump.cross-node': 'JUMP into another node: the frame becomes that node.',
    'manifest.jump.cross-node-keeps': 'It keeps caller, return address, branch, payload, exports and step count.',
    'manifest.jump.cross-node-memory': "The old node's static memory and boundary go with it.",
    'manifest.call.entry-block': "CALL opens a child frame at the node's entry_block.",
    'manifest.call.implicit-return':
      'Its implicit return address is the next block of the calling node in declaration order.',
    'manifest.call.explicit-return': 'An explicit return address is where the caller goes on.',
    'manifest.call.explicit-return-cross-node':
      'An explicit return address in another node makes the frame that node, as JUMP does.',
    'manifest.call.tail-position':
      "From the last block it is a tail call: the callee's RETURN ends the caller's frame as well.",
    'manifest.return.to-caller': 'RETURN ends the frame and goes back to the caller.',
    'manifest.return.to-join': "RETURN of a branch goes to the fork's join.",
    'manifest.return.root-completes': 'RETURN of the root frame completes the run.',
    'manifest.fork.branches': 'FORK opens child frames side by side.',
    'manifest.fork.same-node-twice': 'The same node twice in a FORK is legal.',
    'manifest.fork.join': 'When all branches have returned the fork joins and goes to the return address.',
    'manifest.fork.implicit-return':
      "FORK's implicit return address is the next block; from the last one it is a tail call.",
    'manifest.fork.explicit-return': 'FORK takes an explicit return address, also in another node.',
    'manifest.halt.waits': 'HALT_AND_FLAG stops at the block and waits for a person.',
    'manifest.no-transitions.returns': 'A block with no transitions at all ends its frame as RETURN does.',
    'manifest.no-transitions.engine-signal': 'If such a block ends in an engine signal, the frame fails.',
  }),
  ...section(2, 'manifest: Payload and exports', {
    'manifest.payload.child-starts-with': "A child starts with the caller's payload and exports.",
    'manifest.payload.call-replaces': 'What a CALL returns replaces both.',
    'manifest.payload.fork-appends-new': "A FORK joins to the caller's payload plus the segments whose ids are new.",
    'manifest.payload.fork-written-order':
      'They come in the order in which the branches are written, never in order of completion.',
    'manifest.payload.fork-exports': 'Exports merge in the same order.',
    'manifest.payload.fork-removal': 'What a branch removed is not removed by the join.',
    'manifest.payload.boundary-keeps': 'A context boundary cuts static memory only, never the payload.',
  }),
  ...section(2, 'manifest: Failure of a child', {
    'manifest.child-failure.error-signal':
      "The CALL or FORK block gets SIGNAL:ERROR with the child's Response in details.",
    'manifest.child-failure.one-lookup': 'It is one more look-up: no worker, no recovery, no step.',
    'manifest.child-failure.cancels-branches': 'Other branches are cancelled first.',
    'manifest.child-failure.drops-results': 'Payload and exports of all branches are dropped.',
    'manifest.child-failure.ends-run':
      'no_transition, max_run_steps_exceeded, corrupt_state and cancelled end the whole run from any depth.',
  }),
  ...section(2, 'manifest: Transition look-up', {
    'manifest.look-up.order': 'The first transition in written order whose signal equals.',
    'manifest.look-up.condition': 'A transition whose condition is false is passed over.',
    'manifest.look-up.fail-default': 'Else the first SIGNAL:FAIL_DEFAULT under the same rule.',
    'manifest.look-up.no-transition': "Else, for a worker's signal, the run fails with no_transition.",
    'manifest.look-up.no-transition-details': 'no_transition names block, signal and the signals handled.',
    'manifest.look-up.engine-signal': 'Else, for an engine signal, the frame fails with the underlying reason.',
    'manifest.look-up.engine-signal-details': 'Its details say that no transition handled it.',
    'manifest.condition.exports.equals': '`exports.equals` compares an export with a value.',
    'manifest.condition.exports.truthy': '`exports.truthy` asks whether an export is truthy.',
    'manifest.condition.payload.has-type': '`payload.has_type` asks for a segment of that type.',
    'manifest.condition.response.success': '`response.success` looks at the Response of this step.',
    'manifest.condition.attempt.less-than': '`attempt.less_than` compares the attempt.',
    'manifest.condition.visits.less-than': '`visits.less_than` compares the visits of the block.',
    'manifest.condition.unresolved': 'An id that does not resolve is a compile error (condition_resolution_error).',
    'manifest.condition.throws':
      'A condition that throws fails the frame with condition_resolution_error; no second look-up.',
    'manifest.reserved.guard': '`guard` is accepted, ignored, and warned about once.',
    'manifest.reserved.bind-args': '`bind_args` is accepted, ignored, and warned about once.',
  }),
  ...section(2, 'manifest: Step sugar', {
    'manifest.sugar.both-styles': 'onSuccess/onFailure and transitions in one block is an error.',
    'manifest.sugar.default-failure': 'Without onFailure: HALT_AND_FLAG.',
    'manifest.sugar.validation-keyword':
      "validation.signal: SIGNAL:SUCCESS if the AI's text has the keyword, else SIGNAL:FAILURE.",
    'manifest.sugar.proceed-signal': '`proceedSignal` is another spelling of validation.signal.',
    'manifest.sugar.validation-with-transitions': 'validation is allowed together with transitions.',
    'manifest.sugar.proceed': 'proceed: SIGNAL:SUCCESS jumps to the next block, RETURN from the last one.',
    'manifest.sugar.execute-node': 'execute_node: SIGNAL:FAIL_DEFAULT calls the node and comes back to this block.',
    'manifest.sugar.stop-and-flag': 'stop_and_flag: SIGNAL:FAIL_DEFAULT halts.',
    'manifest.sugar.jump': 'jump: the matching JUMP.',
    'manifest.sugar.return': 'return: RETURN.',
    'manifest.sugar.on': 'on: rows by signal; an entry is an action, an action with a condition, or a list of these.',
    'manifest.sugar.default-transitions':
      'default_transitions: the rows of all tables of the file for signals that their own rows do not handle.',
    'manifest.inputs.checked': 'inputs: declared values are checked before anything is executed.',
    'manifest.inputs.given': 'inputs: the values are exports of the root frame and the text of its first segment.',
    'manifest.sugar.check':
      'check: evidence by a command, and the worker is executed again while it fails, at most `attempts` times.',
  }),
  ...section(2, 'manifest: Memory', {
    'manifest.memory.immutable': 'Every worker gets one immutable BlockMemory.',
    'manifest.memory.layer-order':
      'It has five layers in the written order: payload, contract, inherited, artifact, system.',
    'manifest.memory.payload-selected': 'Layer 1 is what payload_merge_strategy selects.',
    'manifest.memory.segment-shape': 'A segment is {id, type, content, source: {block, visit}, meta, timestamp}.',
    'manifest.memory.segment-id': "A segment's id is `<step key>.<n>`.",
    'manifest.memory.contract-layer':
      "Layer 2 is persona, then the block's contract, then the signals that the block handles.",
    'manifest.memory.inherited-nearest-first': 'Layer 3 is static_memory of the frames, nearest first.',
    'manifest.memory.inherited-hides': 'A nearer key hides the same key further out.',
    'manifest.memory.boundary': 'Nothing from beyond a node with context_inheritance false is seen by its blocks.',
    'manifest.memory.boundary-callees': 'Nor by what they call: the boundary is checked frame by frame.',
    'manifest.memory.artifact':
      'Layer 4 has the content of the files that artifact names (paths or globs inside the worktree).',
    'manifest.memory.system':
      'Layer 5 has run, session, task, worktree path, node, block, visit, attempt, step; read-only.',
  }),
  ...section(6, 'manifest: Memory', {
    'manifest.memory.context-slice': "Layer 4 has the results of the block's context_slice.",
  }),
  ...section(5, 'manifest: Memory', {
    'manifest.memory.chat-turns':
      'For chat models, what this AI block wrote becomes assistant turns, all else user turns; neighbours are joined.',
    'manifest.memory.chat-system': 'Layers 2, 3 and 5 are the system message, layer 4 precedes the last user turn.',
  }),
  ...section(2, 'manifest: payload_merge_strategy', {
    'manifest.merge.view-only': 'A merge strategy is a view for one worker and never changes the stored payload.',
    'manifest.merge.ordered': 'Each instruction contributes segments in order.',
    'manifest.merge.no-duplicates': 'A segment already taken is not taken twice.',
    'manifest.merge.default-all': 'The default is ["ALL"].',
    'manifest.merge.lazy': 'A big view is lazy, not copied.',
    'manifest.merge.all': 'ALL gives the whole current payload.',
    'manifest.merge.none': 'NONE gives nothing.',
    'manifest.merge.type': 'TYPE:<T> gives all segments of that type.',
    'manifest.merge.last': 'LAST:<T> gives the newest one of that type.',
    'manifest.merge.last-n': 'LAST:<T>:<n> gives the newest n of that type, oldest of them first.',
    'manifest.merge.block': 'BLOCK:<BlockId> gives what that block added on its last visit in this run.',
    'manifest.merge.static-memory':
      'MERGE:STATIC_MEMORY:<key> gives the visible entry as a STATIC_MEMORY segment; not stored.',
    'manifest.merge.static-memory-moves': 'Layer 3 then omits that entry.',
    'manifest.merge.export': 'EXPORT:<key> gives the exported value as an EXPORT segment; not stored.',
    'manifest.merge.text': 'TEXT:<literal> gives a SYSTEM_INSTRUCTION segment; not stored.',
    'manifest.result.append': 'append adds to the frame’s whole payload, whatever the view was.',
    'manifest.result.payload': 'payload replaces it.',
    'manifest.result.both': 'append and payload at once break the contract.',
    'manifest.result.neither': 'Neither leaves the payload as it is.',
    'manifest.segment-type.ai': "An AI answer gets the worker's output_type, CODE_OUTPUT by default, signal line kept.",
    'manifest.segment-type.input': '--input is a USER_INPUT segment.',
    'manifest.segment-type.guidance': 'Guidance is a HUMAN_GUIDANCE segment.',
  }),
  ...section(2, 'manifest: Composition', {
    'manifest.imports.relative': 'imports are other manifest files, relative to the importing one.',
    'manifest.imports.inside-project': 'An import outside the project is an error.',
    'manifest.imports.cycle': 'A cycle of imports is an error with both places.',
    'manifest.imports.duplicate-id': 'A duplicate id is an error with both places.',
    'manifest.extend.inherits': 'A node that extends another inherits everything from it.',
    'manifest.extend.own-blocks-win': 'Its own blocks replace those of the base by name.',
    'manifest.extend.static-memory-deep': 'static_memory is merged deeply.',
    'manifest.mixins.fill-missing': 'Mixins add, in order, what is still missing.',
    'manifest.mixins.contradiction': 'A mixin that contradicts what is there is an error unless both are equal.',
    'manifest.show-resolved': '`manifest show --resolved` prints the result with the origin of every block.',
  }),
  ...section(2, 'manifest: Validation', {
    'manifest.validation.before-run': 'All of it before the first block runs.',
    'manifest.validation.all-at-once': 'All diagnostics are reported in one go.',
    'manifest.validation.unknown-entry': 'An unknown entry node or entry block is an error.',
    'manifest.validation.unknown-target': 'An unknown JUMP target, called node or forked node is an error.',
    'manifest.validation.unknown-return-address': 'An unknown return address is an error.',
    'manifest.validation.unknown-worker': 'An unknown worker is an error.',
    'manifest.validation.unknown-condition': 'An unknown condition is an error.',
    'manifest.validation.unknown-slice': 'An unknown context slice is an error.',
    'manifest.validation.unknown-pool': 'An unknown pool is an error.',
    'manifest.validation.empty-node': 'A node without blocks is an error.',
    'manifest.validation.merge-impossible': 'A merge instruction that names what cannot exist is an error.',
    'manifest.validation.warn-unreachable': 'A block that nothing reaches is a warning.',
    'manifest.validation.warn-no-default': 'A block with transitions but no SIGNAL:FAIL_DEFAULT is a warning.',
    'manifest.validation.warn-cycle': 'A cycle without a halting edge is a warning.',
    'manifest.validation.warn-artifact': 'artifact that matches nothing is a warning.',
    'manifest.validation.code': 'Every diagnostic has a stable code and a severity.',
    'manifest.validation.advice': 'Every diagnostic has a sentence that says what to do.',
    'manifest.validation.did-you-mean': 'And a "did you mean" where a name is near.',
    'manifest.validation.invalid-graph':
      'A manifest with an error never runs: success false, reason invalid_graph, details.diagnostics.',
    'manifest.validation.linear': '10,000 blocks validate and compile in about a second, and the cost grows linearly.',
    'manifest.validation.hostile-nesting': 'Deep nesting gets an error, never a crash.',
    'manifest.validation.hostile-size': 'A 50 MB file gets an answer, never a crash or a hang.',
    'manifest.validation.hostile-nul': 'NUL bytes get an error.',
    'manifest.validation.hostile-duplicate-keys': 'Duplicate JSON keys get an error with both places.',
    'manifest.validation.hostile-prototype': '`__proto__` as a name gets an error and changes no prototype.',
  }),
  ...section(2, 'manifest: commands', {
    'manifest.commands.detected': "commands default to what the project's own files say.",
    'manifest.commands.doctor': '`robosmith doctor` shows which commands apply and from where.',
  }),
} as const;
