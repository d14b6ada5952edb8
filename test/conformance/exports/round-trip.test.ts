import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import { type AnyStateMachine, createMachine } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import { verifies } from '../../e2e/verifies.ts';
import { projectOf } from '../workflows/case-project.ts';
import type { ConformanceCase } from '../workflows/conformance-case.ts';
import { loadCases } from '../workflows/load-cases.ts';
import { readJson, readTypeScript } from './read-export.ts';
import { readMachines, wantedOf } from './read-machines.ts';

const compiledOf = async (one: ConformanceCase): Promise<CompiledWorkflow | null> => {
  const { sources, options } = await projectOf(one);
  return compile(sources, options).workflow;
};

const valid = await Promise.all(
  loadCases().map(async ({ theme, case: one }) => ({ theme, id: one.id, workflow: await compiledOf(one) })),
);
const cases = valid.flatMap(({ theme, id, workflow }) => (workflow === null ? [] : [{ theme, id, workflow }]));

/**
 * The depth up to which Stately's SDK serializes values. Its default of ten levels is too low, because a condition's
 * arguments may have any depth.
 */
const NESTED = 1_000;

/** Returns the definitions of machines in the form in which Stately's SDK sends them to its editor and inspector. */
function definitionsOf(configs: readonly MachineConfig[]): readonly unknown[] {
  const sent: unknown[] = [];
  const send = (event: StatelyInspectionEvent): void => {
    sent.push(event.type === '@xstate.actor' ? JSON.parse(event.definition ?? 'null') : event);
  };
  const { actor } = createInspector({ send }, { serializationDepthLimit: NESTED });
  configs.forEach((config, index) => {
    actor({ sessionId: String(index), logic: createMachine(config) } as never);
  });
  return sent;
}

/** Checks that every transition of a machine has an existing target: XState throws when it resolves a missing one. */
function expectTargetsOf(machine: AnyStateMachine): void {
  const transitions = getStateNodes(machine).flatMap((state) => [...state.transitions.values()].flat());
  for (const { source, target } of transitions) expect(target ?? [], source.id).not.toContain(undefined);
}

test('only manifests with errors are left out', () => {
  const left = valid.filter(({ workflow }) => workflow === null).map(({ id }) => id);
  const refused = loadCases().filter((one) => one.case.expect.reason === 'invalid_graph');
  expect(left).toEqual(refused.map((one) => one.case.id));
});

describe('exported and read back', () => {
  test.each(cases)('json: $theme/$id', ({ workflow }) => {
    verifies('engine.export.json');
    const { graph, nodes } = readJson(workflow);
    expect(graph).toEqual(workflow.graph);
    expect(readMachines(nodes)).toEqual(wantedOf(workflow.graph));
  });

  test.each(cases)('ts: $theme/$id', async ({ workflow }) => {
    verifies('engine.export.ts');
    const { graph, frame, nodes } = await readTypeScript(workflow);
    expect(graph).toEqual(workflow.graph);
    expect(frame).toEqual(workflow.frame);
    expect(readMachines(nodes)).toEqual(wantedOf(workflow.graph));
  });

  test.each(cases)('in the format of Stately: $theme/$id', ({ workflow }) => {
    const { frame, nodes } = readJson(workflow);
    const configs = [frame, ...Object.values(nodes)];
    const shown = definitionsOf(configs);
    expect(shown).toEqual(configs);
    for (const definition of shown) expectTargetsOf(createMachine(definition as never));
  });
});
