import {
  baseNameOf,
  type Choices,
  type Dialect,
  isMember,
  known,
  type Subject,
  subject,
  type Template,
} from './subject.ts';
import {
  appendTo,
  countWord,
  insertAfter,
  renameWord,
  replaceEvery,
  replaceIn,
  textIn,
  type Tree,
  withFile,
  withoutFile,
} from './tree.ts';

const reader = { name: 'StringReader', file: 'src/strings.ts' };
const writer = { name: 'StringWriter', file: 'src/strings.ts' };
const comma = { name: 'comma', file: 'src/vlq.ts' };

const functions: readonly Subject[] = [
  subject({
    kind: 'function',
    name: 'decodeSign',
    file: 'src/vlq.ts',
    renames: ['signOf', 'readSign'],
    expression: '@(3)',
    value: '-1',
    changes: {
      'required parameter': [
        ['decodeSign(num: number)', 'decodeSign(num: number, bits: number)'],
        ['decodeSign(decodeInteger(reader))', 'decodeSign(decodeInteger(reader), 32)'],
      ],
      'optional parameter': [['decodeSign(num: number)', 'decodeSign(num: number, bits = 32)']],
      'rest parameter': [['decodeSign(num: number)', 'decodeSign(num: number, ...more: number[])']],
      'other result': [
        [
          'decodeSign(num: number): number {\n  return num & 1',
          'decodeSign(num: number): bigint {\n  return BigInt(num & 1',
        ],
        ['-(num >>> 1) : num >>> 1;', '-(num >>> 1) : num >>> 1);'],
        ['decodeSign(decodeInteger(reader))', 'Number(decodeSign(decodeInteger(reader)))'],
      ],
      'wider parameter': [['decodeSign(num: number)', 'decodeSign(num: number | 0x7fffffff)']],
      'renamed parameter': [
        [
          'decodeSign(num: number): number {\n  return num & 1 ? -0x80000000 | -(num >>> 1) : num >>> 1;',
          'decodeSign(coded: number): number {\n  return coded & 1 ? -0x80000000 | -(coded >>> 1) : coded >>> 1;',
        ],
      ],
      'new layout': [['decodeSign(num: number): number', 'decodeSign(\n  num: number,\n): number']],
      'new body': [
        [
          'return num & 1 ? -0x80000000 | -(num >>> 1) : num >>> 1;',
          'const half = num >>> 1;\n  return num & 1 ? -0x80000000 | -half : half;',
        ],
      ],
      documentation: [
        [
          'export function decodeSign',
          '/** Moves the sign from the last bit. See decodeSign in the format. */\nexport function decodeSign',
        ],
      ],
      async: [
        [
          'export function decodeSign(num: number): number',
          'export async function decodeSign(num: number): Promise<number>',
        ],
        ['decodeSign(decodeInteger(reader))', 'Number(decodeSign(decodeInteger(reader)))'],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'hasMoreVlq',
    file: 'src/vlq.ts',
    renames: ['hasNext', 'isInside'],
    needs: [reader],
    setup: ["const input = new StringReader('AC');"],
    expression: '@(input, 2)',
    value: 'true',
    changes: {
      'fewer parameters': [
        ['hasMoreVlq(reader: StringReader, max: number)', 'hasMoreVlq(reader: StringReader)'],
        ['reader.pos >= max', 'reader.pos >= 1_000'],
        ['hasMoreVlq(reader, semi)', 'hasMoreVlq(reader)'],
      ],
      'other order': [
        ['hasMoreVlq(reader: StringReader, max: number)', 'hasMoreVlq(max: number, reader: StringReader)'],
        ['hasMoreVlq(reader, semi)', 'hasMoreVlq(semi, reader)'],
      ],
      'other parameter type': [
        ['hasMoreVlq(reader: StringReader, max: number)', 'hasMoreVlq(reader: StringReader, max: string)'],
        ['reader.pos >= max', 'reader.pos >= max.length'],
        ['hasMoreVlq(reader, semi)', "hasMoreVlq(reader, ' '.repeat(semi))"],
      ],
      'parameter made optional': [['reader: StringReader, max: number)', 'reader: StringReader, max = Infinity)']],
      'written result': [['max: number) {\n  if', 'max: number): boolean {\n  if']],
      'wider parameter': [
        ['hasMoreVlq(reader: StringReader,', "hasMoreVlq(reader: StringReader | Pick<StringReader, 'pos' | 'peek'>,"],
      ],
      'new body': [
        [
          '  if (reader.pos >= max) return false;\n  return reader.peek() !== comma;',
          '  return reader.pos < max && reader.peek() !== comma;',
        ],
      ],
      'new layout': [
        ['hasMoreVlq(reader: StringReader, max: number)', 'hasMoreVlq(\n  reader: StringReader,\n  max: number,\n)'],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'decodeRangeMappings',
    file: 'src/range-mappings.ts',
    renames: ['readRanges', 'rangesOf'],
    expression: "@('B;C')",
    value: '[[1],[2]]',
    changes: {
      'required parameter': [
        ['decodeRangeMappings(input: string)', 'decodeRangeMappings(input: string, limit: number)'],
      ],
      'optional parameter': [
        ['decodeRangeMappings(input: string)', 'decodeRangeMappings(input: string, limit?: number)'],
      ],
      'options parameter': [
        ['decodeRangeMappings(input: string)', 'decodeRangeMappings(input: string, { limit = 9 } = {})'],
      ],
      'other result': [
        [
          'decodeRangeMappings(input: string): RangeMappings {',
          'decodeRangeMappings(input: string): Set<MappingIndex[]> {',
        ],
        ['  return rangeMappings;\n', '  return new Set(rangeMappings);\n'],
      ],
      'narrower result': [
        ['): RangeMappings {\n  const { length }', '): MappingIndex[][] & RangeMappings {\n  const { length }'],
      ],
      async: [
        [
          'export function decodeRangeMappings(input: string): RangeMappings {',
          'export async function decodeRangeMappings(input: string): Promise<RangeMappings> {',
        ],
      ],
      'wider parameter': [
        ['decodeRangeMappings(input: string)', 'decodeRangeMappings(input: string | Uint8Array)'],
        [
          'const { length } = input;\n  const reader = new StringReader(input);\n  const rangeMappings',
          'const text = String(input);\n  const { length } = text;\n  const reader = new StringReader(text);\n  const rangeMappings',
        ],
      ],
      'new body': [
        [
          '      index += decodeInteger(reader);\n      indices.push(index);',
          '      indices.push((index += decodeInteger(reader)));',
        ],
      ],
      'arrow function': [
        [
          'export function decodeRangeMappings(input: string): RangeMappings {',
          'export const decodeRangeMappings = (input: string): RangeMappings => {',
        ],
        ['  return rangeMappings;\n}', '  return rangeMappings;\n};'],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'summarize',
    file: 'src/report.ts',
    renames: ['summaryOf', 'describeMap'],
    expression: "@('a', 'AAAA').lines",
    value: '1',
    changes: {
      'required parameter': [
        ['summarize(title: string, mappings: string)', 'summarize(title: string, mappings: string, level: Level)'],
        ["summarize('map', mappings)", "summarize('map', mappings, 'low')"],
      ],
      'object parameter': [
        [
          'summarize(title: string, mappings: string)',
          'summarize({ title, mappings }: { title: string; mappings: string })',
        ],
        ["summarize('map', mappings)", "summarize({ title: 'map', mappings })"],
      ],
      'fewer parameters': [
        [
          'summarize(title: string, mappings: string): Summary {',
          "summarize(mappings: string): Summary {\n  const title = 'map';",
        ],
        ["summarize('map', mappings)", 'summarize(mappings)'],
      ],
      'nullable result': [
        [
          'mappings: string): Summary {\n',
          "mappings: string): Summary | null {\n  if (mappings === '-') return null;\n",
        ],
        ["summarize('map', mappings);", "summarize('map', mappings)!;"],
      ],
      'optional parameter': [
        [
          'summarize(title: string, mappings: string)',
          "summarize(title: string, mappings: string, level: Level = 'low')",
        ],
      ],
      generic: [
        ['summarize(title: string, mappings: string)', 'summarize<T extends string>(title: T, mappings: string)'],
      ],
      'new body': [
        [
          '  for (const line of decoded) {\n    counter.total += line.length;\n  }\n',
          '  decoded.forEach((line) => (counter.total += line.length));\n',
        ],
      ],
    },
  }),
];

const others: readonly Subject[] = [
  subject({
    kind: 'method',
    name: 'indexOf',
    file: 'src/strings.ts',
    renames: ['find'],
    needs: [reader],
    setup: ["const input = new StringReader('AC');"],
    expression: "input.@('C')",
    value: '1',
    without: ['rename'],
    changes: {
      'rename the method': [
        ['  indexOf(char: string): number {', '  find(char: string): number {'],
        ["reader.indexOf(';')", "reader.find(';')"],
      ],
      'required parameter': [
        ['  indexOf(char: string): number {', '  indexOf(char: string, end: number): number {'],
        ["reader.indexOf(';')", "reader.indexOf(';', length)"],
      ],
      'optional parameter': [['  indexOf(char: string): number {', '  indexOf(char: string, end = 0): number {']],
      'new body': [['return idx === -1 ? buffer.length : idx;', 'return idx < 0 ? buffer.length : idx;']],
    },
  }),
  subject({
    kind: 'method',
    name: 'peek',
    file: 'src/strings.ts',
    renames: ['look'],
    needs: [reader],
    setup: ["const input = new StringReader('AC');"],
    expression: 'input.@()',
    value: '65',
    without: ['rename'],
    changes: {
      'rename the method': [
        ['  peek(): number {\n    return this.buffer', '  look(): number {\n    return this.buffer'],
        ['reader.peek()', 'reader.look()'],
      ],
      'remove the method': [
        ['  peek(): number {\n    return this.buffer.charCodeAt(this.pos);\n  }\n\n', ''],
        ['return reader.peek() !== comma;', 'return reader.next() !== comma && reader.pos-- > 0;'],
      ],
      'private method': [
        ['  peek(): number {\n    return this.buffer', '  private peek(): number {\n    return this.buffer'],
        ['return reader.peek() !== comma;', 'return reader.next() !== comma && reader.pos-- > 0;'],
      ],
      'other result': [
        [
          '  peek(): number {\n    return this.buffer.charCodeAt(this.pos);',
          '  peek(): string {\n    return this.buffer.charAt(this.pos);',
        ],
        ['reader.peek() !== comma', "reader.peek() !== ','"],
      ],
      'rename that of another class': [
        ['  peek(): number {\n    return this.total;', '  look(): number {\n    return this.total;'],
      ],
    },
  }),
  subject({
    kind: 'method',
    name: 'flush',
    file: 'src/strings.ts',
    renames: ['finish', 'textOf'],
    needs: [writer],
    setup: ['const output = new StringWriter();'],
    expression: 'output.@()',
    value: "''",
    changes: {
      'optional parameter': [['  flush(): string {', '  flush(end = this.pos): string {']],
      'required parameter': [
        ['  flush(): string {', '  flush(end: number): string {'],
        ['writer.flush()', 'writer.flush(1)'],
      ],
    },
  }),
  subject({
    kind: 'constant',
    name: 'LIMIT',
    file: 'src/report.ts',
    renames: ['MAXIMUM', 'LARGEST'],
    expression: '@ * 2',
    value: '128',
    changes: {
      'other value': [['LIMIT = 64', 'LIMIT = 80']],
      'same value': [['LIMIT = 64', 'LIMIT = 0x40']],
      'same value as a product': [['LIMIT = 64', 'LIMIT = 8 * 8']],
      'other type': [
        ['LIMIT = 64', "LIMIT = '64'"],
        ['summary.lines > limit', 'summary.lines > Number(limit)'],
      ],
      'written type': [['LIMIT = 64', 'LIMIT: number = 64']],
    },
  }),
  subject({
    kind: 'constant',
    name: 'semicolon',
    file: 'src/vlq.ts',
    renames: ['endOfLine', 'SEMICOLON'],
    needs: [comma],
    expression: '@ - comma',
    value: '15',
    changes: { 'same value': [["semicolon = ';'.charCodeAt(0)", 'semicolon = 59']] },
  }),
  subject({
    kind: 'type',
    name: 'Summary',
    file: 'src/report.ts',
    renames: ['Overview', 'MapSummary'],
    setup: ["const made: @ = { title: 'a', lines: 2 };"],
    expression: 'made.lines + 1',
    value: '3',
    changes: {
      'required member': [
        ['  lines: number;\n}', '  lines: number;\n  width: number;\n}'],
        ['lines: decoded.length }', 'lines: decoded.length, width: 0 }'],
      ],
      'optional member': [['  lines: number;\n}', '  lines: number;\n  width?: number;\n}']],
      'renamed member': [
        ['  lines: number;\n}', '  count: number;\n}'],
        ['lines: decoded.length }', 'count: decoded.length }'],
        ['summary.lines', 'summary.count'],
      ],
      'other type of a member': [
        ['  lines: number;\n}', '  lines: string;\n}'],
        ['lines: decoded.length }', 'lines: String(decoded.length) }'],
        ['summary.lines > limit', 'Number(summary.lines) > limit'],
      ],
      'other order of members': [['  title: string;\n  lines: number;\n', '  lines: number;\n  title: string;\n']],
      'interface as a type': [
        [
          'export interface Summary {\n  title: string;\n  lines: number;\n}',
          'export type Summary = {\n  title: string;\n  lines: number;\n};',
        ],
      ],
      'wider member': [['  title: string;\n  lines', '  title: string | undefined;\n  lines']],
    },
  }),
  subject({
    kind: 'type',
    name: 'Level',
    file: 'src/report.ts',
    renames: ['Height', 'Grade'],
    setup: ["const made: @ = 'low';"],
    expression: 'made.length',
    value: '3',
    changes: {
      'other members': [
        ["Level = 'low' | 'high'", "Level = 'small' | 'high'"],
        ["'high' : 'low'", "'high' : 'small'"],
      ],
      'wider type': [["Level = 'low' | 'high'", "Level = 'low' | 'middle' | 'high'"]],
    },
  }),
];

const specifier = (file: string): string => `./${file.slice(4)}`;
const importOf = (names: string, file: string): string => `import { ${names} } from '${specifier(file)}';\n`;

function imports({ name, file, needs, kind }: Subject, alias = name): string {
  const word = kind === 'type' ? 'type ' : '';
  const own = isMember({ kind } as Subject)
    ? []
    : [{ name: `${word}${alias === name ? name : `${name} as ${alias}`}`, file }];
  const byFile = Map.groupBy([...own, ...needs], (one) => one.file);
  return [...byFile].map(([from, list]) => importOf(list.map((one) => one.name).join(', '), from)).join('');
}

/** Returns the statements of a probe. They compare the expression with its value in the merge base. */
function body({ setup, expression, value }: Subject, name: string): string {
  const lines = [
    ...setup.map((line) => known(line, name)),
    `const found = ${known(expression, name)};`,
    `if (JSON.stringify(found) !== JSON.stringify(${value})) throw new Error(String(found));`,
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

const probe = (one: Subject, name: string, word: string): string =>
  `export function probe${word}(): void {\n${body(one, name)}}\n`;
const fresh = (tree: Tree, { word }: Choices, text: string): Tree =>
  withFile(tree, `src/${word.toLowerCase()}.ts`, text);

const ANCHOR = "  const edge = '-'.repeat(width);\n";
const neighbour = ({ file }: Subject): string => {
  const names: Readonly<Record<string, string>> = {
    'src/vlq.ts': 'encodeSign',
    'src/range-mappings.ts': 'encodeRangeMappings',
    'src/report.ts': 'Counter',
    'src/strings.ts': 'StringWriter',
  };
  return names[file] ?? '';
};

const uses: Readonly<Record<string, Template>> = {
  'in a new file': (tree, one, choices) =>
    fresh(tree, choices, `${imports(one)}\n${probe(one, one.name, choices.word)}`),
  'in an existing function': (tree, one) =>
    one.file === 'src/report.ts' && one.name === 'summarize'
      ? null
      : replaceIn(insertAfter(tree, 'src/view.ts', ANCHOR, body(one, one.name)), 'src/view.ts', [
          'import {',
          `${imports(one)}import {`,
        ]),
  'at the end of an existing file': (tree, one, { word }) =>
    one.name === 'summarize'
      ? appendTo(tree, 'src/view.ts', `\n${probe(one, one.name, word)}`)
      : replaceIn(appendTo(tree, 'src/view.ts', `\n${probe(one, one.name, word)}`), 'src/view.ts', [
          'import {',
          `${imports(one)}import {`,
        ]),
  'under an alias': (tree, one, choices) =>
    isMember(one) ? null : fresh(tree, choices, `${imports(one, 'known')}\n${probe(one, 'known', choices.word)}`),
  'over a namespace': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `import ${one.kind === 'type' ? 'type ' : ''}* as space from '${specifier(one.file)}';\n${imports({ ...one, kind: 'method' })}\n${probe(one, `space.${one.name}`, choices.word)}`,
        ),
  'through another module': (tree, one, choices) =>
    one.file === 'src/range-mappings.ts'
      ? fresh(tree, choices, `${importOf(one.name, 'src/sourcemap-codec.ts')}\n${probe(one, one.name, choices.word)}`)
      : null,
  'in a file of a folder': (tree, one, { word }) =>
    withFile(
      tree,
      `src/more/${word.toLowerCase()}.ts`,
      `${imports(one).replaceAll("'./", "'../")}\n${probe(one, one.name, word)}`,
    ),
  'with the type of a parameter': (tree, one, choices) =>
    one.kind === 'method'
      ? fresh(
          tree,
          choices,
          `${imports(one)}\nexport function take${choices.word}(${/const (\w+)/u.exec(one.setup[0] ?? '')?.[1] ?? ''}: ${one.needs[0]?.name ?? ''}): unknown {\n  return ${known(one.expression, one.name)};\n}\n`,
        )
      : null,
  're-exported': (tree, one, choices) =>
    isMember(one) || one.kind === 'type'
      ? null
      : fresh(tree, choices, `export { ${one.name} as kept${choices.word} } from '${specifier(one.file)}';\n`),
};

const seeming: Readonly<Record<string, Template>> = {
  'name in a comment': (tree, { name }) =>
    insertAfter(tree, 'src/view.ts', ANCHOR, `  // As ${name} does: ${name}(width) is not called here.\n`),
  'name in a text': (tree, { name }) => insertAfter(tree, 'src/view.ts', ANCHOR, `  const label = '${name}(width)';\n`),
  'own function of that name': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `function ${name}(): number {\n  return 7;\n}\n\nexport const seven${choices.word} = ${name}();\n`,
    ),
  'parameter of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `${importOf(neighbour(one), one.file)}\nexport const kept${choices.word} = ${neighbour(one)};\n\nexport function add${choices.word}(${one.name}: number): number {\n  return ${one.name} + 1;\n}\n`,
    ),
  'variable of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `${importOf(neighbour(one), one.file)}\nexport function add${choices.word}(): number {\n  const ${one.name} = [1, 2];\n  return ${one.name}.length + ${neighbour(one)}.length;\n}\n`,
    ),
  'member of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `const box = { ${name}: 1 };\n\nexport const boxed${choices.word} = box.${name};\n`),
  'method of that name': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `class Box {\n  ${name}(): number {\n    return 1;\n  }\n}\n\nexport const boxed${choices.word} = new Box().${name}();\n`,
    ),
  'symbol of that name of another module': (tree, { name }, choices) =>
    fresh(
      withFile(tree, 'src/more/own.ts', `export function ${name}(): number {\n  return 7;\n}\n`),
      choices,
      `import { ${name} } from './more/own.ts';\n\nexport const seven${choices.word} = ${name}();\n`,
    ),
  'other symbol of that module': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `${importOf(neighbour(one), one.file)}\nexport const kept${choices.word} = ${neighbour(one)};\n`,
    ),
};

/** Returns the text of a top-level function with the blank line after it, or null. */
const functionText = (text: string, name: string): string | null =>
  new RegExp(`^export (?:async )?function ${name}\\([\\s\\S]*?^\\}\\n\\n?`, 'mu').exec(text)?.[0] ?? null;

const changes: Readonly<Record<string, Template>> = {
  rename: (tree, { name, renames }, { choose }) => renameWord(tree, name, choose(renames)),
  'rename with the old name kept': (tree, one, { choose }) => {
    if (isMember(one)) return null;
    const to = choose(one.renames);
    const line =
      one.kind === 'type'
        ? `\nexport type ${one.name} = ${to};\n`
        : `\n/** Former name. */\nexport const ${one.name} = ${to};\n`;
    return appendTo(renameWord(tree, one.name, to), one.file, line);
  },
  remove: (tree, { kind, name, file }) => {
    const text = kind === 'function' ? functionText(textIn(tree, file), name) : null;
    if (text === null) return null;
    const rest = replaceIn(tree, file, [text, '']);
    const unlisted = new Map(
      [...rest].map(([path, one]) => [path, one.replace(new RegExp(`^export \\{ ${name}, `, 'mu'), 'export { ')]),
    );
    return countWord(unlisted, name) === 0 ? unlisted : null;
  },
  'no longer exported': (tree, one) => {
    if (isMember(one)) return null;
    const text = textIn(tree, one.file);
    const without = text.replace(
      new RegExp(`^export (?=(?:async )?(?:function|const|type|interface) ${one.name}\\b)`, 'mu'),
      '',
    );
    const rest = new Map([...tree].filter(([path]) => path !== one.file));
    return text === without || countWord(rest, one.name) > 0 ? null : withFile(tree, one.file, without);
  },
  'moved behind a re-export': (tree, one) => {
    const text =
      one.kind === 'function' && one.name === 'decodeSign' ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null
      ? null
      : withFile(
          replaceIn(tree, one.file, [text, `export { ${one.name} } from './sign.ts';\n\n`]),
          'src/sign.ts',
          `${text.trimEnd()}\n`,
        );
  },
  'moved down in its file': (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null ? null : appendTo(replaceIn(tree, one.file, [text, '']), one.file, `\n${text.trimEnd()}\n`);
  },
  'move the file': (tree, one) => {
    const to = `src/base/${baseNameOf(one.file)}.ts`;
    const moved = withFile(withoutFile(tree, one.file), to, textIn(tree, one.file).replaceAll("from './", "from '../"));
    return replaceEvery(moved, [`'${specifier(one.file)}'`, `'./base/${baseNameOf(one.file)}.ts'`]);
  },
};

const added = (tag: string, value: number): string =>
  `\nexport function extra${tag}(): number {\n  return ${value};\n}\n`;

const pairs: Dialect['pairs'] = [
  {
    change: 'function added at the end',
    use: 'the same function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'src/report.ts', added(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'src/report.ts', 'export const LIMIT = 64;\n', added(word, 2)),
  },
  {
    change: 'function added at the end',
    use: 'another function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'src/report.ts', added(word, 1)),
    theirs: (tree, { word }) =>
      insertAfter(tree, 'src/report.ts', 'export const LIMIT = 64;\n', added(`${word}Two`, 2)),
  },
  {
    change: 'function added to a module',
    use: 'the same function added to another module',
    ours: (tree, { word }) => appendTo(tree, 'src/report.ts', added(word, 1)),
    theirs: (tree, { word }) => appendTo(tree, 'src/strings.ts', added(word, 2)),
  },
  {
    change: 'method added to a class',
    use: 'the same method added to another class',
    ours: (tree) =>
      insertAfter(tree, 'src/report.ts', '  total = 0;\n', '\n  clear(): void {\n    this.total = 0;\n  }\n'),
    theirs: (tree) =>
      insertAfter(
        tree,
        'src/strings.ts',
        '  declare private buffer: string;\n',
        '\n  clear(): void {\n    this.pos = 0;\n  }\n',
      ),
  },
  {
    change: 'method added to a class',
    use: 'the same method added elsewhere in that class',
    ours: (tree) =>
      insertAfter(
        tree,
        'src/strings.ts',
        '  declare private buffer: string;\n',
        '\n  clear(): void {\n    this.pos = 0;\n  }\n',
      ),
    theirs: (tree) =>
      insertAfter(
        tree,
        'src/strings.ts',
        '    return idx === -1 ? buffer.length : idx;\n  }\n',
        '\n  clear(): void {\n    this.pos = 1;\n  }\n',
      ),
  },
  {
    change: 'required method added to an interface',
    use: 'new class that implements it',
    ours: (tree) =>
      replaceEvery(replaceEvery(tree, ['  lines: number;\n}', '  lines: number;\n  text(): string;\n}']), [
        'lines: decoded.length }',
        "lines: decoded.length, text: () => '' }",
      ]),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        "import type { Summary } from './report.ts';\n\nexport class Made implements Summary {\n  title = 'a';\n  lines = 1;\n}\n",
      ),
  },
  {
    change: 'optional method added to an interface',
    use: 'new class that implements it',
    ours: (tree) => replaceEvery(tree, ['  lines: number;\n}', '  lines: number;\n  text?(): string;\n}']),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        "import type { Summary } from './report.ts';\n\nexport class Made implements Summary {\n  title = 'a';\n  lines = 1;\n}\n",
      ),
  },
  {
    change: 'member added to a union',
    use: 'exhaustive choice over the union',
    ours: (tree) => replaceEvery(tree, ["Level = 'low' | 'high'", "Level = 'low' | 'middle' | 'high'"]),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        "import type { Level } from './report.ts';\n\nexport function rank(level: Level): number {\n  switch (level) {\n    case 'low':\n      return 0;\n    case 'high':\n      return 1;\n  }\n}\n",
      ),
  },
  {
    change: 'member added to a union',
    use: 'table with one row for each of its members',
    ours: (tree) => replaceEvery(tree, ["Level = 'low' | 'high'", "Level = 'low' | 'middle' | 'high'"]),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        "import type { Level } from './report.ts';\n\nexport const RANKS: Record<Level, number> = { low: 0, high: 1 };\n",
      ),
  },
];

export const typescript: Dialect = {
  language: 'typescript',
  subjects: [...functions, ...others],
  changes,
  uses,
  seeming,
  pairs,
};
