import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readList, readObject } from '../1-parse/json-reader.ts';
import { actionText } from './action-grammar.ts';
import type { Declarations } from './collect-declarations.ts';
import type { Check } from './desugar-check.ts';
import type { ResolvedBlock, ResolvedManifest, ResolvedNode, ResolvedRow } from './resolved-manifest.ts';

/** The keys of a block that resolution rewrites or removes. */
const REWRITTEN: ReadonlySet<string> = new Set([
  'transitions',
  'on',
  'check',
  'evidence',
  'recovery',
  'onSuccess',
  'onFailure',
  'validation',
  'answer',
  'proceedSignal',
  'x-origin',
]);

const SECTIONS: ReadonlySet<string> = new Set([
  'imports',
  'parameters',
  'nodes',
  'workers',
  'context_slices',
  'pools',
  'commands',
  'default_transitions',
  'rules',
]);

/** The keys of a row that resolution keeps as they are. */
const KEPT = ['means', 'guard', 'bind_args'] as const;

function printRow({ signal, condition, action, written }: ResolvedRow): JsonObject {
  const kept = KEPT.flatMap((key): (readonly [string, JsonValue])[] => {
    const value = written?.[key];
    return value === undefined ? [] : [[key, value]];
  });
  return {
    on_signal: signal,
    ...(condition === null ? {} : { condition }),
    action: actionText(action),
    ...Object.fromEntries(kept),
  };
}

function printValidation({ validation }: ResolvedBlock): JsonObject {
  if (validation === null) return {};
  const { keyword, schema } = validation;
  return { validation: { ...(keyword === null ? {} : { signal: keyword }), ...(schema === null ? {} : { schema }) } };
}

const checkEvidence = ({ command, timeoutMs, allowEmpty, sandbox }: Check): JsonObject => ({
  command,
  ...(allowEmpty ? { allow_empty: true } : {}),
  ...(sandbox ? { sandbox: true } : {}),
  ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
});

const checkPolicy = ({ attempts }: Check): JsonObject => ({
  policy: 'retry',
  max_attempts: attempts,
  repeat_effects: true,
});

/** Returns a block's `evidence` and `recovery`, including the entries that `check` adds. */
function printEvidence({ written, check }: ResolvedBlock): JsonObject {
  const evidence = [...(readList(written, 'evidence') ?? []), ...(check === null ? [] : [checkEvidence(check)])];
  const own = readObject(written, 'recovery') ?? {};
  const isAdded = check !== null && check.attempts > 1 && !has(own, 'evidence_failed');
  const recovery = isAdded ? { ...own, evidence_failed: [checkPolicy(check)] } : own;
  return {
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(Object.keys(recovery).length === 0 ? {} : { recovery }),
  };
}

function printBlock(block: ResolvedBlock, { at }: Diagnose): JsonObject {
  const { file, line, column } = at(block.spot).place;
  const kept = Object.entries(block.written).filter(([key]) => !REWRITTEN.has(key));
  return {
    'x-origin': { file, line, column },
    ...Object.fromEntries(kept),
    ...printEvidence(block),
    ...printValidation(block),
    ...(block.answer === null ? {} : { answer: { schema: block.answer.schema } }),
    ...(block.rows.length === 0 ? {} : { transitions: block.rows.map(printRow) }),
  };
}

function printNode(node: ResolvedNode, diagnose: Diagnose): JsonObject {
  return {
    ...(node.entryBlock === null ? {} : { entry_block: node.entryBlock.value }),
    ...(node.contextInheritance === null ? {} : { context_inheritance: node.contextInheritance }),
    ...(Object.keys(node.staticMemory).length === 0 ? {} : { static_memory: node.staticMemory }),
    ...(node.maxSteps === null ? {} : { max_steps: node.maxSteps }),
    ...(node.approvals === null ? {} : { approvals: node.approvals }),
    blocks: Object.fromEntries(node.blocks.map((block) => [block.name, printBlock(block, diagnose)])),
  };
}

function printSection(key: string, declarations: Declarations): JsonObject {
  const entries = [...declarations.values()].map(({ name, value }) => [name, value] as const);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

/**
 * Returns the resolved manifest in the shape of a manifest, each block with its `x-origin`, for `robosmith manifest
 * show --resolved`.
 */
export function printResolved(manifest: ResolvedManifest, diagnose: Diagnose): JsonObject {
  const settings = Object.entries(manifest.root).filter(([key]) => !SECTIONS.has(key));
  return {
    ...Object.fromEntries(settings),
    ...(manifest.rules.length === 0 ? {} : { rules: manifest.rules }),
    ...printSection('commands', manifest.commands),
    ...printSection('pools', manifest.pools),
    ...printSection('workers', manifest.workers),
    ...printSection('context_slices', manifest.contextSlices),
    nodes: Object.fromEntries(manifest.nodes.map((node) => [node.id, printNode(node, diagnose)])),
  };
}
