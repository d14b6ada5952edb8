import { readFileSync } from 'node:fs';

/*
 * Simulates the cases of a file with the installed library, whose name is the second argument, and prints the Responses.
 */

const [file, library] = process.argv.slice(2);
const { compile, parseScript, simulate } = await import(library);

const responses = [];
for (const { manifest, start, script, input, step_mode: stepMode } of JSON.parse(readFileSync(file, 'utf8'))) {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  const { value } = parseScript({ path: 'script.json', text: JSON.stringify(script) }, workflow.graph);
  const place = start.includes('__') ? { block: start } : { node: start };
  responses.push(await simulate(workflow, { start: place, script: value, input, stepMode }));
}
console.log(JSON.stringify(responses));
