import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readObject, readString } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';
import type { KnownNames } from './known-names.ts';

/** The kinds of workers that answer with a model's text, or with a scripted text in its place. */
const SAYS: ReadonlySet<string> = new Set(['ai', 'agent', 'scripted']);

/** Returns why a worker's answer can't contain data, or null if it can, or if the worker is not known. */
function problemOf(worker: string, { manifest }: KnownNames): string | null {
  const declared = manifest.workers.get(worker)?.value;
  if (declared === undefined) return worker.startsWith('Worker:') ? null : `${worker} is neither a model nor an agent`;
  const definition: JsonObject = isObject(declared) ? declared : {};
  const kind = readString(definition, 'kind');
  if (kind !== null && !SAYS.has(kind)) return `${worker} is neither a model nor an agent`;
  return readString(definition, 'mode') === 'loom' ? `${worker} answers with edits` : null;
}

/** Reports `answer` of a block whose worker can't answer with data, and a second schema beside `answer`. */
export function checkAnswer({ written, id }: ResolvedBlock, worker: string, names: KnownNames, diagnose: Diagnose) {
  if (!has(written, 'answer')) return;
  const { report, related } = diagnose;
  const spot = { container: written, member: 'answer', side: 'key' } as const;
  const problem = worker === '' ? null : problemOf(worker, names);
  if (problem !== null) report('RS2057', spot, { block: id, problem });
  const validation = readObject(written, 'validation');
  if (validation === null || !has(validation, 'schema')) return;
  const other = related({ container: validation, member: 'schema', side: 'key' }, 'The other schema is here.');
  report('RS2058', spot, { block: id }, { related: [other] });
}
