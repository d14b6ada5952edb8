import type { AiReply } from './ai-service.ts';
import type { CallRecord, CallSummary } from './call-record.ts';
import type { ControlAnswer } from './control.ts';
import type { LoggedEvent } from './event-line.ts';
import type { RoboSmithEvent } from './event.ts';
import type { HostToView, ViewToHost } from './generated/view.gen.ts';
import type { Graph } from './graph.ts';
import type { HaltId, RunId, SessionId } from './id.ts';
import type { Inbox, WaitingHalt } from './inbox.ts';
import type { InspectionEvent } from './inspection.ts';
import type { KeyReport, UserKey } from './key-pool.ts';
import type { Session, SessionJob } from './session.ts';
import type { SessionMoved } from './session-event.ts';
import type { SessionListing } from './session-listing.ts';
import type {
  DiscardChoices,
  Disposed,
  ForeignSession,
  HoldChoices,
  MergeChoices,
  PushChoices,
  SessionChanges,
  SessionOrder,
  StepOfRun,
  UpdateChoices,
} from './session-api.ts';
import type { Answer, PathEntry, Response } from './response.ts';
import type { AnswerOutcome, Start } from './run.ts';
import type { RunListing } from './run-summary.ts';

/**
 * The version of the host's protocol. A host and a client of different versions exchange nothing but the request to
 * stop.
 */
export const HOST_PROTOCOL = 1;

/** The requests that the host accepts, with their parameters and results as JSON. */
export interface HostMethods {
  /** Opens a connection; must be the first request. */
  readonly hello: Method<HelloParams, HelloResult>;
  readonly status: Method<Nothing, HostStatus>;
  readonly 'run.start': Method<StartParams, Begun>;
  /** Continues a run. A run that is already executing here is only looked up. */
  readonly 'run.resume': Method<ResumeParams, Begun>;
  /** Answers a halt. Resumes the run first if it is not loaded. */
  readonly 'run.answer': Method<AnswerParams, AnsweredHalt>;
  /** Responds once the run has ended or waits. */
  readonly 'run.settled': Method<OneRun, Settled>;
  readonly 'run.stop': Method<OneRun, ControlAnswer>;
  readonly 'run.pause': Method<OneRun, ControlAnswer>;
  readonly 'run.cancel': Method<OneRun, ControlAnswer>;
  /** Creates a run from a step of a run without a session; `run.resume` starts it. */
  readonly 'run.fork': Method<StepOfRun, OneRun>;
  readonly 'run.list': Method<Nothing, { readonly runs: readonly RunListing[] }>;
  readonly 'run.show': Method<OneRun, ShownRun>;
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
  readonly 'session.create': Method<SessionOrder, Session>;
  readonly 'session.change': Method<OneSession & { readonly changes: SessionChanges }, Session>;
  readonly 'session.submit': Method<OneSession, Session>;
  readonly 'session.withdraw': Method<OneSession, Session>;
  readonly 'session.resume': Method<OneSession, Session>;
  readonly 'session.foreign': Method<{ readonly branch: string }, ForeignSession>;
  readonly 'session.adopt': Method<{ readonly branch: string; readonly commit: string }, Session>;
  readonly 'session.fork': Method<OneSession & StepOfRun, Session>;
  /** Starts another run in the session's worktree. `plan` is added to the change plan. */
  readonly 'session.rerun': Method<
    OneSession & { readonly job: SessionJob; readonly plan?: readonly string[] },
    Session
  >;
  /** Responds once the session has left the states draft, queued and creating. */
  readonly 'session.moved': Method<OneSession & { readonly known: number }, Session>;
  readonly 'session.merge': Method<OneSession & { readonly choices: MergeChoices }, Disposed>;
  readonly 'session.update': Method<OneSession & { readonly choices: UpdateChoices }, Disposed>;
  readonly 'session.hold': Method<OneSession & { readonly choices: HoldChoices }, Disposed>;
  readonly 'session.discard': Method<OneSession & { readonly choices: DiscardChoices }, Disposed>;
  /** Pushes the branch; opens a pull request only with `choices`. */
  readonly 'session.push': Method<OneSession & { readonly choices?: PushChoices }, Disposed>;
  readonly 'session.restore': Method<OneSession, Disposed>;
  /** Opens a view of the project. Its messages follow `schemas/view.schema.json`. `open` is the tab to show first. */
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
  /** Returns what the project would run, and whether the user has allowed it. */
  readonly 'trust.look': Method<Nothing, ProjectTrust>;
  /** Records that the user allows what the project would run. `hash` identifies what was shown to the user. */
  readonly 'trust.remember': Method<{ readonly hash: string }, { readonly remembered: boolean }>;
  /**
   * Returns two versions of a file of a session: where the session's branch left its base, and on the branch now. Null:
   * the file does not exist there.
   */
  readonly 'session.file': Method<OneSession & { readonly path: string }, SessionFile>;
  /**
   * Asks a model about a part of a file. Pieces of the answer arrive as `model.text` notices; the result has the whole
   * answer.
   */
  readonly 'model.ask': Method<AskModel, AiReply>;
  /** Stops a question or a repeated call of this client; `stopped` is false if it has already ended. */
  readonly 'model.stop': Method<OneStream, { readonly stopped: boolean }>;
  /** The logged calls of models, newest first. */
  readonly 'calls.list': Method<Nothing, { readonly calls: readonly CallSummary[] }>;
  /** Finds the logged calls whose request or answer contains a text, whatever the case of its letters. */
  readonly 'calls.search': Method<{ readonly text: string }, { readonly calls: readonly string[] }>;
  readonly 'calls.show': Method<{ readonly call: string }, ShownCall>;
  /**
   * Sends a logged call again. `request` is its edited text, in the format of `calls.show`; null sends it unchanged.
   */
  readonly 'calls.rerun': Method<OneStream & { readonly call: string; readonly request: string | null }, ShownCall>;
  readonly 'keys.offer': Method<OfferedKeys, { readonly taken: number }>;
  /** Returns the user's keys and their state in this project, without secrets. */
  readonly 'keys.list': Method<Nothing, ListedKeys>;
  /**
   * Adds a key to the user's list. The host keeps the secret only in memory: the client stores it and offers it again
   * later.
   */
  readonly 'keys.add': Method<AddedKey, Nothing>;
  readonly 'keys.remove': Method<{ readonly alias: string }, Nothing>;
  /** Sets the order of the keys: tiers of aliases, of which the first is used first. */
  readonly 'keys.order': Method<{ readonly order: readonly (readonly string[])[] }, Nothing>;
  /** Asks the provider whether it accepts a key. The request is free of charge. */
  readonly 'keys.test': Method<{ readonly alias: string }, KeyTest>;
  /** Clears the failure state in this project of keys that were tested successfully. Older hosts lack this method. */
  readonly 'keys.forgive': Method<{ readonly aliases: readonly string[] }, { readonly forgiven: number }>;
  readonly 'host.stop': Method<StopParams, StopResult>;
}

export type HostMethod = keyof HostMethods;

interface Method<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

export type Nothing = Readonly<Record<string, never>>;

/** Notifications of the host. */
export interface HostNotices {
  readonly events: { readonly subscription: number; readonly events: readonly (LoggedEvent | RoboSmithEvent)[] };
  /** The subscription has ended. `after` is the number of the last event sent; a new subscription can begin there. */
  readonly 'events.ended': EndedSubscription;
  readonly sessions: SessionNews & { readonly subscription: number };
  /** The subscription has ended. A new one begins with the whole list. */
  readonly 'sessions.ended': EndedSessions;
  /** Inspection events in the order in which they happened. */
  readonly inspection: { readonly subscription: number; readonly events: readonly InspectionEvent[] };
  /** The subscription has ended because the client did not keep up. */
  readonly 'inspection.ended': { readonly subscription: number; readonly message: string };
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

/** The number by which a client assigns notices to its request. */
export interface OneStream {
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
}

export interface SessionFile {
  readonly before: string | null;
  /** The file on the branch; uncommitted changes are in the worktree. */
  readonly committed: string | null;
  /** Absolute; null: the session has no worktree. */
  readonly worktree: string | null;
  /**
   * The line of the first change within a symbol, counted from 1; null if no symbol changed. Older hosts don't send it.
   */
  readonly symbolLine?: number | null;
}

/** Changes of a project's sessions. */
export interface SessionNews {
  /** True if `sessions` is the whole list, in order of creation; false if it has only those that changed. */
  readonly whole: boolean;
  /** State changes since the whole list, each once, in the order of the event log. */
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

export interface HelloParams {
  readonly protocol: number;
  /** The content of the token file beside the socket. */
  readonly token: string;
  /** The client's name, for messages. */
  readonly client: string;
}

export interface HelloResult {
  readonly protocol: number;
  /** The program's version. */
  readonly version: string;
  readonly pid: number;
  readonly root: string;
  /** The start of the host, in milliseconds since the epoch, as all times here. */
  readonly since: number;
}

export interface HostStatus extends HelloResult {
  readonly socket: string;
  readonly running: readonly RunId[];
  /** Sessions that are being created, merged, held or discarded. Older hosts omit it. */
  readonly busy?: readonly SessionId[];
  /** Runs that wait for an answer in the host's memory. */
  readonly waiting: readonly RunId[];
  readonly clients: number;
  /** The time at which the next waiting run continues by itself; null if none does. */
  readonly due: number | null;
  readonly stopping: boolean;
  /** The resident memory of the host, in bytes. */
  readonly memory: number;
}

export interface StartParams {
  readonly start: Start;
  /** The folder to work in; absolute, as is the manifest's path. */
  readonly directory: string;
  readonly manifest: string;
  readonly input: string | null;
  /** Scripted answers; the name is for messages. */
  readonly script: { readonly name: string; readonly text: string } | null;
  readonly step: boolean;
}

export interface OneSession {
  readonly session: SessionId;
}

export interface OneRun {
  readonly run: RunId;
}

export interface ResumeParams extends OneRun {
  /** True rolls back the execution with which the run failed. */
  readonly retry: boolean;
  /** Guidance for the workers of the retried step. */
  readonly guidance: string | null;
  /**
   * The hash of the current manifest, which the client has checked and which the run follows from now on; null keeps
   * the stored manifest.
   */
  readonly manifest: string | null;
}

/** The outcome of a request to start or resume. A refusal is a Response: nothing was executed. */
export type Begun =
  | {
      readonly ok: true;
      readonly run: RunId;
      /** The number of the run's last event before it was started or resumed. */
      readonly seq: number;
    }
  | { readonly ok: false; readonly refusal: Response };

export interface AnswerParams extends OneRun {
  readonly halt: HaltId;
  readonly answer: Answer;
}

/** The outcome of an answer. `waiting` lists the halts that can be answered, if the given one can't. */
export type AnsweredHalt = AnswerOutcome & { readonly waiting?: readonly HaltId[] };

export interface Settled {
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

/** What waits for a person. Older hosts list halts only, without their commands. */
export interface HostInbox extends Partial<Pick<Inbox, 'sessions'>> {
  readonly waiting: readonly (Omit<WaitingHalt, Later> & Partial<Pick<WaitingHalt, Later>>)[];
}

type Later = 'session' | 'answers';

/** A subscription to one run, or to all with `run: null`. `after` is the number of the last known event. */
export interface SubscribeParams {
  readonly run: RunId | null;
  readonly after: number;
}

/** Keys of a client, which the host keeps in memory only. */
export interface OfferedKeys {
  /** Environment variables of the client that hold keys. */
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets by alias, of keys that the user's key book names. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ListedKeys {
  readonly keys: readonly (UserKey & {
    /** The position in the user's order, from 1; null: after all keys that have a position. */
    readonly tier: number | null;
    readonly hasSecret: boolean;
    /** The state in this project. */
    readonly report: KeyReport | null;
  })[];
  readonly problems: readonly string[];
}

/** A key as a person gives it. */
export interface AddedKey {
  readonly alias: string;
  readonly secret: string;
  /** Null: the provider of the same name as the alias. */
  readonly provider: string | null;
  readonly baseUrl: string | null;
  /** True replaces a key of the same name. */
  readonly replace: boolean;
}

export interface KeyTest {
  /** `good`, `no_secret`, or the class of the failure. */
  readonly result: string;
  /** The provider's own message, without the key. */
  readonly said: string;
  readonly models: number | null;
}

/** `idle` stops only if nothing is executing, `wait` as soon as nothing is, `force` now (runs can be resumed). */
export const STOP_MODES = ['idle', 'wait', 'force'] as const;

export interface StopParams {
  readonly mode: (typeof STOP_MODES)[number];
}

export interface StopResult {
  readonly stopped: boolean;
  /** The runs that keep the host from stopping. */
  readonly running: readonly RunId[];
  /** Sessions, as in the status. */
  readonly busy?: readonly SessionId[];
}
