import { expect, test } from 'vitest';
import { type Advised, advisedInSource, COMMANDS, isKnownFlag } from '../../declared/advised-in-source.ts';

const place = ({ file, line, name }: Advised): string => `${file}:${line} robosmith ${name}`;

test('each command that a text of the source advises exists, with each of its flags', () => {
  // The parser itself handles `help`.
  const advised = advisedInSource().filter(({ name }) => name !== 'help');
  expect(advised.length).toBeGreaterThan(400);
  expect(advised.filter(({ name }) => !COMMANDS.has(name)).map(place)).toEqual([]);
  expect(
    advised.flatMap((one) =>
      one.flags.filter((flag) => !isKnownFlag(one.name, flag)).map((flag) => `${place(one)} ${flag}`),
    ),
  ).toEqual([]);
});
