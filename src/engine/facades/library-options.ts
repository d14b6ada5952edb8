import type { Condition } from '#protocol/condition.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import type { UnstoredOptions } from '../durable/start-data.ts';
import { checkConditions, checkObject, checkText, checkWorkers } from './check-arguments.ts';

/** The caller's own code, by the names that the manifest uses. It runs in the thread of the caller. */
export interface OwnCode {
  /** Workers, which take precedence over the built-in ones and those of the manifest. */
  readonly workers?: Readonly<Record<string, Worker>>;
  /** Conditions, beside the built-in ones. */
  readonly conditions?: Readonly<Record<string, Condition>>;
}

/** The options for starting a run through the library. */
export interface LibraryRunOptions
  extends OwnCode, Pick<RunOptions, 'start' | 'input' | 'script' | 'stepMode' | 'source' | 'onEvent'> {}

/** The options of a resumed run that its journal does not contain. */
export interface LibraryResumeOptions extends OwnCode, Pick<RunOptions, 'onEvent'> {}

const ownCode = ({ workers, conditions }: OwnCode): Pick<UnstoredOptions, 'workers' | 'conditions'> => {
  checkWorkers(workers);
  checkConditions(conditions);
  return {
    ...(workers === undefined ? {} : { workers: new Map(Object.entries(workers)) }),
    ...(conditions === undefined ? {} : { conditions: new Map(Object.entries(conditions)) }),
  };
};

/** Converts the options of the library to those of the engine. Throws `usage` for options of the wrong kind. */
export function runOptionsOf({ workers, conditions, ...options }: LibraryRunOptions): RunOptions {
  checkObject('options.start', options.start, 'an object with a node or a block');
  if (options.input !== undefined) checkText('options.input', options.input);
  return { ...options, ...ownCode(objectOf({ workers, conditions })) };
}

/** Converts the options of a resumed run to those of the engine. Throws `usage` for options of the wrong kind. */
export function unstoredOptionsOf({ workers, conditions, ...options }: LibraryResumeOptions): UnstoredOptions {
  return { ...options, ...ownCode(objectOf({ workers, conditions })) };
}

const objectOf = (code: { readonly [Key in keyof OwnCode]: OwnCode[Key] | undefined }): OwnCode => ({
  ...(code.workers === undefined ? {} : { workers: code.workers }),
  ...(code.conditions === undefined ? {} : { conditions: code.conditions }),
});
