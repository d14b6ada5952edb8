import type {
  BlockState,
  RowState,
  ViewChange,
  ViewState,
  Visit,
  WorkflowViewState,
} from '#protocol/generated/view.gen.ts';

type Indexed = 'blocks' | 'rows' | 'visits';

/** The state of a workflow, in which lists are stored as maps by id. */
export type WorkflowData = {
  -readonly [Key in Exclude<keyof WorkflowViewState, Indexed>]: WorkflowViewState[Key];
} & {
  readonly blocks: Map<string, BlockState>;
  readonly rows: Map<string, RowState>;
  readonly visits: Map<string, Visit>;
};

/** The state of a view, which patches modify in place. */
export type ViewData = {
  -readonly [Key in Exclude<keyof ViewState, 'workflow'>]: ViewState[Key];
} & { readonly workflow: WorkflowData | null };

const rowKey = (row: Pick<RowState, 'block' | 'row'>): string => `${row.row} ${row.block}`;

export function toData(state: ViewState): ViewData {
  const { workflow } = state;
  if (workflow === null) return { ...state, workflow };
  return {
    ...state,
    workflow: {
      ...workflow,
      blocks: new Map(workflow.blocks.map((block) => [block.block, block])),
      rows: new Map(workflow.rows.map((row) => [rowKey(row), row])),
      visits: new Map(workflow.visits.map((visit) => [visit.id, visit])),
    },
  };
}

function changeWorkflow(workflow: WorkflowData, change: ViewChange): void {
  switch (change.kind) {
    case 'blocks':
      for (const block of change.blocks) workflow.blocks.set(block.block, block);
      return;
    case 'rows':
      for (const row of change.rows) workflow.rows.set(rowKey(row), row);
      return;
    case 'visits':
      for (const visit of change.visits) workflow.visits.set(visit.id, visit);
      return;
    case 'run':
      workflow.run = change.run;
      workflow.controls = change.controls;
      return;
    case 'frames':
      workflow.frames = change.frames;
      return;
    case 'taken':
      workflow.lastTransition = change.lastTransition;
      return;
    case 'totals':
      workflow.totals = change.totals;
      return;
    case 'nodes':
      workflow.nodes = change.nodes;
      return;
    case 'halts':
      workflow.halts = change.halts;
      return;
    case 'layout':
      workflow.layout = change.layout;
      return;
    default:
  }
}

/** Applies one change in place. Changes of a workflow are ignored if the view has none. */
export function applyChange(data: ViewData, change: ViewChange): void {
  switch (change.kind) {
    case 'sessions':
      data.sessions = change.sessions;
      return;
    case 'inbox':
      data.inbox = change.inbox;
      return;
    case 'problems':
      data.problems = change.problems;
      return;
    case 'drafts':
      data.drafts = [
        ...data.drafts.filter(({ key }) => !change.drafts.some((one) => one.key === key)),
        ...change.drafts,
      ];
      return;
    case 'engine':
      data.engine = change.engine;
      return;
    case 'integration':
      data.integration = change.integration;
      return;
    default:
      if (data.workflow !== null) changeWorkflow(data.workflow, change);
  }
}
