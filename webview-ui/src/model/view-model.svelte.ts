import type {
  Controls,
  FileDifference,
  GraphLayout,
  HaltView,
  HostToView,
  SessionTab,
  ViewChange,
} from '#protocol/generated/view.gen.ts';
import type { Host, Payload } from '../connection/host.ts';
import type { ViewData, WorkflowData } from '../store/view-data.ts';
import { Announcer } from './announcer.svelte.ts';
import { leavesOf } from './call-stack.ts';
import { Drafts } from './drafts.svelte.ts';
import { Inspection } from './inspection.svelte.ts';
import { projectPast } from './project-past.ts';
import { Requests } from './requests.svelte.ts';
import { WorkflowModel } from './workflow-model.svelte.ts';
import type { BlockModel } from './workflow-model.svelte.ts';

export type { Tab } from './inspection.svelte.ts';

const DISCONNECTED = 'The connection to the engine is lost.';
const IN_THE_PAST = 'Go live first: a past step is shown.';

const allFor = (why: string): Controls => ({ run: why, step: why, pause: why, stop: why, resume: why, fork: why });

/** The reactive state that all components of a view read, and the requests that they send. */
export class ViewModel extends Inspection {
  readonly requests: Requests;
  readonly drafts: Drafts;
  readonly announcer = new Announcer();
  isLoaded = $state.raw(false);
  /** The past step that is shown; null shows the live state. */
  pastStep = $state.raw<number | null>(null);
  /** Time in milliseconds at which the shown past step ended. */
  pastAt = $state.raw(0);
  /** The host's time in milliseconds. It ticks while a run is active. */
  now = $state.raw(0);
  isFollowing = $state.raw(true);
  /** Frame path of the FORK branch that the view follows, or null. */
  branch = $state.raw<string | null>(null);
  showsResult = $state.raw(false);
  /** True if the selection of this view is the selection of all views of the window. */
  leads = true;
  /** True while the connection to the page's server is lost. Without a server, the engine can't be reached either. */
  isCutOff = $state.raw(false);
  /** The file difference shown in a dialog, or null. Only hosts without an editor send one. */
  difference = $state.raw<FileDifference | null>(null);
  #data: ViewData | null = null;
  #layouts = new Map<string, GraphLayout>();
  #clockOffset = 0;

  constructor(host: Host) {
    super(host);
    this.requests = new Requests(host);
    this.drafts = new Drafts(host);
  }

  readonly isLive = $derived(this.pastStep === null);

  /** The time to which the shown state belongs, in milliseconds since the epoch: that of the chosen past step, or now. */
  readonly clock = $derived(this.pastStep === null ? this.now : this.pastAt);

  /** How long the run has worked, in milliseconds. The time in which it waited for a person does not count. */
  readonly elapsed = $derived.by(() => {
    const { totals } = this;
    if (totals === null) return 0;
    return totals.elapsedMs + (totals.ticking && this.isLive ? Math.max(0, this.now - totals.at) : 0);
  });

  readonly controls: Controls = $derived.by(() => {
    if (this.engine.kind === 'lost') return allFor(DISCONNECTED);
    return this.pastStep === null ? this.runControls : { ...allFor(IN_THE_PAST), fork: this.runControls.fork };
  });

  /**
   * The halt for which the view shows a question: that of the selected block, or the first halt if nothing is selected.
   */
  readonly halt: HaltView | null = $derived.by(() => {
    if (this.pastStep !== null) return null;
    const { selected } = this;
    if (selected === null) return this.halts[0] ?? null;
    return this.halts.find((halt) => halt.block === selected.id) ?? null;
  });

  readonly tabOpen: SessionTab | null = $derived(this.sessions.find((tab) => tab.key === this.open) ?? null);

  replace(data: ViewData): void {
    const wasOpen = this.isLoaded ? this.open : null;
    const hadResult = this.integration !== null;
    // The block that was selected in another tab hides the question of this one.
    if (wasOpen !== null && wasOpen !== data.open) {
      if (this.leads) this.select(null);
      else this.selectElsewhere(null, null);
    }
    this.#data = data;
    this.drafts.replace(data.drafts);
    this.#clockOffset = data.time - Date.now();
    this.tick();
    Object.assign(this, {
      project: data.project,
      engine: data.engine,
      sessions: data.sessions,
      inbox: data.inbox,
      problems: data.problems,
      open: data.open,
      integration: data.integration,
    });
    if (wasOpen !== data.open || !this.isLoaded) this.showsResult = data.integration !== null;
    else if (!hadResult && data.integration !== null) this.showsResult = true;
    this.#replaceWorkflow(data.workflow);
    this.isLoaded = true;
  }

  #replaceWorkflow(data: WorkflowData | null): void {
    if (data === null) {
      this.workflow = null;
      this.select(null);
      return;
    }
    const isOtherRun = this.run?.run !== data.run?.run;
    if (this.workflow?.graph.hash !== data.graph.hash) {
      this.workflow = new WorkflowModel(data.graph);
      this.selected = this.selected === null ? null : (this.workflow.blocks.get(this.selected.id) ?? null);
    }
    this.source = data.source;
    this.#showRun(data);
    if (isOtherRun) {
      this.pastStep = null;
      this.visit = null;
      this.forget();
    }
    this.#needLayout();
    this.#showAll(isOtherRun);
    if (isOtherRun) this.refreshInspector();
  }

  #showRun(data: WorkflowData): void {
    this.run = data.run;
    this.runControls = data.controls;
    this.nodes = data.nodes;
    this.halts = data.halts;
    this.layoutProgress = data.layout;
    this.earlierVisits = data.earlierVisits;
  }

  /** Updates every card with the live state, or with the shown past step. */
  #showAll(fromScratch: boolean): void {
    const { workflow } = this;
    const data = this.#data?.workflow ?? null;
    if (workflow === null || data === null) return;
    this.visits = [...data.visits.values()];
    if (this.pastStep !== null && this.#showPast(this.pastStep)) return;
    if (fromScratch || this.pastStep !== null) workflow.clear();
    this.pastStep = null;
    for (const block of workflow.blocks.values()) if (!data.blocks.has(block.id)) block.clear();
    workflow.showBlocks(data.blocks.values());
    workflow.showRows(data.rows.values(), false);
    workflow.showFrames(data.frames);
    this.totals = data.totals;
  }

  change(changes: readonly ViewChange[]): void {
    for (const change of changes) this.#changeOne(change);
  }

  #changeOne(change: ViewChange): void {
    const { workflow, isLive } = this;
    switch (change.kind) {
      case 'blocks':
        this.announcer.hear(change.blocks, this.workflow);
        if (isLive) workflow?.showBlocks(change.blocks);
        if (change.blocks.some((block) => block.block === this.selected?.id)) this.refreshInspector();
        return;
      case 'rows':
        if (isLive) workflow?.showRows(change.rows, true);
        return;
      case 'frames':
        if (isLive) workflow?.showFrames(change.frames);
        return;
      case 'totals':
        if (isLive) this.totals = change.totals;
        return;
      case 'visits':
        this.visits = [...(this.#data?.workflow?.visits.values() ?? [])];
        return;
      case 'run':
        this.run = change.run;
        this.runControls = change.controls;
        return;
      case 'layout':
        this.layoutProgress = change.layout;
        this.#needLayout();
        return;
      case 'halts':
        this.announcer.alarm(change.halts, this.halts, workflow);
        this.halts = change.halts;
        return;
      case 'nodes':
        this.nodes = change.nodes;
        return;
      case 'integration':
        if (this.integration === null && change.integration !== null) this.showsResult = true;
        this.integration = change.integration;
        return;
      case 'taken':
        return;
      case 'sessions':
        this.sessions = change.sessions;
        return;
      case 'inbox':
        this.inbox = change.inbox;
        return;
      case 'problems':
        this.problems = change.problems;
        return;
      case 'drafts':
        this.drafts.take(change.drafts);
        return;
      case 'engine':
        this.engine = change.engine;
    }
  }

  /** Handles a message that carries no state, such as a layout or a reply. */
  take(message: Exclude<HostToView, { command: 'snapshot' | 'patch' | 'alive' }>): void {
    const { command, payload } = message;
    switch (command) {
      case 'layout':
        this.#layouts.set(payload.graph, payload);
        if (this.workflow?.graph.hash === payload.graph) this.workflow.layout = payload;
        return;
      case 'block':
      case 'conversation':
      case 'context':
      case 'text':
      case 'stream':
        this.inspect(message);
        return;
      case 'past':
        this.#takePast(payload);
        return;
      case 'diff':
        this.difference = payload;
        return;
      case 'selected':
        this.selectElsewhere(payload.block, payload.visit);
        return;
      case 'reveal':
        this.#reveal(payload.block ?? this.halts.find(({ halt }) => halt === payload.halt)?.block ?? null);
        return;
      case 'reply':
        this.requests.settle(payload);
    }
  }

  #takePast(past: Extract<HostToView, { command: 'past' }>['payload']): void {
    if (past.run !== this.run?.run || past.step !== this.pastStep || this.workflow === null) return;
    this.workflow.clear();
    this.workflow.showBlocks(past.blocks);
    this.workflow.showRows(past.rows, false);
    this.workflow.showFrames(past.frames);
    this.totals = past.totals;
    this.pastAt = past.at;
  }

  #showPast(step: number): boolean {
    const { workflow, visits, run } = this;
    if (workflow === null || run === null) return false;
    const first = visits.find((visit) => visit.step !== null)?.step ?? 0;
    if (this.earlierVisits > 0 && step < first) {
      this.host.send('requestPast', { run: run.run, step });
      return true;
    }
    const past = projectPast(visits, step, (block) => workflow.blocks.get(block)?.lane.id ?? '');
    if (past === null) return false;
    workflow.clear();
    workflow.showBlocks(past.blocks);
    workflow.showRows(past.rows, false);
    workflow.showFrames(past.frames);
    this.totals = { ...past.totals, budgetMicroUsd: this.totals?.budgetMicroUsd ?? null };
    this.pastAt = past.at;
    return true;
  }

  /** Shows the run as it was right after a step. */
  goTo(step: number): void {
    if (step < 1 || step > this.lastStep) return;
    if (!this.#showPast(step)) return;
    this.pastStep = step;
    const visit = this.visits.find((one) => one.step === step);
    const block = visit === undefined ? undefined : this.workflow?.blocks.get(visit.block);
    if (block !== undefined) this.select(block, visit?.visit ?? null);
  }

  goLive(): void {
    if (this.pastStep === null) return;
    this.pastStep = null;
    this.visit = null;
    this.#showAll(true);
    this.refreshInspector();
  }

  /** Returns the number of the run's last step; 0 before the first step. */
  get lastStep(): number {
    return this.run?.steps ?? 0;
  }

  #reveal(id: string | null): void {
    this.goLive();
    this.showsResult = false;
    const block = id === null ? undefined : this.workflow?.blocks.get(id);
    if (block !== undefined) this.reveal(block);
  }

  /** Callback, set by the graph, that moves the camera to a block. */
  onReveal: ((block: BlockModel) => void) | null = null;

  reveal(block: BlockModel): void {
    this.select(block);
    this.onReveal?.(block);
  }

  /** Returns the block that executes or waits: in the followed branch of a FORK, or else in the deepest frame. */
  currentBlock(): BlockModel | null {
    const frames = this.workflow?.frames ?? [];
    const leaves = leavesOf(frames);
    const chosen = leaves.find((leaf) => this.branch !== null && leaf.frame.startsWith(this.branch));
    const leaf = chosen ?? leaves.toSorted((one, other) => other.depth - one.depth)[0];
    return leaf === undefined ? null : (this.workflow?.blocks.get(leaf.block) ?? null);
  }

  #needLayout(): void {
    const { workflow } = this;
    if (workflow === null || workflow.layout !== null) return;
    const known = this.#layouts.get(workflow.graph.hash);
    if (known !== undefined) workflow.layout = known;
    else if (this.layoutProgress?.status !== 'computing')
      this.host.send('requestLayout', { graph: workflow.graph.hash });
  }

  /** Lets the block begin that waits in step mode. The halt is named, so that a late click begins no later block. */
  step(): void {
    const waiting = this.halts.find(({ why }) => why === 'step');
    if (waiting !== undefined) this.send('step', { run: waiting.run, halt: waiting.halt });
  }

  tick(): void {
    this.now = Date.now() + this.#clockOffset;
  }

  /** Handles a lost connection: the last known state stays visible, and open requests are dropped. */
  lose(): void {
    this.isCutOff = true;
    this.tick();
    if (this.engine.kind === 'connected') this.engine = { kind: 'lost', since: this.now };
    this.requests.drop();
  }

  /** Handles a new connection. The engine is still shown as lost until the host's snapshot arrives. */
  reconnect(): void {
    this.isCutOff = false;
  }

  send<Command extends Parameters<Requests['send']>[0]>(
    command: Command,
    payload: Omit<Payload<Command>, 'request'>,
  ): void {
    this.requests.send(command, payload);
  }
}
