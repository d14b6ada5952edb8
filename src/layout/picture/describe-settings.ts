import type { Access, Evidence, GraphBlock, MergeInstruction, RecoveryPolicy, Validation } from '#protocol/graph.ts';

/** Returns a block's settings apart from its transition table, as readable lines. */
export function describeSettings(block: GraphBlock): readonly string[] {
  const merge = block.mergeStrategy.map(mergeText).join(', ');
  return [
    ...(block.contract === null ? [] : [block.contract]),
    ...(block.artifact.length === 0 ? [] : [`artifact: ${block.artifact.join(', ')}`]),
    ...accessLines(block.access),
    ...block.evidence.map((evidence) => `evidence: ${evidenceText(evidence)}`),
    ...validationLines(block.validation),
    ...(block.answer === undefined ? [] : [`data in the answer: ${JSON.stringify(block.answer.schema)}`]),
    ...(block.contextSlice === null ? [] : [`context slice: ${block.contextSlice}`]),
    ...(merge === 'ALL' ? [] : [`reads: ${merge}`]),
    ...(block.gate ? ['gate: waits for a person before it executes'] : []),
    ...(block.timeoutMs === null ? [] : [`time limit: ${block.timeoutMs} ms`]),
    ...(block.sideEffects === null ? [] : [`side effects: ${block.sideEffects}`]),
    ...Object.entries(block.params).map(([name, value]) => `parameter ${name}: ${JSON.stringify(value)}`),
    ...Object.entries(block.recovery).map(
      ([reason, policies]) => `on ${reason}: ${policies.map(policyText).join(', then ')}`,
    ),
  ];
}

/** Returns lines about what a block may write. The default (its artifact and the change plan) yields no line. */
function accessLines({ mode, paths, isListed }: Access): readonly string[] {
  if (mode === 'shared') return ['may write: the whole worktree'];
  if (mode === 'strict' || (isListed === true && paths.length === 0)) return ['may write: nothing'];
  return isListed === true ? [`may write: ${paths.join(', ')}`] : [];
}

function evidenceText(evidence: Evidence): string {
  if (evidence.kind === 'command') return evidence.command.join(' ');
  return evidence.contains === null ? evidence.file : `${evidence.file} contains ${JSON.stringify(evidence.contains)}`;
}

function validationLines(validation: Validation | null): readonly string[] {
  const { keyword, schema } = validation ?? { keyword: null, schema: null };
  return [
    ...(keyword === null ? [] : [`succeeds with the keyword: ${keyword}`]),
    ...(schema === null ? [] : [`schema of the answer: ${JSON.stringify(schema)}`]),
  ];
}

function mergeText(instruction: MergeInstruction): string {
  switch (instruction.kind) {
    case 'all':
      return 'ALL';
    case 'none':
      return 'NONE';
    case 'type':
      return `TYPE:${instruction.type}`;
    case 'last':
      return `LAST:${instruction.type}:${instruction.count}`;
    case 'block':
      return `BLOCK:${instruction.block}`;
    case 'static_memory':
      return `MERGE:STATIC_MEMORY:${instruction.key}`;
    case 'export':
      return `EXPORT:${instruction.key}`;
    case 'text':
      return `TEXT:${instruction.text}`;
  }
}

function policyText(policy: RecoveryPolicy): string {
  switch (policy.policy) {
    case 'retry':
      return `retry, ${policy.maxAttempts} executions in all`;
    case 'repair':
      return `repair with ${policy.worker}`;
    case 'bubble':
      return 'give up';
  }
}
