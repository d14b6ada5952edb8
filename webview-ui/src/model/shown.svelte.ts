import type {
  Controls,
  EngineLink,
  HaltView,
  InboxEntry,
  IntegrationState,
  LayoutProgress,
  ManifestProblems,
  NodeSpending,
  RunFacts,
  RunTotals,
  SessionTab,
  Visit,
} from '#protocol/generated/view.gen.ts';
import type { WorkflowModel } from './workflow-model.svelte.ts';

const STOPPED: Controls = {
  run: 'Nothing is loaded yet.',
  step: 'Nothing is loaded yet.',
  pause: 'Nothing is loaded yet.',
  stop: 'Nothing is loaded yet.',
  resume: 'Nothing is loaded yet.',
  fork: 'Nothing is loaded yet.',
};

/** The part of the host's state that a view displays without changing it. */
export class Shown {
  project = $state.raw('');
  engine = $state.raw<EngineLink>({ kind: 'connected' });
  sessions = $state.raw<readonly SessionTab[]>([]);
  inbox = $state.raw<readonly InboxEntry[]>([]);
  problems = $state.raw<ManifestProblems | null>(null);
  open = $state.raw<string | null>(null);
  integration = $state.raw<IntegrationState | null>(null);
  workflow = $state.raw<WorkflowModel | null>(null);
  source = $state.raw('');
  run = $state.raw<RunFacts | null>(null);
  runControls = $state.raw<Controls>(STOPPED);
  totals = $state.raw<RunTotals | null>(null);
  nodes = $state.raw<readonly NodeSpending[]>([]);
  halts = $state.raw<readonly HaltView[]>([]);
  layoutProgress = $state.raw<LayoutProgress | null>(null);
  visits = $state.raw<readonly Visit[]>([]);
  earlierVisits = $state.raw(0);
}
