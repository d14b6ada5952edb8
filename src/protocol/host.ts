import type { ControlAnswer } from './control.ts';
import type { LoggedEvent } from './event-line.ts';
import type { RoboSmithEvent } from './event.ts';
import type { HostToView, ViewToHost } from './generated/view.gen.ts';
import type { Graph } from './graph.ts';
import type { HaltId, RunId, SessionId } from './id.ts';
import type { Inbox, WaitingHalt } from './inbox.ts';
import type { Session, SessionJob } from './session.ts';
import type { SessionMoved } from './session-event.ts';
import type { SessionListing } from './session-listing.ts';
import type {
  DiscardChoices,
  Disposed,
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

/** Of what host and clients say to each other (spec/engine.md "Where the engine runs"); another one talks to nobody but to be stopped. */
export const HOST_PROTOCOL = 1;

/** A request of each of these names; `params` and `result` are JSON. */
export interface HostMethods {
  /** The first one of every connection. */
  readonly hello: Method<HelloParams, HelloResult>;
  readonly status: Method<Nothing, HostStatus>;
  readonly 'run.start': Method<StartParams, Begun>;
  /** Goes on with a run; one that is under way here already is only found. */
  readonly 'run.resume': Method<ResumeParams, Begun>;
  /** Of a run that is not under way, after it was gone on with. */
  readonly 'run.answer': Method<AnswerParams, AnsweredHalt>;
  /** Answered when the run has ended or waits; at once where it does so now. */
  readonly 'run.settled': Method<OneRun, Settled>;
  readonly 'run.stop': Method<OneRun, ControlAnswer>;
  readonly 'run.pause': Method<OneRun, ControlAnswer>;
  readonly 'run.cancel': Method<OneRun, ControlAnswer>;
  /** A new run, which begins with `run.resume`; of a run that works for no session. */
  readonly 'run.fork': Method<StepOfRun, OneRun>;
  readonly 'run.list': Method<Nothing, { readonly runs: readonly RunListing[] }>;
  readonly 'run.show': Method<OneRun, ShownRun>;
  /** What `robosmith inbox --json` tells. */
  readonly inbox: Method<Nothing, HostInbox>;
  readonly 'events.subscribe': Method<SubscribeParams, { readonly subscription: number }>;
  /** Answered when all that there is to be told by now has been; at once for one that has ended. */
  readonly 'events.caughtUp': Method<{ readonly subscription: number }, Nothing>;
  readonly 'events.unsubscribe': Method<{ readonly subscription: number }, Nothing>;
  /** The whole list comes first, then what changes; an older host has no such method. */
  readonly 'sessions.subscribe': Method<Nothing, { readonly subscription: number }>;
  readonly 'sessions.unsubscribe': Method<{ readonly subscription: number }, Nothing>;
  readonly 'session.list': Method<Nothing, { readonly sessions: readonly Session[] }>;
  readonly 'session.create': Method<SessionOrder, Session>;
  readonly 'session.change': Method<OneSession & { readonly changes: SessionChanges }, Session>;
  readonly 'session.submit': Method<OneSession, Session>;
  readonly 'session.withdraw': Method<OneSession, Session>;
  readonly 'session.resume': Method<OneSession, Session>;
  readonly 'session.adopt': Method<{ readonly branch: string }, Session>;
  readonly 'session.fork': Method<OneSession & StepOfRun, Session>;
  /** `plan`: what it means to change beside what is planned. */
  readonly 'session.rerun': Method<
    OneSession & { readonly job: SessionJob; readonly plan?: readonly string[] },
    Session
  >;
  /** Answered when it is neither a draft nor waits for its turn, nor is being made; at once where it is so now. */
  readonly 'session.moved': Method<OneSession & { readonly known: number }, Session>;
  readonly 'session.merge': Method<OneSession & { readonly choices: MergeChoices }, Disposed>;
  readonly 'session.update': Method<OneSession & { readonly choices: UpdateChoices }, Disposed>;
  readonly 'session.hold': Method<OneSession & { readonly choices: HoldChoices }, Disposed>;
  readonly 'session.discard': Method<OneSession & { readonly choices: DiscardChoices }, Disposed>;
  /** Without `choices` it opens no pull request. */
  readonly 'session.push': Method<OneSession & { readonly choices?: PushChoices }, Disposed>;
  readonly 'session.restore': Method<OneSession, Disposed>;
  /** A view of the project begins: it speaks the contract of `schemas/view.schema.json`. `open`: the tab to begin with. */
  readonly 'view.open': Method<{ readonly open: string | null }, { readonly view: number }>;
  /** A message of a view; what it answers comes as `view` notices. */
  readonly 'view.send': Method<{ readonly view: number; readonly message: ViewToHost }, Nothing>;
  readonly 'view.close': Method<{ readonly view: number }, Nothing>;
  /** What the project would run, and whether the user has said that it may. */
  readonly 'trust.look': Method<Nothing, LookedTrust>;
  /** The user says that this may run: the hash of what was shown. */
  readonly 'trust.remember': Method<{ readonly hash: string }, { readonly remembered: boolean }>;
  /** A file of a session as it was where the session parted from its base, and as its branch has it. Null: there is none. */
  readonly 'session.file': Method<OneSession & { readonly path: string }, SessionFile>;
  readonly 'keys.offer': Method<OfferedKeys, { readonly taken: number }>;
  readonly 'host.stop': Method<StopParams, StopResult>;
}

export type HostMethod = keyof HostMethods;

interface Method<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

export type Nothing = Readonly<Record<string, never>>;

/** What a host tells without being asked. */
export interface HostNotices {
  readonly events: { readonly subscription: number; readonly events: readonly (LoggedEvent | RoboSmithEvent)[] };
  /** No more of them come; `after` is the last one that was sent, to subscribe again from. */
  readonly 'events.ended': EndedSubscription;
  readonly sessions: SessionNews & { readonly subscription: number };
  /** No more of them come; who subscribes again begins with the whole list. */
  readonly 'sessions.ended': EndedSessions;
  /** A message for a view. */
  readonly view: { readonly view: number; readonly message: HostToView };
}

export interface LookedTrust {
  readonly trusted: boolean;
  readonly hash: string;
  readonly executables: readonly { readonly what: string; readonly command: string }[];
}

export interface SessionFile {
  readonly before: string | null;
  /** As the branch has it; what is not committed is in the worktree. */
  readonly committed: string | null;
  /** Absolute; null: the session has no worktree. */
  readonly worktree: string | null;
}

/** What is new of the sessions of a project. */
export interface SessionNews {
  /** `sessions` are all there are, in the order in which they were made; else those that are others now. */
  readonly whole: boolean;
  /** Each one once, in the order in which they came, as the event log has them; those before the whole list are not told. */
  readonly moves: readonly SessionMoved[];
  /** As `robosmith sessions --json` gives them; none is older than a move of it that was told. */
  readonly sessions: readonly SessionListing[];
}

export interface EndedSessions {
  readonly subscription: number;
  /** `failed`: they can't be read. */
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
  /** What stands in the file beside the socket. */
  readonly token: string;
  /** Who it is, for people. */
  readonly client: string;
}

export interface HelloResult {
  readonly protocol: number;
  /** Of the program. */
  readonly version: string;
  readonly pid: number;
  readonly root: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly since: number;
}

export interface HostStatus extends HelloResult {
  readonly socket: string;
  readonly running: readonly RunId[];
  /** Sessions to which something is done beside their runs: made, merged, held, discarded. An older host does not say. */
  readonly busy?: readonly SessionId[];
  /** Kept in memory until they are answered. */
  readonly waiting: readonly RunId[];
  readonly clients: number;
  /** When the next waiting run goes on by itself; null: none does. */
  readonly due: number | null;
  readonly stopping: boolean;
  /** Bytes of memory. */
  readonly memory: number;
}

export interface StartParams {
  readonly start: Start;
  /** Absolute, as is the manifest's file. */
  readonly directory: string;
  readonly manifest: string;
  readonly input: string | null;
  /** Scripted answers; its name is for messages. */
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
  /** The execution with which it failed does not count. */
  readonly retry: boolean;
  /** A word for the workers of what is retried. */
  readonly guidance: string | null;
  /** Follow today's manifest from now on: its hash as the client has checked it. */
  readonly manifest: string | null;
}

/** A refusal is a Response: nothing was executed. */
export type Begun =
  | {
      readonly ok: true;
      readonly run: RunId;
      /** Number of its last event before. */
      readonly seq: number;
    }
  | { readonly ok: false; readonly refusal: Response };

export interface AnswerParams extends OneRun {
  readonly halt: HaltId;
  readonly answer: Answer;
}

/** `waiting`: the halts that can be answered, where it is none of them. */
export type AnsweredHalt = AnswerOutcome & { readonly waiting?: readonly HaltId[] };

export interface Settled {
  readonly response: Response;
  /** Of its last event by then. */
  readonly seq: number;
}

export interface ShownRun {
  readonly listing: RunListing;
  readonly path: readonly PathEntry[];
  readonly graph: Graph;
  readonly directory: string | null;
}

/** An older host tells of halts alone, also of those that wait for nobody, and not what answers them. */
export interface HostInbox extends Partial<Pick<Inbox, 'sessions'>> {
  readonly waiting: readonly (Omit<WaitingHalt, Later> & Partial<Pick<WaitingHalt, Later>>)[];
}

type Later = 'session' | 'answers';

/** Null: of all runs, those that come. `after`: the number of the last one that is known. */
export interface SubscribeParams {
  readonly run: RunId | null;
  readonly after: number;
}

/** Kept in memory only. */
export interface OfferedKeys {
  /** Variables, as in the environment of a command line. */
  readonly environment: Readonly<Record<string, string>>;
  /** By alias, of keys that the user's key book names. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** `idle`: only when nothing is under way; `wait`: when nothing is any more; `force`: now, runs can be resumed. */
export const STOP_MODES = ['idle', 'wait', 'force'] as const;

export interface StopParams {
  readonly mode: (typeof STOP_MODES)[number];
}

export interface StopResult {
  readonly stopped: boolean;
  /** What keeps it. */
  readonly running: readonly RunId[];
  /** As in the status. */
  readonly busy?: readonly SessionId[];
}
