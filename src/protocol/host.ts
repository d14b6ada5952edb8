import type { Approvals } from './approvals.ts';
import type { Integer } from './count.ts';
import type { AiReply } from './ai-service.ts';
import type { CallRecord, CallSummary } from './call-record.ts';
import type { ControlAnswer } from './control.ts';
import type { Environment } from './environment.ts';
import type { LoggedEvent } from './event-line.ts';
import type { RoboSmithEvent } from './event.ts';
import type { ChangedFile, HostToView, ViewToHost } from './generated/view.gen.ts';
import type { Graph } from './graph.ts';
import type { HaltId, RunId, SessionId } from './id.ts';
import type { Inbox, WaitingHalt } from './inbox.ts';
import type { InspectionEvent } from './inspection.ts';
import type { KeyReport, NotedKeyTest, UserKey } from './key-pool.ts';
import type { LandingNews, LandingOrder, LandingPlan, LandingReport, LandingUndone } from './landing-report.ts';
import type { Session, SessionJob } from './session.ts';
import type { SessionMoved } from './session-event.ts';
import type { SessionListing } from './session-listing.ts';
import type {
  DiscardChoices,
  DispositionResult,
  ForeignSession,
  HoldChoices,
  MergeChoices,
  PushChoices,
  SessionChanges,
  SessionOrder,
  StepOfRun,
  UpdateChoices,
} from './session-api.ts';
import type { ScriptedAnswer } from './script.ts';
import type { Answer, PathEntry, Response } from './response.ts';
import type { AnswerOutcome, Start } from './run.ts';
import type { PruneResult, PruneRules } from './prune.ts';
import type { ProviderName } from './provider.ts';
import type { RunListing } from './run-summary.ts';
import type { ShownPrompt } from './shown-prompt.ts';
import type { TaskProblem } from './task-tree.ts';
import type { PlanEdited, PlanReset, TaskEdit, TaskOutcome, TaskPick, TaskSettlement, TaskStart } from './task-work.ts';

/** A request that the host accepts, with its parameters and its result as JSON. */
interface Method<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/**
 * The version of the host's protocol. Between a host and a client of different versions, only the request to stop
 * works.
 */
export const HOST_PROTOCOL = 1;

/** The requests that the host accepts, with their parameters and results as JSON. */
export interface HostMethods {
  /** Opens a connection; must be the first request. */
  readonly hello: Method<HelloParams, HelloResult>;
  readonly status: Method<Nothing, HostStatus>;
  readonly 'run.start': Method<StartParams, StartOutcome>;
  /** Continues a run. If the host is already executing the run, nothing is started. */
  readonly 'run.resume': Method<ResumeParams, StartOutcome>;
  /** Answers a halt. Resumes the run first if it is not loaded. */
  readonly 'run.answer': Method<AnswerParams, AnsweredHalt>;
  /** Responds once the run has ended or is waiting. */
  readonly 'run.settled': Method<OneRun, SettledRun>;
  readonly 'run.stop': Method<OneRun, ControlAnswer>;
  readonly 'run.pause': Method<OneRun, ControlAnswer>;
  readonly 'run.cancel': Method<OneRun, ControlAnswer>;
  /** Creates a fork of a run that has no session, beginning at one of its steps; `run.resume` starts the fork. */
  readonly 'run.fork': Method<StepOfRun, OneRun>;
  /** Removes finished runs with their logged calls; runs that can be resumed stay. Older hosts lack this method. */
  readonly 'run.prune': Method<{ readonly rules: PruneRules }, PruneResult>;
  readonly 'run.list': Method<Nothing, { readonly runs: readonly RunListing[] }>;
  readonly 'run.show': Method<OneRun, ShownRun>;
  /** Edits, accepts or restores the work plan. `pid`: the process that asks, which must not belong to a step of a run. */
  readonly 'tasks.edit': Method<{ readonly edit: TaskEdit | PlanReset; readonly pid: number }, PlanEdited>;
  /**
   * Picks the next task of the work plan. One client at a time works on the plan, until it disconnects. Older hosts lack
   * this method, as the next three.
   */
  readonly 'tasks.pick': Method<Nothing, TaskPick>;
  /** Marks the picked task as begun by a run, by default a new one, which `run.start` or `run.resume` then starts. */
  readonly 'tasks.begin': Method<{ readonly key: string; readonly run: RunId | null }, BegunTask>;
  /** Returns what blocks have changed in the plan since the task was begun. */
  readonly 'tasks.changed': Method<Nothing, { readonly problems: readonly TaskProblem[] }>;
  /** Records how the run of the picked task has ended. */
  readonly 'tasks.settle': Method<{ readonly key: string; readonly outcome: TaskOutcome }, TaskSettlement>;
  /** Returns what `robosmith inbox --json` prints. */
  readonly inbox: Method<Nothing, HostInbox>;
  readonly 'events.subscribe': Method<SubscribeParams, { readonly subscription: number }>;
  /** Responds once all events so far have been sent; immediately if the subscription has ended. */
  readonly 'events.caughtUp': Method<{ readonly subscription: number }, Nothing>;
  readonly 'events.unsubscribe': Method<{ readonly subscription: number }, Nothing>;
  /** Sends the whole list first, then changes. Older hosts lack this method. */
  readonly 'sessions.subscribe': Method<Nothing, { readonly subscription: number }>;
  readonly 'sessions.unsubscribe': Method<{ readonly subscription: number }, Nothing>;
  readonly 'session.list': Method<Nothing, { readonly sessions: readonly Session[] }>;
  readonly 'session.create': Method<SessionOrder & OwnEnvironment, Session>;
  readonly 'session.change': Method<OneSession & { readonly changes: SessionChanges }, Session>;
  readonly 'session.submit': Method<OneSession & OwnEnvironment, Session>;
  readonly 'session.withdraw': Method<OneSession, Session>;
  readonly 'session.resume': Method<OneSession & OwnEnvironment, Session>;
  readonly 'session.foreign': Method<{ readonly branch: string }, ForeignSession>;
  readonly 'session.adopt': Method<{ readonly branch: string; readonly commit: string }, Session>;
  readonly 'session.fork': Method<OneSession & StepOfRun & OwnEnvironment, Session>;
  /** Starts another run in the session's worktree. `plan` is added to the change plan. */
  readonly 'session.rerun': Method<
    OneSession & OwnEnvironment & { readonly job: SessionJob; readonly plan?: readonly string[] },
    Session
  >;
  /** Responds once the session has left the states draft, queued and creating. */
  readonly 'session.moved': Method<OneSession & { readonly known: number }, Session>;
  readonly 'session.merge': Method<OneSession & OwnEnvironment & { readonly choices: MergeChoices }, DispositionResult>;
  readonly 'session.update': Method<
    OneSession & OwnEnvironment & { readonly choices: UpdateChoices },
    DispositionResult
  >;
  readonly 'session.hold': Method<OneSession & OwnEnvironment & { readonly choices: HoldChoices }, DispositionResult>;
  readonly 'session.discard': Method<
    OneSession & OwnEnvironment & { readonly choices: DiscardChoices },
    DispositionResult
  >;
  /** Pushes the branch; opens a pull request only with `choices`. */
  readonly 'session.push': Method<OneSession & { readonly choices?: PushChoices }, DispositionResult>;
  readonly 'session.restore': Method<OneSession & OwnEnvironment, DispositionResult>;
  /** Returns what a landing would do. Older hosts lack this method, as the next three. */
  readonly 'land.plan': Method<LandingOrder, LandingPlan>;
  /** Lands branches, or goes on with a landing that was interrupted. Its news arrive as `land.news` notices. */
  readonly 'land.start': Method<LandingOrder & OneStream, LandingReport>;
  /** Interrupts a `land.start` of this client, which can be continued. `stopped` is false if it has already ended. */
  readonly 'land.stop': Method<OneStream, { readonly stopped: boolean }>;
  readonly 'land.undo': Method<Nothing, LandingUndone>;
  /**
   * Returns what `robosmith worktrees clean` would remove and keep, and the runs that ended long ago. Older hosts lack
   * this method, as the next one.
   */
  readonly 'leftovers.list': Method<Nothing, Leftovers>;
  /** Removes those of the given leftovers that can still be removed without loss. */
  readonly 'leftovers.remove': Method<
    { readonly items: readonly Pick<Leftover, 'what' | 'name'>[] },
    { readonly gone: readonly CleaningResult[]; readonly stays: readonly CleaningResult[] }
  >;
  /**
   * Opens a view of the project. Its messages follow `schemas/view.schema.json`. `open` is the tab that is shown first.
   */
  readonly 'view.open': Method<{ readonly open: string | null }, { readonly view: number }>;
  /** Sends a message of a view to the host. The host's replies arrive as `view` notices. */
  readonly 'view.send': Method<{ readonly view: number; readonly message: ViewToHost }, Nothing>;
  readonly 'view.close': Method<{ readonly view: number }, Nothing>;
  /**
   * Subscribes to the live actors of the engine: sends all existing actors first, then their events. Older hosts lack
   * this method.
   */
  readonly 'inspect.open': Method<Nothing, { readonly subscription: number }>;
  readonly 'inspect.close': Method<{ readonly subscription: number }, Nothing>;
  /** Returns the programs and code that the project would run, and whether the user has allowed them. */
  readonly 'trust.look': Method<Nothing, ProjectTrust>;
  /** Records that the user allows the project's programs and code. `hash` identifies the list that the user saw. */
  readonly 'trust.remember': Method<{ readonly hash: string }, { readonly remembered: boolean }>;
  /**
   * Returns the two states between which a session changed a file. `session.fileIn` returns the file in one of them.
   */
  readonly 'session.file': Method<OneSession & { readonly path: string }, SessionFile>;
  /**
   * Returns the visits of a session's runs that changed files, the newest first. Older hosts lack this method, as the
   * next two.
   */
  readonly 'session.visits': Method<OneSession, { readonly visits: readonly ChangingVisit[] }>;
  /** Returns what a visit changed; null if it can't have changed files, or if its snapshots no longer exist. */
  readonly 'session.changes': Method<OneSession & OneVisit, { readonly changes: VisitChanges | null }>;
  /** Returns a file of a commit or tree of a session; null if it does not exist there. */
  readonly 'session.fileIn': Method<
    OneSession & { readonly tree: string; readonly path: string },
    { readonly text: string | null }
  >;
  /**
   * Asks a model about a part of a file. Pieces of the answer arrive as `model.text` notices; the result has the whole
   * answer.
   */
  readonly 'model.ask': Method<AskModel, AiReply>;
  /** Sends the prompts of all runs to this client from now on, as `prompt` notices. Older hosts lack this method. */
  readonly 'prompts.open': Method<Nothing, Nothing>;
  /** Stops a `model.ask` or `calls.rerun` of this client. `stopped` is false if the call has already ended. */
  readonly 'model.stop': Method<OneStream, { readonly stopped: boolean }>;
  /** Returns the logged model calls, newest first. */
  readonly 'calls.list': Method<Nothing, { readonly calls: readonly CallSummary[] }>;
  /** Returns the logged calls whose request or answer contains a text. The search ignores case. */
  readonly 'calls.search': Method<{ readonly text: string }, { readonly calls: readonly string[] }>;
  readonly 'calls.show': Method<{ readonly call: string }, ShownCall>;
  /**
   * Sends a logged call again. `request` is its edited text, in the format of `calls.show`; null sends it unchanged.
   * `changes` override the text.
   */
  readonly 'calls.rerun': Method<
    OneStream & { readonly call: string; readonly request: string | null; readonly changes?: CallChanges },
    ShownCall
  >;
  readonly 'keys.offer': Method<OfferedKeys, { readonly taken: number }>;
  /** Returns the user's keys and their state in this project, without secrets. */
  readonly 'keys.list': Method<Nothing, ListedKeys>;
  /**
   * Adds a key to the user's list. The host keeps the secret only in memory: the client stores it and offers it again
   * later.
   */
  readonly 'keys.add': Method<AddedKey, Nothing>;
  readonly 'keys.remove': Method<{ readonly alias: string }, Nothing>;
  /**
   * Sets the order in which keys are used: a list of tiers, each a list of aliases. Keys of the first tier are used
   * first.
   */
  readonly 'keys.order': Method<{ readonly order: readonly (readonly string[])[] }, Nothing>;
  /** Asks the provider whether it accepts a key. The request is free of charge. */
  readonly 'keys.test': Method<{ readonly alias: string }, KeyTest>;
  /**
   * Notes the results of tests of keys in this project: the failures of a key that works are cleared. Older hosts lack
   * this method.
   */
  readonly 'keys.tested': Method<{ readonly tests: readonly NotedKeyTest[] }, { readonly noted: number }>;
  readonly 'host.stop': Method<StopParams, StopResult>;
}

export type HostMethod = keyof HostMethods;

type Nothing = Readonly<Record<string, never>>;

/** Notifications of the host. */
export interface HostNotices {
  readonly events: { readonly subscription: number; readonly events: readonly (LoggedEvent | RoboSmithEvent)[] };
  /** The subscription has ended. `after` is the number of the last event sent; a new subscription can begin there. */
  readonly 'events.ended': EndedSubscription;
  readonly sessions: SessionNews & { readonly subscription: number };
  /** The subscription has ended. A new subscription begins with the whole list. */
  readonly 'sessions.ended': EndedSessions;
  /** Inspection events in the order in which they happened. */
  readonly inspection: { readonly subscription: number; readonly events: readonly InspectionEvent[] };
  /** The subscription has ended because the client did not keep up. */
  readonly 'inspection.ended': { readonly subscription: number; readonly message: string };
  /** A prompt that is about to be sent. */
  readonly prompt: { readonly run: string | null; readonly prompt: ShownPrompt };
  /** News of a landing of this client. */
  readonly 'land.news': OneStream & { readonly news: LandingNews };
  /** The next piece of an answer. */
  readonly 'model.text': OneStream & { readonly text: string };
  /** A message for a view. */
  readonly view: { readonly view: number; readonly message: HostToView };
}

export interface ProjectTrust {
  readonly trusted: boolean;
  readonly hash: string;
  readonly executables: readonly { readonly what: string; readonly command: string }[];
}

/** The number that links notices to the client's request. */
interface OneStream {
  readonly stream: number;
}

/** A question about a part of a file. */
export interface AskModel extends OneStream {
  readonly question: string;
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly selection: string;
  readonly before: string;
  readonly after: string;
  /** The AI worker whose model answers; null: the first one of the manifest. */
  readonly worker: string | null;
}

/** A logged call, with its request as a text of segments that can be edited and sent again. */
export interface ShownCall {
  readonly record: CallRecord;
  readonly request: string;
  /** Why the repeated call has failed. */
  readonly failure?: string;
}

/** Single changes to a logged call that is sent again. Another provider does not get the logged base URL. */
export interface CallChanges {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly baseUrl?: string | null;
  readonly temperature?: number;
  /** Replaces the system message. */
  readonly instructions?: string;
  /** Replaces the last message of the user. */
  readonly message?: string;
}

interface SessionFile {
  /** The commit at which the session's changes begin, as a full hash; null if git can't find it. */
  readonly from: string | null;
  /** The commit or tree with the session's work, as a full hash; null if git can't find it. */
  readonly to: string | null;
  /** The absolute path in the session's worktree; null if the session has no worktree. */
  readonly worktree: string | null;
  /**
   * The line of the first change within a symbol, counted from 1; null if no symbol changed. Older hosts don't send it.
   */
  readonly symbolLine?: number | null;
}

/** One stay of a run in a block. */
interface OneVisit extends OneRun {
  readonly block: string;
  readonly visit: number;
}

interface ChangingVisit extends OneVisit {
  /** When the visit's first execution began, in milliseconds since the epoch. */
  readonly at: number;
}

/** What a visit changed, as git objects before and after it, and the files that differ. */
export interface VisitChanges {
  readonly before: string;
  readonly after: string;
  /** True if no later step has changed files, so that `after` is what the worktree or the branch contains now. */
  readonly isNow: boolean;
  /** Absolute; null: the session has no worktree. */
  readonly worktree: string | null;
  /** Files with changed symbols first. `symbolLine` is the line of the first such change, counted from 1. */
  readonly files: readonly (ChangedFile & { readonly symbolLine: number | null })[];
}

/** The kinds of leftovers. */
export const LEFTOVERS = ['worktree', 'registration', 'session', 'recovery', 'runs'] as const;

/** Something that cleaning removes or keeps, and why. `name`: a path, a session's id, a ref, or an age of runs. */
export interface CleaningResult {
  readonly what: (typeof LEFTOVERS)[number];
  readonly name: string;
  readonly message: string;
}

export interface Leftover extends CleaningResult {
  /** The size of a folder or of runs; null if it is neither. `isWhole` is false if not everything was counted. */
  readonly size: { readonly bytes: number; readonly isWhole: boolean } | null;
}

export interface Leftovers {
  readonly goes: readonly Leftover[];
  readonly stays: readonly Leftover[];
}

/** Changes of a project's sessions. */
export interface SessionNews {
  /** True if `sessions` is the whole list, in order of creation; false if it has only those that changed. */
  readonly whole: boolean;
  /** State changes since the whole list was sent: each once, in the order of the event log. */
  readonly moves: readonly SessionMoved[];
  /** Sessions as `robosmith sessions --json` prints them; each is at least as new as its last move. */
  readonly sessions: readonly SessionListing[];
}

export interface EndedSessions {
  readonly subscription: number;
  /** `failed`: the sessions can't be read. `too_slow`: the client did not keep up. */
  readonly why: 'too_slow' | 'failed';
  readonly message: string;
}

export interface EndedSubscription {
  readonly subscription: number;
  readonly why: 'too_slow';
  readonly message: string;
  readonly after: number;
}

interface HelloParams {
  readonly protocol: number;
  /** The content of the token file beside the socket. */
  readonly token: string;
  /** The client's name, for messages. */
  readonly client: string;
  /** True if a command that serves the project must not end while this client is connected. */
  readonly holds?: true;
}

export interface HelloResult {
  readonly protocol: Integer;
  /** The program's version. */
  readonly version: string;
  readonly pid: Integer;
  readonly root: string;
  /** When the host started. All times here are in milliseconds since the epoch. */
  readonly since: Integer;
  /** True if a command serves the project while it runs, and ends with its own work. */
  readonly foreground?: true;
}

export interface HostStatus extends HelloResult {
  readonly socket: string;
  readonly running: readonly RunId[];
  /** Sessions that are being created, merged, held or discarded. Older hosts omit it. */
  readonly busy?: readonly SessionId[];
  /** Runs that the host holds in memory while they wait for an answer. */
  readonly waiting: readonly RunId[];
  readonly clients: Integer;
  /** The earliest time at which a waiting run continues by itself; null if none does. */
  readonly due: Integer | null;
  readonly stopping: boolean;
  /** The resident memory of the host, in bytes. */
  readonly memory: Integer;
}

export interface StartParams extends OwnEnvironment {
  readonly start: Start;
  /** The working directory. This path and the manifest's path are absolute. */
  readonly directory: string;
  readonly manifest: string;
  /** The worker that executes a task for which the manifest has no node; the manifest is not read then. */
  readonly worker?: string;
  /** The id of the run of a task, from `tasks.begin`. */
  readonly run?: RunId;
  readonly input: string | null;
  /** The scripted answers. `name` is used in messages only. */
  readonly script: { readonly name: string; readonly text: string } | null;
  readonly step: boolean;
  /** The most that agents may do without approval, whatever the manifest allows. Older hosts ignore it. */
  readonly approvals?: Approvals;
  /** Answers to halts, given before they occur. Older hosts ignore them. */
  readonly answers?: readonly ScriptedAnswer[];
}

interface BegunTask {
  readonly start: TaskStart;
  readonly run: RunId;
}

/** A request with the environment of the client's terminal, for what the request begins. The host keeps it in memory only. */
interface OwnEnvironment {
  /**
   * The usual variables, such as `PATH`, and those that the manifest names in `env`. Null or absent: the environment
   * that the host knows for the run or session, or else its own.
   */
  readonly environment?: Environment | null;
}

interface OneSession {
  readonly session: SessionId;
}

interface OneRun {
  readonly run: RunId;
}

export interface ResumeParams extends OneRun, OwnEnvironment {
  /** True rolls back the execution with which the run failed. */
  readonly retry: boolean;
  /** Guidance for the workers of the retried step. */
  readonly guidance: string | null;
  /**
   * The hash of the current manifest. The client has checked it, and the run uses it from now on. Null keeps the
   * manifest that is stored with the run.
   */
  readonly manifest: string | null;
}

/** The outcome of a request to start or resume a run. A refused request has a Response; nothing was executed. */
export type StartOutcome =
  | {
      readonly ok: true;
      readonly run: RunId;
      /** The number of the run's last event before it was started or resumed. */
      readonly seq: number;
      /** True if the run was already executing, because another client has started it. */
      readonly joined?: true;
    }
  | { readonly ok: false; readonly refusal: Response };

export interface AnswerParams extends OneRun {
  readonly halt: HaltId;
  readonly answer: Answer;
}

/**
 * The outcome of an answer. If the named halt can't be answered any more, `waiting` lists the halts that can, and
 * `message` says what has happened since. Older hosts send no message.
 */
export type AnsweredHalt = AnswerOutcome & { readonly waiting?: readonly HaltId[]; readonly message?: string };

export interface SettledRun {
  readonly response: Response;
  /** The number of the run's last event at that time. */
  readonly seq: number;
}

export interface ShownRun {
  readonly listing: RunListing;
  readonly path: readonly PathEntry[];
  readonly graph: Graph;
  readonly directory: string | null;
}

/** Everything that waits for a person. Older hosts list halts only, without the commands that answer them. */
export interface HostInbox extends Partial<Pick<Inbox, 'sessions'>> {
  readonly waiting: readonly (Omit<WaitingHalt, OptionalHaltFields> & Partial<Pick<WaitingHalt, OptionalHaltFields>>)[];
}

type OptionalHaltFields = 'session' | 'answers';

/** A subscription to one run, or to all with `run: null`. `after` is the number of the last known event. */
interface SubscribeParams {
  readonly run: RunId | null;
  readonly after: number;
}

/** Keys of a client, which the host keeps in memory only. */
export interface OfferedKeys {
  /** Environment variables of the client that contain keys, with their values. */
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets by alias, of keys that the user's key book names. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ListedKeys {
  readonly keys: readonly (UserKey & {
    /** The key's tier in the user's order, from 1; null: after all keys that have a tier. */
    readonly tier: number | null;
    readonly hasSecret: boolean;
    /** The state of the key in this project. */
    readonly report: KeyReport | null;
  })[];
  readonly problems: readonly string[];
}

/** A new key, as the user enters it. */
interface AddedKey {
  readonly alias: string;
  readonly secret: string;
  /** Null: the alias is also the name of the provider. */
  readonly provider: string | null;
  readonly baseUrl: string | null;
  /** True replaces an existing key of the same name. */
  readonly replace: boolean;
}

interface KeyTest {
  /** `good`, `no_secret`, or the class of the failure. */
  readonly result: string;
  /** The provider's own message, without the key. */
  readonly said: string;
  readonly models: number | null;
}

/**
 * `idle` stops only if no run is executing; `wait` stops as soon as none is; `force` stops at once (runs can be
 * resumed).
 */
export const STOP_MODES = ['idle', 'wait', 'force'] as const;

interface StopParams {
  readonly mode: (typeof STOP_MODES)[number];
}

export interface StopResult {
  readonly stopped: boolean;
  /** The runs that keep the host from stopping. */
  readonly running: readonly RunId[];
  /** Sessions that are being created, merged, held or discarded. */
  readonly busy?: readonly SessionId[];
}
