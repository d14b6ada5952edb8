import type { JsonObject } from '#protocol/json.ts';
import type { Validation } from '#protocol/graph.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { readSchema } from './read-schema.ts';
import type { SchemaOptions } from './read-schema.ts';

interface Keyword {
  readonly text: string;
  readonly spot: Spot;
}

function keywords(written: JsonObject): readonly Keyword[] {
  const validation = readObject(written, 'validation');
  const places: readonly (readonly [JsonObject | null, string])[] = [
    [validation, 'signal'],
    [validation, 'proceedSignal'],
    [written, 'proceedSignal'],
  ];
  return places.flatMap(([container, member]): readonly Keyword[] => {
    const text = container === null ? null : readString(container, member);
    return text === null || container === null ? [] : [{ text, spot: { container, member } }];
  });
}

/** Merges `validation` and `proceedSignal` into one check of the answer. Returns null if the block has neither. */
export function desugarValidation(
  written: JsonObject,
  block: string,
  options: SchemaOptions,
  diagnose: Diagnose,
): Validation | null {
  const { report, related } = diagnose;
  const [first, ...others] = keywords(written);
  for (const other of others) {
    if (first === undefined || other.text === first.text) continue;
    report(
      'RS2011',
      other.spot,
      { block, first: first.text, second: other.text },
      { related: [related(first.spot, 'The first one is here.')] },
    );
  }
  const validation = readObject(written, 'validation');
  const schema = validation === null ? null : readSchema(validation, options, diagnose);
  return first === undefined && schema === null ? null : { keyword: first?.text ?? null, schema };
}
