import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createKillSwitch } from './kill-switch.ts';

/*
 * `loom-process.ts <folder> <operations> <kill at>`: applies operations, and kills itself before or after its n-th call that
 * changes a file, or when half of what is written is written. Without a number that is reached it says how many there were.
 */
const [, , folder = '', operations = '', killAt = '0'] = process.argv;
const { reach, points } = createKillSwitch(Number(killAt));

type Call = (...given: readonly unknown[]) => Promise<unknown>;
const calls = fs.promises as unknown as Record<string, Call>;

function around(
  name: string,
  changes: (given: readonly unknown[]) => boolean,
  half?: (given: readonly unknown[]) => void,
) {
  const real = calls[name]!;
  calls[name] = async (...given) => {
    if (!changes(given)) return real(...given);
    if (half !== undefined) reach(`${name}, half`, () => half(given));
    reach(`${name}, before`);
    const value = await real(...given);
    reach(`${name}, after`);
    return value;
  };
}

const always = (): boolean => true;
for (const name of ['rename', 'link', 'mkdir', 'rm', 'rmdir']) around(name, always);
around('open', ([, flags]) => typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0);
const halfOf = (content: unknown): string => String(content).slice(0, String(content).length / 2);
around('writeFile', always, ([file, content]) => fs.writeFileSync(file as string, halfOf(content)));

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

const { applyEdits } = await import('#engine/authoring.ts');
const applied = await applyEdits(operations, folder, false);
process.stdout.write(JSON.stringify({ ok: applied.ok, points }));
