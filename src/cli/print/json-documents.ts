import type {
  AppliedFile,
  CallComparison,
  GraphDifference,
  ContextSavings,
  ListedKey,
  LoomProblem,
  TestedKey,
  AnswerVerdict,
} from '#engine/authoring.ts';
import type { ClashReport } from '#protocol/clash.ts';
import type { CleaningItem, DiskUse, SessionDiff } from '#engine/index.ts';
import type { LandingPlan, LandingReport, LandingUndone } from '#protocol/landing-report.ts';
import type { CallSum, CallSummary } from '#protocol/call-record.ts';
import type { ContextSlice } from '#protocol/context-slice.ts';
import type { Count, Integer, Milliseconds, Ordinal } from '#protocol/count.ts';
import type { Diagnostic, Place } from '#protocol/diagnostic.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { PathStep, RuleVerdict } from '#protocol/rule-verdict.ts';
import type { KeyState } from '#protocol/failure-class.ts';
import type { FoundWork } from '#protocol/found-work.ts';
import type { HostStatus } from '#protocol/host.ts';
import type { Inbox } from '#protocol/inbox.ts';
import type { RegistryEntry, RegistryProblem } from '#protocol/registry.ts';
import type { PathEntry, Response } from '#protocol/response.ts';
import type { RunStatus } from '#protocol/run-status.ts';
import type { RunListing, RunSummary } from '#protocol/run-summary.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { TaskPlan } from '#protocol/task-plan.ts';
import type { TaskProblem, TaskStatus } from '#protocol/task-tree.ts';
import type { Problem } from './problem.ts';

// The documents that `--json` prints. `schemas/response.schema.json` is generated from these types; the name of a type,
// with a small first letter and without `Document`, is the name of its definition there.

/** A failure of the command line itself, or of a command that found nothing to do. */
export interface FailureDocument {
  readonly ok: false;
  readonly error: Problem & { readonly problems?: readonly TaskProblem[] };
  /** The tasks that were worked on before. */
  readonly worked?: readonly WorkedTask[];
}

/** `validate`, and every command whose manifest has errors. */
export interface Validation {
  /** False if there is an error; warnings don't count. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Blocks that may write nothing unless the session has a change plan; absent if there are none. */
  readonly notes?: readonly string[];
}

/** `rules` */
export interface RuleList {
  /** False if a rule is broken or not proved. */
  readonly ok: boolean;
  readonly rules: readonly ListedRule[];
}

export interface ListedRule {
  /** The number of the rule, from 1. */
  readonly number: Ordinal;
  readonly rule: string;
  readonly place: Place;
  /**
   * `unused`: no run does what the rule is about. `unproved`: conditions and limits do not ensure the bound, and no path
   * that exceeds it was found.
   */
  readonly verdict: RuleVerdict['kind'];
  /** The shortest path that breaks the rule; null if there is none. */
  readonly path: readonly PathStep[] | null;
  /** What has not happened on the path; null if there is no path, or the rule requires nothing. */
  readonly missing: string | null;
  /** Conditions and limits that the path takes for granted. */
  readonly assumes: readonly string[];
  /** The content of a script with which `simulate` runs the path; null if there is none. */
  readonly script: JsonObject | null;
  /** The visits that conditions and limits permit, for a bound that is not proved; otherwise null. */
  readonly most: Count | null;
}

/** `test` */
export interface TestedWorkflow {
  readonly ok: boolean;
  readonly tests: readonly WorkflowTestResult[];
}

export interface WorkflowTestResult {
  readonly file: string;
  readonly ok: boolean;
  readonly end: { readonly expected: string; readonly actual: string };
  /** The first lookup that is not as expected; null if the path is, or if the test expects none. */
  readonly difference: {
    readonly at: Ordinal;
    /** Null if the path is longer than expected. */
    readonly expected: string | null;
    /** Null if the path is shorter than expected. */
    readonly actual: string | null;
  } | null;
  readonly path: readonly string[];
}

/** `coverage` */
export interface RowCoverage {
  /** True if a test takes each row that a run was found for. */
  readonly ok: boolean;
  readonly covered: Count;
  readonly rows: readonly CoveredRow[];
  /** The files of the tests that this command has written; empty without `--write`. */
  readonly written: readonly string[];
}

export interface CoveredRow {
  readonly block: string;
  /** The position in the table of the block, from 1. */
  readonly row: Ordinal;
  readonly on_signal: string;
  readonly action: string;
  /** The first test that takes the row; null if none does. */
  readonly test: string | null;
  /** False if no run was found that takes the row. */
  readonly reachable: boolean;
}

/** `manifest show` */
export interface Outline {
  readonly ok: true;
  readonly entry: string | null;
  readonly nodes: readonly OutlinedNode[];
}

export interface OutlinedNode {
  readonly id: string;
  readonly entry_block: string;
  readonly blocks: readonly OutlinedBlock[];
}

export interface OutlinedBlock {
  readonly id: string;
  readonly worker: string;
  readonly transitions: readonly OutlinedRow[];
}

export interface OutlinedRow {
  readonly on_signal: string;
  readonly condition: string | null;
  readonly action: string;
  /** The meaning of the row's signal for a person, as the manifest gives it. */
  readonly means?: string;
}

/** `diff` */
export interface Comparison {
  readonly ok: true;
  readonly same: boolean;
  readonly differences: readonly GraphDifference[];
  readonly runs?: readonly AffectedRun[];
}

/** A run that has not ended, and the effect of the manifest's change on it. */
export interface AffectedRun {
  readonly run: string;
  /** The current blocks of the run. */
  readonly blocks: readonly string[];
  readonly touches: 'block' | 'node' | 'elsewhere';
  /** The effect of the change on the run, in words. */
  readonly text: string;
}

/** `init` */
export interface Initialised {
  readonly ok: true;
  readonly root: string;
  readonly made: readonly StarterFile[];
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly next: readonly string[];
}

/** A file of a new project. */
export interface StarterFile {
  readonly path: string;
  readonly what: string;
  readonly outcome: 'created' | 'kept' | 'extended';
}

/** `doctor` */
export interface Examination {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** One line of `doctor`. `advice` is null if there is no problem. */
export interface Check {
  readonly id:
    | ('node' | 'git' | 'root' | 'registry' | 'manifest' | 'command' | 'agent' | 'sandbox')
    | ('analysis' | 'keys' | 'trust' | 'secrets' | 'engine' | 'runs' | 'worktrees');
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice: string | null;
  /** The command that repairs it, which `doctor --fix` types; absent if only a person can. */
  readonly repair?: Repair;
}

/** Commands of `robosmith` that repair a project. */
export type Repair = 'init' | 'worktrees clean --yes';

/** `registry check` */
export interface Registry {
  readonly ok: boolean;
  readonly workers: readonly RegistryEntry[];
  readonly problem: RegistryProblem | null;
}

/** The model usage of a run. */
export interface SpentDocument {
  readonly tokens: Count;
  /** Millionths of a US dollar, as far as they are known; null if nothing is known. */
  readonly micro_usd: Count | null;
  /** True if more was used than is known. */
  readonly at_least: boolean;
}

/** `runs` */
export interface RunList {
  readonly ok: true;
  readonly runs: readonly ListedRun[];
}

export type ListedRun =
  | (Extract<RunListing, { readonly kind: 'run' }> & { readonly spent: SpentDocument })
  | Extract<RunListing, { readonly kind: 'damaged' }>;

/** `runs show` */
export interface RunStory {
  readonly ok: true;
  readonly summary: RunSummary;
  readonly spent: SpentDocument;
  readonly path: readonly PathEntry[];
  readonly context: ContextSavings;
  /** The stored Response; null until the run ends. */
  readonly response: Response | null;
}

/** `runs events`; each event is a line of `event-line.schema.json`. */
export interface RunEvents {
  readonly ok: true;
  readonly run: string;
  readonly events: readonly object[];
}

/** `runs replay` */
export interface Replay {
  readonly ok: true;
  readonly run: string;
  readonly same: boolean;
  readonly steps: Count;
  readonly difference: { readonly recorded: PathEntry | string; readonly now: PathEntry | string } | null;
}

/** `runs fork` with `--no-start` */
export interface Forked {
  readonly ok: true;
  readonly run: string;
  readonly forked_from: { readonly run: string; readonly step: Ordinal };
  readonly next: readonly string[];
}

/** `runs stop`, `runs pause` and `runs cancel` */
export interface Controlled {
  readonly ok: true;
  readonly run: string;
  readonly verb: 'stop' | 'pause' | 'cancel';
  /** False if there was nothing to do. */
  readonly done: boolean;
  readonly status: RunStatus | 'damaged';
}

/** `runs prune` */
export interface Pruned {
  readonly ok: true;
  readonly dry_run: boolean;
  readonly runs: readonly string[];
  readonly blobs: Count;
  readonly calls: Count;
  readonly leftovers: Count;
  /** Bytes. */
  readonly freed: Count;
}

/** `inbox` */
export interface InboxDocument extends Required<Inbox> {
  readonly ok: true;
}

/** `notify` */
export interface NoticeSettings {
  readonly ok: true;
  readonly desktop: boolean;
  /** The host of the webhook's URL, whose path may be a secret; null without one. */
  readonly webhook: string | null;
}

/** `resume --due` */
export interface Resumed {
  readonly ok: true;
  readonly responses: readonly Response[];
}

/** `loom apply` */
export interface Edited {
  readonly ok: true;
  readonly dry_run: boolean;
  readonly files: readonly EditedFile[];
  readonly diff: string | null;
}

export interface EditedFile {
  readonly path: string;
  readonly status: AppliedFile['status'];
  readonly edits: Integer;
  /** Edits whose result was in the file already. */
  readonly already_there: Integer;
}

/** `loom apply` whose operations were refused: nothing was written. */
export interface NotEdited {
  readonly ok: false;
  readonly errors: readonly LoomProblem[];
}

/** `tasks` */
export interface TaskTreeDocument extends TaskPlan {
  readonly ok: true;
  /** Files that another program has changed. */
  readonly changed: readonly string[];
}

/** `tasks add`, `tasks set`, `tasks remove`, `tasks move` and `zoom` */
export interface TaskEdited {
  readonly ok: true;
  /** Null if the command is about no single task. */
  readonly task: { readonly id: string; readonly name: string; readonly status: TaskStatus } | null;
  readonly scope: readonly string[];
  readonly changed: readonly string[];
  /** True if a running engine makes the change after its current step. */
  readonly queued?: true;
}

/** `tasks accept` */
export interface TasksAccepted {
  readonly ok: true;
  readonly accepted: readonly string[];
}

/** `tasks restore` */
export interface TasksRestored {
  readonly ok: true;
  readonly restored: readonly string[];
}

/** `next` and `work` */
export interface Worked {
  readonly ok: true;
  readonly ended: WorkEnd;
  readonly worked: readonly WorkedTask[];
  /** The number of open tasks outside of the scope. */
  readonly outside?: Ordinal;
}

/** One task that was worked on. */
export interface WorkedTask {
  readonly id: string;
  readonly name: string;
  readonly run: string | null;
  /** Its current status; null if it is no longer in the tree. */
  readonly status: TaskStatus | null;
  readonly failures: Count;
  /** The Response of the task's run; null if the run had ended before. */
  readonly response: Response | null;
}

/** Why the work stopped. `one`: the single requested task is done. */
export type WorkEnd = 'one' | 'none_left' | 'waits' | 'interrupted' | 'failed' | 'given_up' | 'refused';

/** A figure that a tenth, half and nine tenths of the simulated runs do not exceed. */
export interface ForecastFigure {
  readonly p10: Count;
  readonly p50: Count;
  readonly p90: Count;
}

/** `run --forecast` */
export interface RunForecast {
  readonly ok: true;
  readonly calls: ForecastFigure;
  readonly tokens: ForecastFigure;
  /** The part whose price is known, in millionths of a US dollar. */
  readonly micro_usd: ForecastFigure;
  /** The time without waiting for a person. */
  readonly ms: ForecastFigure;
  /** The share of simulated runs that complete, from 0 to 1. */
  readonly completes: number;
  /** The number of earlier runs whose visits were drawn. */
  readonly past_runs: Count;
  readonly simulated_runs: Count;
  /**
   * What is not known. `no_past`: no earlier run has visited the block; with `model`, its prompt is priced. `no_price`:
   * its calls have no known price. `other_model`: in earlier runs it called `model`.
   */
  readonly unknown: readonly {
    readonly block: string;
    readonly what: 'no_past' | 'no_price' | 'other_model';
    readonly model?: string;
  }[];
  /** What the budgets allow one run at most; null without such a budget. */
  readonly ceiling: {
    readonly micro_usd: Count | null;
    readonly tokens: Count | null;
    readonly calls: Count | null;
    /** True if the workflow uses coding agents, which no budget limits. */
    readonly except_agents: boolean;
  };
  /** How many ended runs with a complete forecast stayed within its p10 and p90. */
  readonly earlier: {
    readonly runs: Count;
    readonly calls: Count;
    readonly tokens: Count;
    readonly micro_usd: Count;
    readonly ms: Count;
  };
}

/** `calls` */
export interface CallList {
  readonly ok: true;
  readonly calls: readonly CallSummary[];
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
}

/** `find` */
export interface FoundList {
  readonly ok: true;
  /** Newest first. */
  readonly found: readonly FoundWork[];
  /** True if the limit left out older ones. */
  readonly more: boolean;
}

/** `calls show`: the record of one call */
export interface CallStory {
  readonly ok: true;
  readonly call: object;
}

/** `calls diff` */
export interface CallComparisonDocument extends CallComparison {
  readonly ok: true;
}

/** `land --plan` */
export interface LandingPlanDocument extends LandingPlan {
  readonly ok: true;
}

/** `land`; `ok` is true even if a branch came back */
export interface LandingDocument extends LandingReport {
  readonly ok: true;
  /** Commands that help now. */
  readonly next: readonly string[];
}

/** `land --undo` */
export interface LandingUndoneDocument extends LandingUndone {
  readonly ok: true;
}

/** `run --show-prompt` */
export interface ShownPrompts {
  readonly ok: true;
  readonly prompts: readonly object[];
  /** The blocks at which the preview ended. */
  readonly stopped: readonly { readonly block: string; readonly why: 'not_sent' | 'not_executed' }[];
}

/** `calls rerun` */
export interface CallReruns {
  readonly ok: true;
  readonly origin: string;
  /** Each with its record, and its comparison with the original as `calls diff` prints it. */
  readonly calls: readonly { readonly call: object; readonly verdict: AnswerVerdict; readonly comparison: object }[];
}

/** `calls cost` */
export interface CallCosts {
  readonly ok: true;
  readonly by: 'model' | 'block' | 'run' | 'key' | 'day';
  readonly groups: readonly CallSum[];
  readonly all: CallSum;
  readonly context: ContextSavings;
  /** The price files that were used. */
  readonly prices: readonly {
    readonly source: 'user' | 'project';
    readonly file: string;
    readonly models: readonly string[];
    readonly problems: readonly string[];
  }[];
}

/** A key without its secret. */
export interface UserKey extends Pick<ListedKey, 'alias' | 'provider' | 'account' | 'pool' | 'from'> {
  readonly base_url: string | null;
  /** The tier in the user's order; null: after all tiers. */
  readonly tier: Ordinal | null;
  readonly disabled: boolean;
  readonly has_secret: boolean;
  readonly keyless: boolean;
  /** The state in this project; null outside of a project. */
  readonly state: KeyState | null;
  readonly until: Integer | null;
  readonly why: string | null;
  readonly said: string;
}

/** `keys` */
export interface KeyList {
  readonly ok: true;
  readonly keys: readonly UserKey[];
  readonly problems: readonly string[];
}

/** `keys add`, `keys remove`, `keys order`, `keys disable` and `keys enable` */
export interface KeysChanged {
  readonly ok: true;
  readonly done: 'added' | 'replaced' | 'removed' | 'ordered' | 'disabled' | 'enabled';
  /** Aliases. */
  readonly keys: readonly string[];
}

/** `keys test` */
export interface KeysTested {
  /** True if every key works. */
  readonly ok: boolean;
  readonly tested: readonly TestedKeyDocument[];
  readonly problems: readonly string[];
}

export interface TestedKeyDocument extends Pick<TestedKey['key'], 'alias' | 'provider'> {
  /** `good`, `no_secret`, or the class of the failure. */
  readonly result: string;
  readonly said: string;
  readonly status: Integer | null;
  readonly retry_at: Integer | null;
  /** The number of models that the provider listed. */
  readonly models: Integer | null;
}

/** `host start` */
export interface HostStarted {
  readonly ok: true;
  /** False if it was already running. */
  readonly started: boolean;
  readonly host: HostStatus;
}

/** `host status` */
export interface HostShown {
  readonly ok: true;
  /** Null if no host is running. */
  readonly host: HostStatus | null;
}

/** `host stop` */
export interface HostStopped {
  readonly ok: true;
  /** False if no host was running. */
  readonly stopped: boolean;
  readonly interrupted: readonly string[];
}

/** `sessions` */
export interface SessionList {
  readonly ok: true;
  readonly sessions: readonly SessionListing[];
}

/** `sessions show` */
export interface SessionStory extends SessionListing {
  readonly ok: true;
  readonly history: readonly Pick<SessionMoved, 'time' | 'from' | 'to' | 'by' | 'why'>[];
}

/** `sessions diff` */
export interface SessionDiffDocument extends SessionDiff {
  readonly session: string;
}

/** Every command that changes one session. */
export interface SessionChanged {
  readonly ok: true;
  readonly session: Session;
  readonly notes: readonly string[];
}

/** `status` */
export interface ProjectStatus {
  readonly ok: true;
  readonly engine: {
    readonly kind: 'host' | 'process';
    readonly pid: Integer;
    readonly host: string;
    readonly since: Milliseconds;
  } | null;
  /** The number of halts that wait for a person. */
  readonly waiting: Count;
  readonly sessions: readonly SessionListing[];
  /** Runs outside of sessions that have not ended. */
  readonly runs: readonly (RunSummary & { readonly spent: SpentDocument })[];
  /** The number of worktree problems; null if git can't be used. */
  readonly findings: Integer | null;
  /** Null without `--disk`. */
  readonly disk: DiskUse | null;
}

/** `worktrees` */
export interface WorktreesFound {
  readonly ok: true;
  readonly goes: readonly CleaningItem[];
  readonly stays: readonly CleaningItem[];
}

/** `worktrees clean` */
export interface WorktreesCleaned {
  readonly ok: true;
  readonly gone: readonly CleaningItem[];
  readonly stays: readonly CleaningItem[];
}

/** `fmt` */
export interface Formatted {
  /** False with `--check` if a file is not formatted. */
  readonly ok: boolean;
  /** The files that were written, or would be. */
  readonly changed: readonly string[];
}

/** `context` without a slice */
export interface SliceList {
  readonly ok: true;
  readonly slices: readonly string[];
}

/** `context <slice>` */
export interface SliceDocument {
  readonly ok: boolean;
  readonly slice: ContextSlice;
}

/** `ui` and `inspect` */
export interface ServedPage {
  readonly ok: true;
  readonly address: string;
  /** The address for actors of other programs; null if none are accepted. */
  readonly programs?: string | null;
}

/** The output of `--json`: one document on stdout. Its kind depends on the command. */
export type JsonDocument =
  | Response
  | FailureDocument
  | Validation
  | RuleList
  | TestedWorkflow
  | RowCoverage
  | Outline
  | Comparison
  | Initialised
  | Examination
  | Registry
  | RunList
  | RunStory
  | RunEvents
  | Replay
  | Forked
  | Controlled
  | Pruned
  | InboxDocument
  | NoticeSettings
  | Resumed
  | Edited
  | NotEdited
  | TaskTreeDocument
  | TaskEdited
  | TasksAccepted
  | TasksRestored
  | Worked
  | CallList
  | FoundList
  | CallStory
  | CallComparisonDocument
  | ShownPrompts
  | RunForecast
  | CallReruns
  | CallCosts
  | KeyList
  | KeysChanged
  | KeysTested
  | HostStarted
  | HostShown
  | HostStopped
  | SessionList
  | SessionStory
  | SessionDiffDocument
  | SessionChanged
  | ProjectStatus
  | WorktreesFound
  | WorktreesCleaned
  | Formatted
  | SliceList
  | SliceDocument
  | ServedPage
  | ClashReport
  | LandingPlanDocument
  | LandingDocument
  | LandingUndoneDocument;
