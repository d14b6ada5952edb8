import type { KeyReport, PoolSettings } from '#protocol/key-pool.ts';
import type { FailurePolicy } from '#protocol/failure-class.ts';
import type { ClassifiedFailure } from './classify.ts';
import { CLASS_RULES, policyOf } from './failure-policy.ts';
import { type Cost, type OutputBound, reserve, settle } from './ledger.ts';
import { addRequest, correctTokens, type WindowEntry } from './minute-window.ts';
import { modelGates, type PoolKey, reportOf } from './pool-key.ts';
import { changeGate, modelGate, noteAnswer, noteTrouble, type PoolState, setDisabled } from './pool-state.ts';
import { type Gate, released, taken } from './key-state.ts';

/** The lease of one attempt in flight: its key, and the gates that it passed. */
export interface Lease {
  readonly id: number;
  readonly key: PoolKey;
  readonly model: string;
  readonly generation: number;
  readonly endpoint: Gate;
  readonly gates: readonly { readonly gate: Gate; readonly epoch: number }[];
  readonly entry: WindowEntry;
  readonly accounts: readonly string[];
  readonly reserved: Cost;
  /** The cost of the input, which is the least that the attempt costs once it is accepted. */
  readonly least: Cost;
  /** The maximum number of output tokens to request; null for the maximum of the request itself. */
  readonly output: number | null;
  /** The limit that determines `output`; null if none does. */
  readonly boundBy: OutputBound | null;
}

interface LeaseOrder {
  readonly id: number;
  readonly key: PoolKey;
  readonly model: string;
  readonly endpoint: Gate;
  readonly accounts: readonly string[];
  readonly reserved: Cost;
  readonly least: Cost;
  /** The number of input tokens, for the limit per minute. */
  readonly input: number;
  readonly output: number | null;
  readonly boundBy: OutputBound | null;
}

export function beginLease(state: PoolState, { input, ...order }: LeaseOrder, now: number): Lease {
  const { id, key, model, endpoint, accounts, reserved } = order;
  const all = new Set([key.own, key.account, endpoint, ...modelGates(key, model)]);
  const gates = [...all].map((gate) => ({ gate, epoch: gate.standing.epoch }));
  for (const { gate } of gates) changeGate(state, gate, taken(gate.standing, id));
  key.inFlight += 1;
  reserve(state.ledger, accounts, reserved);
  return { ...order, generation: key.generation, gates, entry: addRequest(key.window, input, now) };
}

/**
 * Records that the text of an answer has begun, so its key, account and model work. The endpoint counts as working only
 * after a complete answer, but other calls may try it meanwhile.
 */
export function noteText(state: PoolState, { id, gates, endpoint }: Lease): void {
  for (const { gate, epoch } of gates)
    if (gate !== endpoint) noteAnswer(state, gate, epoch);
    else changeGate(state, gate, released(gate.standing, id));
}

/** Records a complete answer: all gates of the lease work. */
function noteWhole(state: PoolState, { gates }: Lease): void {
  for (const { gate, epoch } of gates) noteAnswer(state, gate, epoch);
}

/** Returns the gate's epoch when the lease began; 0 for a gate that was created later. */
const epochOf = ({ gates }: Lease, gate: Gate): number => gates.find((one) => one.gate === gate)?.epoch ?? 0;

function blamed(state: PoolState, { key, model, endpoint }: Lease, failure: ClassifiedFailure): Gate {
  const { blames } = CLASS_RULES[failure.class];
  if (blames === 'endpoint') return endpoint;
  if (blames === 'model') return modelGate(state, key.own, model);
  const gate = blames === 'account' ? key.account : key.own;
  return failure.ofModel ? modelGate(state, gate, model) : gate;
}

function punish(state: PoolState, lease: Lease, failure: ClassifiedFailure, policy: FailurePolicy, now: number): void {
  const { blames, as, pauses } = CLASS_RULES[failure.class];
  const { class: why, said, retryAt } = failure;
  // A failure that is not blamed on the endpoint shows that the endpoint has answered.
  if (blames !== 'endpoint') noteAnswer(state, lease.endpoint, epochOf(lease, lease.endpoint));
  const isOld = lease.generation !== lease.key.generation;
  if (isOld && policy === 'disable') return;
  if (policy === 'disable' && failure.class !== 'invalid_key') return setDisabled(lease.key, true);
  if (policy !== 'cool' && policy !== 'disable') return;
  const { own } = lease.key;
  const gate = policy === 'disable' ? own : blamed(state, lease, failure);
  // A failure with an old secret says nothing about the new one.
  if (isOld && (gate === own || own.models.get(lease.model) === gate)) return;
  const trouble = { as: policy === 'disable' ? 'invalid' : as, why, said, retryAt } as const;
  noteTrouble(state, gate, { id: lease.id, epoch: epochOf(lease, gate) }, trouble, pauses, now);
}

/** The end of an attempt; `cost` is null if the attempt was never sent. */
type Ending =
  | { readonly kind: 'answered'; readonly cost: Cost | null }
  | { readonly kind: 'failed'; readonly failure: ClassifiedFailure; readonly cost: Cost | null }
  /** The caller cancelled the attempt. */
  | { readonly kind: 'aborted'; readonly cost: Cost | null };

/** Ends the lease, and updates gates, limits and budgets. */
export function endLease(
  state: PoolState,
  lease: Lease,
  ending: Ending,
  pool: PoolSettings,
  now: number,
): { readonly policy: FailurePolicy | null; readonly after: KeyReport } {
  const { key, gates, entry, accounts, reserved } = lease;
  key.inFlight -= 1;
  settle(state.ledger, accounts, reserved, ending.cost);
  correctTokens(key.window, entry, ending.cost?.tokens ?? 0);
  const policy = ending.kind === 'failed' ? policyOf(pool, ending.failure.class) : null;
  if (ending.kind === 'answered') noteWhole(state, lease);
  if (ending.kind === 'failed' && policy !== null) punish(state, lease, ending.failure, policy, now);
  for (const { gate } of gates) changeGate(state, gate, released(gate.standing, lease.id));
  return { policy, after: reportOf(key, now) };
}
