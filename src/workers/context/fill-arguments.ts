import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { BlockMemory } from '#protocol/worker.ts';

const NAME = /\$\{([^{}]*)\}/g;

/** The reason why a query's arguments can't be filled. */
export interface MissingArgument {
  readonly missing: string;
}

/** The values that placeholders in arguments refer to. */
export interface ArgumentValues {
  readonly memory: Pick<BlockMemory, 'artifact' | 'exports'>;
  /** The title of the session's task, or null for a run without a task. */
  readonly taskTitle: string | null;
}

type Filled = { readonly args: JsonObject } | MissingArgument;

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

function valueOf(name: string, values: ArgumentValues, artifact: string | null): JsonValue | undefined {
  if (name === 'artifact') return artifact ?? undefined;
  if (name === 'task.title') return values.taskTitle ?? undefined;
  const { exports } = values.memory;
  const key = name.startsWith('exports.') ? name.slice('exports.'.length) : null;
  return key !== null && Object.hasOwn(exports, key) ? exports[key] : undefined;
}

/**
 * Replaces the placeholders in a text. If the text is a single placeholder, returns the value itself, which may be a
 * list.
 */
function fillText(text: string, values: ArgumentValues, artifact: string | null): JsonValue {
  const [whole] = text.matchAll(NAME);
  const value = whole?.[0] === text ? valueOf(whole[1] ?? '', values, artifact) : undefined;
  if (value !== undefined) return value;
  return text.replaceAll(NAME, (written, name: string) => {
    const part = valueOf(name, values, artifact);
    if (part === undefined) throw new RangeError(written);
    return asText(part);
  });
}

function fill(value: JsonValue, values: ArgumentValues, artifact: string | null): JsonValue {
  if (typeof value === 'string') return fillText(value, values, artifact);
  if (Array.isArray(value)) return value.map((one: JsonValue) => fill(one, values, artifact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, values, artifact)]));
}

const namesArtifact = (args: JsonObject): boolean => JSON.stringify(args).includes('${artifact}');

/**
 * Fills in the arguments of a query. A query with `${artifact}` becomes one query for each file of the artifact, except
 * files that must not leave this machine.
 */
export function fillArguments(args: JsonObject, values: ArgumentValues): readonly Filled[] {
  const files: readonly (string | null)[] = namesArtifact(args)
    ? values.memory.artifact.files.flatMap(({ path, keptBack }) => (keptBack === true ? [] : [path]))
    : [null];
  if (files.length === 0)
    return [{ missing: '${artifact}: the block has no artifact, or its artifact matches no file' }];
  return files.map((file) => {
    try {
      return { args: fill(args, values, file) as JsonObject };
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      return { missing: `${thrown.message}: no value has that name` };
    }
  });
}
