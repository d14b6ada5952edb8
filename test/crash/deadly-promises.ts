import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { KillSwitch } from './kill-switch.ts';

type Call = (...given: readonly unknown[]) => Promise<unknown>;

const halfOf = (content: unknown): string => String(content).slice(0, String(content).length / 2);

/**
 * Patches `node:fs/promises` so that the process can be killed before and after each call that changes a file, and
 * after half of a content is written.
 */
export async function makePromisesDeadly(reach: KillSwitch['reach']): Promise<void> {
  const calls = fs.promises as unknown as Record<string, Call>;
  const around = (
    name: string,
    changes: (given: readonly unknown[]) => boolean = () => true,
    half?: (given: readonly unknown[]) => void,
  ): void => {
    const real = calls[name]!;
    calls[name] = async (...given) => {
      if (!changes(given)) return real(...given);
      if (half !== undefined) reach(`${name}, half`, () => half(given));
      reach(`${name}, before`);
      const value = await real(...given);
      reach(`${name}, after`);
      return value;
    };
  };
  for (const name of ['rename', 'link', 'mkdir', 'rm', 'rmdir']) around(name);
  around('open', ([, flags]) => typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0);
  around(
    'writeFile',
    () => true,
    ([file, content]) => fs.writeFileSync(file as string, halfOf(content)),
  );

  const probe = await fs.promises.open(process.execPath);
  const handles = Object.getPrototypeOf(probe) as Record<string, Call & ThisType<{ readonly fd: number }>>;
  await probe.close();
  const writeFile = handles['writeFile']!;
  handles['writeFile'] = async function (this: { readonly fd: number }, ...given: readonly unknown[]) {
    reach('content, half', () => fs.writeSync(this.fd, halfOf(given[0])));
    reach('content, before');
    await writeFile.apply(this, [...given]);
    reach('content, after');
  };
  syncBuiltinESMExports();
}
