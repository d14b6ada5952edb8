import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import type { KnownNames } from './known-names.ts';
import type { CheckedBlock } from './read-block.ts';

const PLACEHOLDER = /\$\{([^{}]*)\}/g;

const isKnown = (name: string): boolean => name === 'artifact' || name === 'task.title' || /^exports\..+$/.test(name);

/** Returns the names of all placeholders in a value. */
function placeholders(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (isList(value)) return value.flatMap(placeholders);
  return isObject(value) ? Object.values(value).flatMap(placeholders) : [];
}

interface Query {
  readonly tool: string;
  readonly args: JsonObject;
}

const queriesOf = (slice: JsonValue | undefined): readonly Query[] =>
  isObject(slice)
    ? (readList(slice, 'queries') ?? [])
        .filter(isObject)
        .map((query) => ({ tool: readString(query, 'tool') ?? '', args: readObject(query, 'args') ?? {} }))
    : [];

/** Returns why a worker gets no context slice, or null if it gets one. */
function whyNone(worker: string, { manifest, internalWorkers }: KnownNames): string | null {
  const definition = manifest.workers.get(worker)?.value;
  if (isObject(definition))
    return readString(definition, 'kind') === 'command' ? `${worker} is a command, which gets no memory` : null;
  if (!internalWorkers.has(worker) || worker === 'Internal:ContextQuery') return null;
  return `${worker} reads no context slice`;
}

/** Warns of a block whose context slice, or a query of it, can never give it anything. */
export function warnOfUselessSlice(
  { block, resolved: { written } }: CheckedBlock,
  names: KnownNames,
  { report }: Diagnose,
): void {
  const { id, worker, contextSlice, artifact } = block;
  if (contextSlice === null) return;
  const place = { container: written, member: 'context_slice' };
  const what = `The context slice "${contextSlice}" of ${id}`;
  const why = whyNone(worker, names);
  if (why !== null) return report('RS4013', place, { what, why });
  const queries = queriesOf(names.manifest.contextSlices.get(contextSlice)?.value);
  const empty = queries.filter(({ args }) => artifact.length === 0 && placeholders(args).includes('artifact'));
  if (empty.length === 0) return;
  const tools = [...new Set(empty.map(({ tool }) => tool))].join(', ');
  const whole = empty.length === queries.length;
  report('RS4013', place, {
    what: whole ? what : `The query ${tools} of the context slice "${contextSlice}" in ${id}`,
    why: 'it uses the artifact of the block, which has none',
  });
}

/** Warns of unknown placeholders in context slices: queries that contain one always fail. */
export function warnOfUnknownPlaceholders({ manifest }: KnownNames, { report }: Diagnose): void {
  for (const { name, value } of manifest.contextSlices.values())
    for (const { tool, args } of queriesOf(value))
      for (const [member, written] of Object.entries(args)) {
        const unknown = placeholders(written).find((one) => !isKnown(one));
        if (unknown === undefined) continue;
        const what = `The query ${tool} of the context slice "${name}"`;
        report('RS4013', { container: args, member }, { what, why: `there is no placeholder \${${unknown}}` });
      }
}
