import type { ViewRow } from '#protocol/generated/view.gen.ts';
import type { WorkflowModel } from './workflow-model.svelte.ts';
import { visibleName } from '../look/visible-text.ts';

/** Describes the effect of a transition row in words, such as the name of the next block. */
export function rowTarget({ action }: ViewRow, workflow: WorkflowModel | null): string {
  switch (action.kind) {
    case 'jump':
      return visibleName(workflow?.blocks.get(action.block)?.info.name ?? action.block);
    case 'call':
      return visibleName(action.node);
    case 'fork':
      return action.nodes.map(visibleName).join(' + ');
    case 'return':
      return 'return';
    case 'halt':
      return 'halt for a person';
  }
}
