import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The npm scripts to run. Slow ones come first, so that they overlap with the others. */
const CHECKS = [
  'test:unit',
  'lint',
  'types',
  'knip',
  'format:check',
  'build',
  'depcruise',
  'generate:check',
  'language',
] as const;

interface Outcome {
  readonly check: string;
  readonly ok: boolean;
  readonly output: string;
}

function run(check: string): Promise<Outcome> {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', check], { shell: process.platform === 'win32' });
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer) => chunks.push(chunk);
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.padEnd(16)} ${seconds} s`);
      resolve({ check, ok: code === 0, output: Buffer.concat(chunks).toString() });
    });
  });
}

/** With `--without-tests` (used by CI) the unit tests are left out, because CI runs `npm test` afterwards. */
const left = process.argv.includes('--without-tests') ? CHECKS.filter((check) => check !== 'test:unit') : CHECKS;
const queue: string[] = [...left];
const outcomes: Outcome[] = [];

async function work(): Promise<void> {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) outcomes.push(await run(check));
}

const started = performance.now();
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));

const failed = outcomes.filter((outcome) => !outcome.ok);
for (const { check, output } of failed) console.log(`\n── npm run ${check}\n${output.trimEnd()}`);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `\n${failed.length === 0 ? 'verified' : `${failed.length} of ${left.length} checks failed`} in ${seconds} s`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
