import { messageOf } from '#protocol/message-of.ts';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '#protocol/json.ts';
import { linearRegExp } from './linear-reg-exp.ts';

export type Schema = JsonObject | boolean;

// Inlined references would let a small hostile schema grow to any size.
const OPTIONS = {
  allErrors: true,
  strict: false,
  logger: false,
  inlineRefs: false,
  code: { regExp: linearRegExp },
} as const;

/** Characters; a larger one would take long to compile, and no provider takes it. */
const LARGEST = 1_000_000;

/** What a draft's validator does for us. */
type Compiler = Pick<Ajv, 'compile'>;

type Draft = '07' | '2019' | '2020';

/** The draft that a schema names; draft-07 when it names none. Ajv refuses those it does not know. */
function draftOf(schema: Schema): Draft {
  const name = typeof schema === 'object' ? schema['$schema'] : undefined;
  if (typeof name !== 'string') return '07';
  if (name.includes('/draft/2020-12/')) return '2020';
  return name.includes('/draft/2019-09/') ? '2019' : '07';
}

const create = (draft: Draft): Compiler =>
  draft === '2020' ? new Ajv2020(OPTIONS) : draft === '2019' ? new Ajv2019(OPTIONS) : new Ajv(OPTIONS);

/** A compiled schema. Throws when it is none. */
export function compileSchema(schema: Schema, ajv: Compiler = create(draftOf(schema))) {
  if (typeof schema === 'object' && schema['$async'] !== undefined)
    throw new Error('"$async" is not supported: an answer is checked at once');
  return ajv.compile(schema);
}

/** The schema is ajv's `data` here. */
const problemOf = (message: string): string =>
  message.startsWith('schema is invalid: ')
    ? message.slice('schema is invalid: '.length).replaceAll(/(^|, )data(?=[/ ])/g, '$1')
    : message;

/** Says what is wrong with a schema, null when it can be used. For many schemas: making a validator costs more than using it. */
export function createSchemaCheck(): (schema: Schema) => string | null {
  const shared = new Map<Draft, Compiler>();
  const ajvFor = (schema: Schema, text: string): Compiler => {
    const draft = draftOf(schema);
    // One validator takes each id once.
    if (text.includes('"$id"')) return create(draft);
    const ajv = shared.get(draft) ?? create(draft);
    shared.set(draft, ajv);
    return ajv;
  };
  return (schema) => {
    const text = JSON.stringify(schema);
    if (text.length > LARGEST) return `it has more than ${LARGEST} characters`;
    try {
      compileSchema(schema, ajvFor(schema, text));
      return null;
    } catch (thrown) {
      return problemOf(messageOf(thrown));
    }
  };
}
