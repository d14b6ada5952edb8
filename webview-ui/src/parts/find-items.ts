import { STATUS_ICON } from '../look/status-look.ts';
import type { WorkflowModel } from '../model/workflow-model.svelte.ts';
import type { IconName } from '../look/icons.ts';

/** An item of a searchable list. */
export interface PickItem {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  readonly tone: string;
}

/** Returns all blocks as items of a searchable list. */
export const blockItems = (workflow: WorkflowModel): readonly PickItem[] =>
  [...workflow.blocks.values()].map((block) => ({
    id: block.id,
    label: block.info.name,
    detail: block.lane.id,
    icon: STATUS_ICON[block.status],
    tone: block.status,
  }));

/** Returns all blocks, nodes and signals as items of a searchable list. The id of an item starts with its kind. */
export function findItems(workflow: WorkflowModel): readonly PickItem[] {
  const blocks = blockItems(workflow).map((item) => ({ ...item, id: `block ${item.id}` }));
  const lanes = workflow.lanes.map((lane): PickItem => ({
    id: `lane ${lane.id}`,
    label: lane.id,
    detail: 'node',
    icon: 'type-hierarchy-sub',
    tone: '',
  }));
  const signals = [...workflow.blocks.values()].flatMap((block) =>
    block.rows.map((row): PickItem => ({
      id: `block ${block.id} ${row.index}`,
      label: row.info.signal,
      detail: `signal of ${block.info.name}`,
      icon: 'arrow-right',
      tone: '',
    })),
  );
  return [...blocks, ...lanes, ...signals];
}
