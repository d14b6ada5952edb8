import type { SideEffects } from '#protocol/graph.ts';
import type { BlockMemory, Completion, WorkerResult } from '#protocol/worker.ts';
import type { ErrorData } from './error-data.ts';
import type { ServiceShape, ThreadArgument } from './service-shape.ts';

/** The functions of a worker that can be called in a thread. */
export const METHODS = ['execute', 'sideEffectsOf', 'checkPreconditions', 'checkCompletion', 'cleanup'] as const;

export type Method = (typeof METHODS)[number];

/** The description of a module's export. */
export type Description =
  | { readonly sideEffects: SideEffects; readonly manual?: true; readonly methods: readonly Method[] }
  | { readonly problem: string };

export interface Invocation {
  readonly kind: 'invoke';
  readonly id: number;
  readonly href: string;
  readonly export: string;
  readonly method: Method;
  /** Null if it is the same memory as in the previous invocation. */
  readonly memory: BlockMemory | null;
  readonly services: ServiceShape;
}

export type Outcome =
  | { readonly ok: true; readonly value: WorkerResult | Completion | SideEffects | null }
  /** The result violates the worker contract. */
  | { readonly ok: false; readonly violation: string }
  | { readonly ok: false; readonly error: ErrorData };

export type ToThread =
  | { readonly kind: 'describe'; readonly id: number; readonly href: string; readonly exports: readonly string[] }
  | Invocation
  | {
      readonly kind: 'abort';
      readonly id: number;
      readonly reason: { readonly name: string; readonly message: string };
    }
  | {
      readonly kind: 'reply';
      readonly call: number;
      readonly now: number;
      readonly outcome:
        { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: ErrorData };
      /** The session's change plan, if the call has changed it. */
      readonly written?: readonly string[];
    }
  | { readonly kind: 'callback'; readonly callback: number; readonly args: readonly unknown[] };

export type FromThread =
  | {
      readonly kind: 'described';
      readonly id: number;
      readonly found: { readonly problem: string } | { readonly exports: Readonly<Record<string, Description>> };
    }
  | { readonly kind: 'ended'; readonly id: number; readonly outcome: Outcome }
  /** The thread has received an abort, so its event loop is running. */
  | { readonly kind: 'aborted'; readonly id: number }
  /** No execution is active in the thread. `isClean`: its executions have not failed, and left no open
   * resources, such as timers. */
  | { readonly kind: 'rested'; readonly isClean: boolean }
  | {
      readonly kind: 'call';
      readonly id: number;
      /** Null if no answer is expected. */
      readonly call: number | null;
      readonly name: string;
      readonly args: readonly ThreadArgument[];
    }
  | { readonly kind: 'signal'; readonly signal: number };
