import { addKey, type keyPlaces, listKeys, notedTests, orderKeys, removeKey, testKeys } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { NotedKeyTest } from '#protocol/key-pool.ts';
import type { Methods } from './methods/methods.ts';
import { flagOf, optionalText, type Params, paramsOf, textOf } from './methods/read-params.ts';

interface UserKeyParts {
  /** The project's folder. */
  readonly root: string;
  readonly places: ReturnType<typeof keyPlaces>;
  /** Called after the user's keys have changed. */
  readonly changed: () => void;
  /** Notes a test of a key in this project. */
  readonly noteTest: (test: NotedKeyTest) => Promise<boolean>;
}

type Names = 'keys.list' | 'keys.add' | 'keys.remove' | 'keys.order' | 'keys.test';

const LONGEST_ALIAS = 200;
const LONGEST_SECRET = 8_192;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function orderOf({ order }: Params): readonly (readonly string[])[] {
  if (Array.isArray(order) && order.length <= LONGEST_ALIAS && order.every(isTexts)) return order;
  throw new RoboSmithError('usage', '"order" must be a list of lists of names.', { parameter: 'order' });
}

/** The user's keys, for front ends that store secrets themselves. No answer holds a secret. */
export function userKeyMethods({ root, places, changed, noteTest }: UserKeyParts): Methods<Names> {
  const changing = async (work: () => Promise<void> | void): Promise<Record<string, never>> => {
    await work();
    changed();
    return {};
  };
  return {
    'keys.list': () => listKeys(places, root),
    'keys.add': (given) => {
      const params = paramsOf(given);
      const key = {
        alias: textOf(params, 'alias', LONGEST_ALIAS),
        replace: flagOf(params, 'replace'),
        provider: optionalText(params, 'provider', LONGEST_ALIAS),
        baseUrl: optionalText(params, 'baseUrl', 2_048),
        account: null,
        pool: null,
      };
      return changing(() => addKey(key, textOf(params, 'secret', LONGEST_SECRET), places));
    },
    'keys.remove': (given) => changing(() => removeKey(textOf(paramsOf(given), 'alias', LONGEST_ALIAS), places)),
    'keys.order': (given) => changing(() => orderKeys(orderOf(paramsOf(given)), places)),
    'keys.test': async (given) => {
      const alias = textOf(paramsOf(given), 'alias', LONGEST_ALIAS);
      const { tested, unknown } = await testKeys([alias], null, places);
      const [found] = tested;
      if (found === undefined || unknown.length > 0)
        throw new RoboSmithError('usage', `There is no key ${JSON.stringify(alias)}.`, { parameter: 'alias' });
      for (const test of notedTests(tested)) await noteTest(test);
      return { result: found.result, said: found.said, models: found.models };
    },
  };
}
