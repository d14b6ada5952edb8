import scion from '@scion-scxml/scxml';
import type { JsonValue } from '#protocol/json.ts';

/**
 * An event of SCION, an independent interpreter of SCXML. The types in this file cover the part of SCION that the tests
 * use.
 */
export interface ChartEvent {
  readonly name: string;
  readonly data?: string;
}

export interface Chart {
  start(): void;
  gen(event: ChartEvent): void;
  isFinal(): boolean;
  /** The atomic states that the session is in. */
  getConfiguration(): readonly string[];
  on(event: 'onEntry' | 'onExit', listener: (state: string) => void): void;
}

export interface Invoke {
  readonly id: string;
  readonly type: string;
  readonly src: string;
}

export interface ChartOptions {
  readonly invokers: Readonly<Record<string, (chart: Chart, invoke: Invoke) => void>>;
  /** Replaces the interpreter's own event queue, which uses timers. */
  readonly customSend: (event: ChartEvent) => void;
  readonly parentSession?: Chart;
  readonly invokeid?: string;
  readonly sessionRegistry: Map<string, Chart>;
}

type Factory = object;

/** The functions that a document calls. */
export interface ChartGlobals {
  readonly condition: (id: string, ...args: readonly JsonValue[]) => boolean;
}

const core = scion.core as unknown as {
  readonly Statechart: new (factory: Factory, options: ChartOptions) => Chart;
};

/** Compiles a document to a function that creates sessions. */
export async function readChart(xml: string, globals: ChartGlobals): Promise<(options: ChartOptions) => Chart> {
  const factory = await new Promise<Factory>((resolve, reject) => {
    scion.documentStringToModel('', xml, (error: unknown, model) => {
      if (error !== null && error !== undefined) reject(new Error(JSON.stringify(error)));
      else
        model.prepare((failed: unknown, made) => {
          if (failed !== null && failed !== undefined)
            reject(failed instanceof Error ? failed : new Error(JSON.stringify(failed)));
          else resolve(made);
        }, globals);
    });
  });
  return (options) => new core.Statechart(factory, options);
}
