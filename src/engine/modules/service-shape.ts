import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ProcessEnd, Services } from '#protocol/services.ts';

/** An argument of a call from a thread: data, a callback, or a signal. */
export type ThreadArgument =
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'callback'; readonly callback: number }
  | { readonly kind: 'signal'; readonly signal: number; readonly aborted: boolean };

/** Describes the services to a thread: data, and the names of callable functions. */
export interface ServiceShape {
  readonly data: {
    readonly block: GraphBlock | null;
    readonly definition: WorkerDefinition | null;
    readonly commands: Services['commands'];
    readonly contextSlices?: JsonObject;
  };
  /** Null for a service that is not available. */
  readonly parts: Readonly<Record<string, ServicePart | null>>;
  readonly now: number;
  /** The return value of `changePlan.written()`; null for a run without a change plan. */
  readonly written: readonly string[] | null;
  readonly completed: ProcessEnd | null;
}

export interface ServicePart {
  /** The service's fields that are text, numbers, booleans or null. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
  readonly functions: readonly string[];
}

/** The services that a module can use; coding agents are reserved for the engine. */
const PARTS = ['clock', 'files', 'processes', 'changePlan', 'logs', 'completion', 'outbound', 'ai', 'context'] as const;

type Function = (...args: readonly unknown[]) => unknown;

export interface OfferedServices {
  readonly shape: ServiceShape;
  /** Functions by `part.function`. */
  readonly functions: ReadonlyMap<string, Function>;
}

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Describes services to a thread, and collects the callable functions. */
export function offerServices(services: Services): OfferedServices {
  const functions = new Map<string, Function>([['progress', services.progress as Function]]);
  const parts: Record<string, ServicePart | null> = {};
  for (const name of PARTS) {
    const part = services[name];
    if (part === undefined) continue;
    parts[name] = part === null ? null : describePart(name, part, functions);
  }
  const { block, definition, commands, contextSlices } = services;
  return {
    functions,
    shape: {
      data: { block, definition, commands, ...(contextSlices === undefined ? {} : { contextSlices }) },
      parts,
      now: services.clock.now(),
      written: services.changePlan?.written() ?? null,
      completed: services.completion?.recall() ?? null,
    },
  };
}

function describePart(name: string, part: object, functions: Map<string, Function>): ServicePart {
  const fields: Record<string, string | number | boolean | null> = {};
  const names: string[] = [];
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'function') {
      names.push(key);
      functions.set(`${name}.${key}`, (value as Function).bind(part));
    } else if (isPlain(value)) fields[key] = value;
  }
  return { fields, functions: names };
}
