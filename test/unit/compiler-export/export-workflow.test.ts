import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { compile, EXPORT_FORMATS, exportWorkflow } from '#compiler/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { verifies } from '../../e2e/verifies.ts';
import { sampleGraph, sampleWorkflow } from './sample-graph.ts';

/** A text with character sequences that an export format could mistake for its own syntax. */
const HOSTILE = '"]--><script>alert(1)</script><!-- %%{init: {}}%% \\N \\" `x` ${y} &amp; ]]> \u0007 \ud800 end';

const hostile = sampleWorkflow(
  sampleGraph({
    Main: {
      One: {
        worker: HOSTILE,
        contract: HOSTILE,
        artifact: [HOSTILE],
        rows: [
          { signal: 'SUCCESS', action: 'CALL:Other:Main__Two' },
          { signal: 'FAILURE', condition: { id: HOSTILE, args: [HOSTILE, 1] }, action: 'JUMP:Main__One' },
          { signal: 'FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
        ],
      },
      Two: { rows: [{ signal: 'SUCCESS', action: 'FORK:Other,Other' }] },
    },
    Other: { Only: { rows: [] } },
  }),
);

const MANIFEST = JSON.stringify({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'One',
      blocks: {
        One: {
          worker: 'Worker:A',
          transitions: [
            { on_signal: 'SIGNAL:SUCCESS', action: 'FORK:Other,Third:Two' },
            { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
          ],
        },
        Two: { worker: 'Worker:A', transitions: [{ on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'CALL:Other' }] },
      },
    },
    Other: { entry_block: 'One', blocks: { One: { worker: 'Worker:A' } } },
    Third: {
      entry_block: 'One',
      blocks: { One: { worker: 'Worker:A', transitions: [{ on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'RETURN' }] } },
    },
  },
});

const compiled = () => {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: MANIFEST }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow;
};

describe('exportWorkflow', () => {
  test.each(EXPORT_FORMATS)('%s: the same bytes from two compilations', (format) => {
    verifies('engine.export.reproducible');
    const text = exportWorkflow(compiled(), format);
    expect(exportWorkflow(compiled(), format)).toBe(text);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('json: createMachine accepts each config unchanged', () => {
    verifies('engine.export.json');
    const { frame, nodes } = JSON.parse(exportWorkflow(compiled(), 'json')) as {
      frame: object;
      nodes: Record<string, object>;
    };
    expect(Object.keys(nodes)).toEqual(['Main', 'Other', 'Third']);
    for (const config of [frame, ...Object.values(nodes)]) expect(createMachine(config).config).toEqual(config);
  });

  test('ts: the module gives what json gives', async () => {
    verifies('engine.export.ts');
    const url = `data:text/javascript,${encodeURIComponent(exportWorkflow(compiled(), 'ts'))}`;
    const module = (await import(/* @vite-ignore */ url)) as { configs: unknown };
    expect(module.configs).toEqual(JSON.parse(exportWorkflow(compiled(), 'json')));
  });

  test('ts: __proto__ stays an ordinary key', () => {
    const workflow = { ...sampleWorkflow(sampleGraph({})), frame: JSON.parse('{"__proto__": {"a": 1}}') as never };
    expect(exportWorkflow(workflow, 'ts')).toContain('["__proto__"]: {');
  });

  test('mermaid: names are only ever inside quotes, without any syntax of their own', () => {
    verifies('engine.export.mermaid');
    const lines = exportWorkflow(hostile, 'mermaid').trimEnd().split('\n');
    expect(lines[0]).toBe('flowchart TD');
    for (const line of lines.slice(5))
      expect(line).toMatch(
        /^ {2}(end|start\(\["start"\]\)|start --> n0b0|subgraph n\d+\["[^"<>%`]*"\]| {2}\w+(\["(?:[^"<>%`]|<br\/>)*"\]|\(\("RETURN"\)\)):::\w+|\w+ (-->|-\.->)\|"(?:[^"<>%`]|<br\/>)*"\| \w+)$/,
      );
  });

  test('dot: every quote and backslash of a name is escaped', () => {
    verifies('engine.export.dot');
    const dot = exportWorkflow(hostile, 'dot');
    for (const [, label = ''] of dot.matchAll(/label="((?:[^"\\]|\\.)*)"/g)) expect(label).not.toContain('\u0007');
    expect(dot).toContain('&amp;amp; ]]>');
    expect(dot.replace(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/script|alert|init/);
  });

  test('scxml: exact rows before the default, and names as references only', () => {
    verifies('engine.export.scxml');
    const xml = exportWorkflow(hostile, 'scxml');
    for (const part of ['<script', '\u0007', '\ud800']) expect(xml).not.toContain(part);
    const events = [...xml.matchAll(/<transition event="([^"]+)"/g)].map(([, event]) => event);
    expect(events.slice(0, 4)).toEqual(['signal.SUCCESS', 'signal.FAILURE', 'signal', 'answer.next']);
  });

  test('scxml: ids that are no XML names get one that no manifest can have', () => {
    const graph = sampleGraph({ '1st': { 'a-b': { rows: [{ signal: 'SUCCESS', action: 'JUMP:1st__a-b' }] } } });
    const xml = exportWorkflow(sampleWorkflow(graph), 'scxml');
    expect([...xml.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'frame.nodes',
      'unnamed.node.0',
      'unnamed.block.0.0',
      'unnamed.block.0.0.worker',
      'unnamed.node.0.return',
      'frame.returned',
      'frame.failed',
      'run.failed',
    ]);
  });

  test('scxml: a failed child leads where the rows of ERROR and the default lead', () => {
    const rows = [
      { signal: 'SUCCESS', action: 'CALL:Other:Main__Two' },
      { signal: 'FAILURE', action: 'FORK:Other,Other:Main__Two' },
      { signal: 'ERROR', condition: { id: 'attempt.less_than', args: [2] }, action: 'JUMP:Main__Two' },
      { signal: 'FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
    ];
    const graph = sampleGraph({ Main: { One: { rows }, Two: { rows: [] } }, Other: { Only: { rows: [] } } });
    const xml = exportWorkflow(sampleWorkflow(graph), 'scxml');
    const failures = [
      ...xml.matchAll(/event="done\.invoke\.([^"]+)" cond="_event\.data === 'failed'" target="([^"]+)"/g),
    ];
    expect(failures.map(([, child, target]) => [child, target])).toEqual([
      ['Main__One.call.0.child', 'Main__One.error'],
      ['Main__One.branch.1.0.child', 'Main__One.error'],
      ['Main__One.branch.1.1.child', 'Main__One.error'],
    ]);
    const [, error = ''] = /<state id="Main__One\.error">\n([\s\S]*?)\n *<\/state>/.exec(xml) ?? [];
    expect(error.split('\n').map((line) => line.trim())).toEqual([
      '<onentry><raise event="signal.ERROR.engine"/></onentry>',
      '<transition event="signal.ERROR" cond="condition(&#34;attempt.less_than&#34;, 2)" target="Main__Two"/>',
      '<transition event="signal" target="Main__One.halt.3"/>',
    ]);
  });

  test('an empty graph can be drawn, too', () => {
    for (const format of EXPORT_FORMATS) expect(exportWorkflow(sampleWorkflow(sampleGraph({})), format)).not.toBe('');
  });
});

test.each(EXPORT_FORMATS)(
  '%s: no character that turns the direction of text is in it, and what is read back has it',
  (format) => {
    const args = ['\u202enot what it seems\u2066'];
    const rows = [{ signal: 'SUCCESS', condition: { id: 'exports.truthy', args }, action: 'RETURN' }];
    const contract = args[0] ?? '';
    const text = exportWorkflow(sampleWorkflow(sampleGraph({ Main: { One: { contract, rows } } })), format);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    if (format === 'mermaid') expect(text).not.toContain('#8238;');
    if (format === 'json') {
      const { graph } = JSON.parse(text) as { graph: Graph };
      expect(graph.nodes[0]?.blocks[0]?.transitions[0]?.condition?.args).toEqual(args);
    }
    if (format === 'scxml') expect(text).toContain('&#8238;not what it seems&#8294;');
  },
);
