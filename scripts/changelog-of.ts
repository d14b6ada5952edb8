import { readFileSync } from 'node:fs';

/** Prints the section of CHANGELOG.md for the version given as argument. Exits with 1 if there is none. */
const [version = ''] = process.argv.slice(2);
const parts = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const part = parts.find((one) => one.split('\n', 1)[0]?.trim() === version);
const text = part?.split('\n').slice(1).join('\n').trim() ?? '';
if (text === '') {
  console.error(`CHANGELOG.md says nothing about version ${JSON.stringify(version)}. Add "## ${version}".`);
  process.exitCode = 1;
} else console.log(text);
