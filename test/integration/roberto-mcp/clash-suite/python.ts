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

const sorter = { name: 'TopologicalSorter', file: 'tools/graphlib.py' };
const wrapper = { name: 'TextWrapper', file: 'tools/textwrap.py' };

const functions: readonly Subject[] = [
  subject({
    kind: 'function',
    name: 'rgb_to_hls',
    file: 'tools/colorsys.py',
    renames: ['hls_of', 'to_hls'],
    expression: '@(1.0, 0.0, 0.0)',
    value: '(0.0, 0.5, 1.0)',
    changes: {
      'required parameter': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(r, g, b, alpha):']],
      'optional parameter': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(r, g, b, alpha=1.0):']],
      'keyword parameter with a default': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(r, g, b, *, alpha=1.0):']],
      'required keyword parameter': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(r, g, b, *, alpha):']],
      'one tuple as parameter': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(rgb):\n    r, g, b = rgb']],
      'other order': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(b, g, r):']],
      annotations: [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(r: float, g: float, b: float) -> tuple:']],
      'renamed parameters': [
        ['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(red, green, blue):\n    r, g, b = red, green, blue'],
      ],
      'new layout': [['def rgb_to_hls(r, g, b):', 'def rgb_to_hls(\n    r,\n    g,\n    b,\n):']],
      documentation: [
        [
          'def rgb_to_hls(r, g, b):',
          'def rgb_to_hls(r, g, b):\n    """Converts a colour as rgb_to_hls of the paper does."""',
        ],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'shorten',
    file: 'tools/textwrap.py',
    renames: ['cut_text', 'abbreviate'],
    expression: "@('Hello  world!', 12)",
    value: "'Hello world!'",
    changes: {
      async: [['def shorten(text, width, **kwargs):', 'async def shorten(text, width, **kwargs):']],
      'keyword only': [['def shorten(text, width, **kwargs):', 'def shorten(text, *, width, **kwargs):']],
      'parameter made optional': [['def shorten(text, width, **kwargs):', 'def shorten(text, width=70, **kwargs):']],
      'rest parameter': [['def shorten(text, width, **kwargs):', 'def shorten(text, width, *more, **kwargs):']],
      decorator: [
        [
          'def shorten(text, width, **kwargs):',
          'def _kept(function):\n    return function\n\n\n@_kept\ndef shorten(text, width, **kwargs):',
        ],
      ],
      'new body': [
        [
          "    return w.fill(' '.join(text.strip().split()))",
          "    words = text.strip().split()\n    return w.fill(' '.join(words))",
        ],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'dedent',
    file: 'tools/textwrap.py',
    renames: ['unindent', 'flatten'],
    expression: "@('  a')",
    value: "'a'",
    changes: {
      'required parameter': [['def dedent(text):', 'def dedent(text, width):']],
      'optional parameter': [['def dedent(text):', 'def dedent(text, width=None):']],
      'positional only': [['def dedent(text):', 'def dedent(text, /):']],
      generator: [
        [
          "        text = re.sub(r'(?m)^' + margin, '', text)\n    return text",
          "        text = re.sub(r'(?m)^' + margin, '', text)\n    yield text",
        ],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'summarize',
    file: 'tools/report.py',
    renames: ['summary_of', 'describe_text'],
    expression: "@(title='a', text='b c').lines",
    value: '1',
    changes: {
      'renamed parameter': [
        [
          'def summarize(title, text):\n    lines = wrap(text, 20)',
          'def summarize(title, content):\n    lines = wrap(content, 20)',
        ],
      ],
      'required parameter': [
        ['def summarize(title, text):', 'def summarize(title, text, level):'],
        ["summarize('text', text)", "summarize('text', text, 'low')"],
      ],
      'other order': [
        ['def summarize(title, text):', 'def summarize(text, title):'],
        ["summarize('text', text)", "summarize(text, 'text')"],
      ],
      'fewer parameters': [
        ['def summarize(title, text):', "def summarize(text):\n    title = 'text'"],
        ["summarize('text', text)", 'summarize(text)'],
      ],
      'optional parameter': [['def summarize(title, text):', 'def summarize(title, text, level=None):']],
      'new body': [
        [
          '    for line in lines:\n        counter.total += len(line)\n',
          '    counter.total = sum(len(line) for line in lines)\n',
        ],
      ],
    },
  }),
];

const others: readonly Subject[] = [
  subject({
    kind: 'method',
    name: 'is_active',
    file: 'tools/graphlib.py',
    renames: ['is_running', 'has_more'],
    needs: [sorter],
    setup: ["graph = TopologicalSorter({'a': ['b']})", 'graph.prepare()'],
    expression: 'graph.@()',
    value: 'True',
    changes: {
      'required parameter': [
        ['def is_active(self):', 'def is_active(self, node):'],
        ['self.is_active()', 'self.is_active(None)'],
      ],
      'optional parameter': [['def is_active(self):', 'def is_active(self, node=None):']],
      property: [
        ['    def is_active(self):', '    @property\n    def is_active(self):'],
        ['self.is_active()', 'self.is_active'],
      ],
    },
  }),
  subject({
    kind: 'method',
    name: 'wrap',
    file: 'tools/textwrap.py',
    renames: [],
    needs: [wrapper],
    setup: ['wrapper = TextWrapper(width=9)'],
    expression: "wrapper.@('aa bb')",
    value: "['aa bb']",
    without: ['rename'],
    changes: {
      'rename the method': [
        ['    def wrap(self, text):', '    def lines_of(self, text):'],
        ['self.wrap(text)', 'self.lines_of(text)'],
        ['w.wrap(text)', 'w.lines_of(text)'],
      ],
      'required parameter': [
        ['    def wrap(self, text):', '    def wrap(self, text, width):'],
        ['self.wrap(text)', 'self.wrap(text, None)'],
        ['w.wrap(text)', 'w.wrap(text, None)'],
      ],
      'rename that of another class': [['    def wrap(self):', '    def total_of(self):']],
    },
  }),
  subject({
    kind: 'method',
    name: 'static_order',
    file: 'tools/graphlib.py',
    renames: ['ordered', 'in_order'],
    needs: [sorter],
    setup: ["graph = TopologicalSorter({'a': ['b']})"],
    expression: 'list(graph.@())',
    value: "['b', 'a']",
    changes: {
      'new body': [
        ['            yield from node_group', '            for node in node_group:\n                yield node'],
      ],
      'required parameter': [['def static_order(self):', 'def static_order(self, limit):']],
    },
  }),
  subject({
    kind: 'constant',
    name: 'LIMIT',
    file: 'tools/report.py',
    renames: ['MAXIMUM', 'LARGEST'],
    expression: '@ * 2',
    value: '128',
    changes: {
      'other value': [['LIMIT = 64', 'LIMIT = 80']],
      'same value': [['LIMIT = 64', 'LIMIT = 0x40']],
      'same value as a product': [['LIMIT = 64', 'LIMIT = 8 * 8']],
      'other type': [
        ['LIMIT = 64', "LIMIT = '64'"],
        ['summary.lines > limit', 'summary.lines > int(limit)'],
      ],
      'written type': [['LIMIT = 64', 'LIMIT: int = 64']],
    },
  }),
  subject({
    kind: 'constant',
    name: 'ONE_THIRD',
    file: 'tools/colorsys.py',
    renames: ['THIRD', 'A_THIRD'],
    expression: 'round(@ * 3)',
    value: '1',
    changes: { 'same value': [['ONE_THIRD = 1.0/3.0', 'ONE_THIRD = 1.0 / 3.0']] },
  }),
  subject({
    kind: 'type',
    name: 'Summary',
    file: 'tools/report.py',
    renames: ['Overview', 'TextSummary'],
    setup: ["made = @('a', 2)"],
    expression: 'made.lines + 1',
    value: '3',
    changes: {
      'required member': [
        ['    lines: int\n', '    lines: int\n    width: int\n'],
        ['Summary(title, len(lines))', 'Summary(title, len(lines), 0)'],
      ],
      'optional member': [['    lines: int\n', '    lines: int\n    width: int = 0\n']],
      'renamed member': [
        ['    lines: int\n', '    count: int\n'],
        ['summary.lines', 'summary.count'],
      ],
      'other order of members': [
        ['    title: str\n    lines: int\n', '    lines: int\n    title: str\n'],
        ['Summary(title, len(lines))', 'Summary(len(lines), title)'],
      ],
    },
  }),
  subject({
    kind: 'type',
    name: 'CycleError',
    file: 'tools/graphlib.py',
    renames: ['LoopError', 'CycleFound'],
    expression: "str(@('a'))",
    value: "'a'",
    changes: {
      documentation: [
        [
          'class CycleError(ValueError):\n    """',
          'class CycleError(ValueError):\n    """Says that CycleError was raised. ',
        ],
      ],
    },
  }),
];

const moduleOf = (file: string): string => file.replace(/\.py$/u, '').replaceAll('/', '.');
const importOf = (names: string, file: string): string => `from ${moduleOf(file)} import ${names}\n`;

function imports({ kind, name, file, needs }: Subject, alias = name): string {
  const own = isMember({ kind } as Subject) ? [] : [{ name: alias === name ? name : `${name} as ${alias}`, file }];
  const byFile = Map.groupBy([...own, ...needs], (one) => one.file);
  return [...byFile].map(([from, list]) => importOf(list.map((one) => one.name).join(', '), from)).join('');
}

const body = ({ setup, expression, value }: Subject, name: string): string =>
  [...setup.map((line) => known(line, name)), `assert ${known(expression, name)} == ${value}`]
    .map((line) => `    ${line}\n`)
    .join('');

const probe = (one: Subject, name: string, word: string): string =>
  `def probe_${word.toLowerCase()}():\n${body(one, name)}`;
const fresh = (tree: Tree, { word }: Choices, text: string): Tree =>
  withFile(tree, `tools/${word.toLowerCase()}.py`, text);

const ANCHOR = "    edge = '-' * width\n";
const FIRST = 'from tools.report import';
const neighbour = ({ file }: Subject): string => {
  const names: Readonly<Record<string, string>> = {
    'tools/colorsys.py': 'yiq_to_rgb',
    'tools/textwrap.py': 'indent',
    'tools/graphlib.py': 'TopologicalSorter',
    'tools/report.py': 'MARGIN',
  };
  return names[file] ?? '';
};
const isInView = ({ name }: Subject): boolean => name === 'summarize';

const uses: Readonly<Record<string, Template>> = {
  'in a new file': (tree, one, choices) =>
    fresh(tree, choices, `${imports(one)}\n\n${probe(one, one.name, choices.word)}`),
  'in an existing function': (tree, one) => {
    if (isInView(one)) return null;
    const longer = insertAfter(tree, 'tools/view.py', ANCHOR, body(one, one.name));
    const importing = replaceIn(longer, 'tools/view.py', [FIRST, `${imports(one)}${FIRST}`]);
    return appendTo(importing, 'tools/view.py', "\n\ndef probe_banner():\n    assert banner(1) == '-\\n'\n");
  },
  'at the end of an existing file': (tree, one, { word }) => {
    const longer = appendTo(tree, 'tools/view.py', `\n\n${probe(one, one.name, word)}`);
    return isInView(one) ? longer : replaceIn(longer, 'tools/view.py', [FIRST, `${imports(one)}${FIRST}`]);
  },
  'under an alias': (tree, one, choices) =>
    isMember(one) ? null : fresh(tree, choices, `${imports(one, 'known')}\n\n${probe(one, 'known', choices.word)}`),
  'over its module': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `from tools import ${baseNameOf(one.file)}\n\n\n${probe(one, `${baseNameOf(one.file)}.${one.name}`, choices.word)}`,
        ),
  'over the full name of its module': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `import ${moduleOf(one.file)}\n\n\n${probe(one, `${moduleOf(one.file)}.${one.name}`, choices.word)}`,
        ),
  'over a renamed module': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `import ${moduleOf(one.file)} as space\n\n\n${probe(one, `space.${one.name}`, choices.word)}`,
        ),
  'by a relative import': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `${imports(one).replaceAll('from tools.', 'from .')}\n\n${probe(one, one.name, choices.word)}`,
    ),
  'by an import of all names': (tree, one, choices) =>
    isMember(one) || one.name.startsWith('ONE')
      ? null
      : fresh(tree, choices, `from ${moduleOf(one.file)} import *\n\n\n${probe(one, one.name, choices.word)}`),
  'by an import inside the function': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      probe(one, one.name, choices.word).replace(
        ':\n',
        () =>
          `:\n${imports(one)
            .trimEnd()
            .split('\n')
            .map((line) => `    ${line}\n`)
            .join('')}\n`,
      ),
    ),
  're-exported': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `from ${moduleOf(one.file)} import ${one.name} as kept_${choices.word.toLowerCase()}  # noqa: F401\n`,
        ),
};

const seeming: Readonly<Record<string, Template>> = {
  'name in a comment': (tree, { name }) =>
    insertAfter(tree, 'tools/view.py', ANCHOR, `    # As ${name} does: ${name}(width) is not called here.\n`),
  'name in a text': (tree, { name }) =>
    insertAfter(tree, 'tools/view.py', ANCHOR, `    label = '${name}(width)'\n    edge += label[:0]\n`),
  'name in a documentation text': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `def add_${choices.word.toLowerCase()}(one):\n    """Adds one to what ${name}(one) gives."""\n    return one + 1\n`,
    ),
  'own function of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `def ${name}():\n    return 7\n\n\nSEVEN = ${name}()\n`),
  'parameter of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `from ${moduleOf(one.file)} import ${neighbour(one)}\n\nKEPT = ${neighbour(one)}\n\n\ndef add_${choices.word.toLowerCase()}(${one.name}):\n    return ${one.name} + 1\n`,
    ),
  'variable of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `from ${moduleOf(one.file)} import ${neighbour(one)}\n\nKEPT = ${neighbour(one)}\n\n\ndef add_${choices.word.toLowerCase()}():\n    ${one.name} = [1, 2]\n    return len(${one.name})\n`,
    ),
  'keyword of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `BOX = dict(${name}=1)\nFIRST = BOX['${name}']\n`),
  'method of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `class Box:\n    def ${name}(self):\n        return 1\n\n\nBOXED = Box().${name}()\n`),
  'symbol of that name of another module': (tree, { name }, choices) =>
    fresh(
      withFile(tree, 'tools/own.py', `def ${name}():\n    return 7\n`),
      choices,
      `from tools.own import ${name}\n\nSEVEN = ${name}()\n`,
    ),
  'other symbol of that module': (tree, one, choices) =>
    fresh(tree, choices, `from ${moduleOf(one.file)} import ${neighbour(one)}\n\nKEPT = ${neighbour(one)}\n`),
};

/** Returns the text of a top-level function with the blank lines after it, or null. */
const functionText = (text: string, name: string): string | null =>
  new RegExp(`^def ${name}\\([^\\n]*\\n(?:(?:[ \\t][^\\n]*|\\)[^\\n]*)?\\n)*`, 'mu').exec(text)?.[0] ?? null;

const withoutListing = (tree: Tree, { file, name }: Subject): Tree =>
  withFile(tree, file, textIn(tree, file).replace(new RegExp(`["']${name}["'],?\\s*`, 'u'), ''));

const changes: Readonly<Record<string, Template>> = {
  rename: (tree, { name, renames }, { choose }) => renameWord(tree, name, choose(renames)),
  'rename with the old name kept': (tree, one, { choose }) => {
    if (isMember(one)) return null;
    const to = choose(one.renames);
    return appendTo(renameWord(tree, one.name, to), one.file, `\n\n${one.name} = ${to}\n`);
  },
  'rename to a private name': (tree, one) =>
    isMember(one) ? null : renameWord(withoutListing(tree, one), one.name, `_${one.name}`),
  remove: (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    if (text === null) return null;
    const rest = withoutListing(replaceIn(tree, one.file, [text, '']), one);
    const code = new Map([...rest].map(([path, each]) => [path, each.replace(/#.*$/gmu, '')]));
    return countWord(code, one.name) === 0 ? rest : null;
  },
  'no longer in __all__': (tree, one) => {
    const next = withoutListing(tree, one);
    return textIn(next, one.file) === textIn(tree, one.file) ? null : next;
  },
  'moved behind a re-export': (tree, one) => {
    const text =
      one.kind === 'function' && one.file === 'tools/colorsys.py'
        ? functionText(textIn(tree, one.file), one.name)
        : null;
    if (text === null) return null;
    const moved = replaceIn(tree, one.file, [text, `from tools.moved import ${one.name}\n\n`]);
    return withFile(moved, 'tools/moved.py', `ONE_SIXTH = 1.0/6.0\n\n\n${text.trimEnd()}\n`);
  },
  'moved down in its file': (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null ? null : appendTo(replaceIn(tree, one.file, [text, '']), one.file, `\n\n${text.trimEnd()}\n`);
  },
  'move the file': (tree, one) => {
    const to = `tools/base_${baseNameOf(one.file)}.py`;
    const moved = withFile(withoutFile(tree, one.file), to, textIn(tree, one.file));
    const from = `from ${moduleOf(one.file)} import`;
    const next = new Map(
      [...moved].map(([path, text]) => [path, text.replaceAll(from, `from ${moduleOf(to)} import`)]),
    );
    return next;
  },
};

const added = (tag: string, value: number): string => `\n\ndef extra_${tag.toLowerCase()}():\n    return ${value}\n`;
const checked = (tag: string, value: number): string =>
  `${added(tag, value)}\n\ndef probe_${tag.toLowerCase()}():\n    assert extra_${tag.toLowerCase()}() == ${value}\n`;
const TOP = 'MARGIN = 2\n';
const MADE =
  'from tools.report import Counter\n\n\nclass Made(Counter):\n    pass\n\n\ndef probe_made():\n    assert Made().wrap() == 0\n';

const pairs: Dialect['pairs'] = [
  {
    change: 'function added at the end',
    use: 'the same function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'tools/report.py', checked(word, 1)),
    theirs: (tree, { word }) =>
      insertAfter(tree, 'tools/report.py', TOP, checked(word, 2).replace('def probe_', 'def probe_first_')),
  },
  {
    change: 'function added at the end',
    use: 'another function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'tools/report.py', added(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'tools/report.py', TOP, added(`${word}_two`, 2)),
  },
  {
    change: 'function added to a module',
    use: 'the same function added to another module',
    ours: (tree, { word }) => appendTo(tree, 'tools/report.py', checked(word, 1)),
    theirs: (tree, { word }) => appendTo(tree, 'tools/graphlib.py', checked(word, 2)),
  },
  {
    change: 'method added to a class',
    use: 'the same method added to another class',
    ours: (tree) =>
      insertAfter(
        tree,
        'tools/report.py',
        '        return self.total\n',
        '\n    def clear(self):\n        self.total = 0\n',
      ),
    theirs: (tree) =>
      insertAfter(
        tree,
        'tools/graphlib.py',
        '    def __bool__(self):\n        return self.is_active()\n',
        '\n    def clear(self):\n        self._finished = 0\n',
      ),
  },
  {
    change: 'rename of a method that a new class inherits',
    use: 'new class that inherits it',
    ours: (tree) => replaceEvery(tree, ['    def wrap(self):', '    def total_of(self):']),
    theirs: (tree, choices) => fresh(tree, choices, MADE),
  },
  {
    change: 'required parameter of a constructor',
    use: 'new instance of that class',
    ours: (tree) =>
      replaceEvery(
        replaceEvery(tree, [
          '    def __init__(self):\n        self.total = 0',
          '    def __init__(self, total):\n        self.total = total',
        ]),
        ['Counter()', 'Counter(0)'],
      ),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'from tools.report import Counter\n\n\ndef probe_counter():\n    assert Counter().wrap() == 0\n',
      ),
  },
  {
    change: 'optional parameter of a constructor',
    use: 'new instance of that class',
    ours: (tree) =>
      replaceEvery(tree, [
        '    def __init__(self):\n        self.total = 0',
        '    def __init__(self, total=0):\n        self.total = total',
      ]),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'from tools.report import Counter\n\n\ndef probe_counter():\n    assert Counter().wrap() == 0\n',
      ),
  },
  {
    change: 'renamed attribute',
    use: 'new read of the attribute',
    ours: (tree) =>
      replaceEvery(replaceEvery(tree, ['self.total', 'self.amount']), ['counter.total', 'counter.amount']),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'from tools.report import Counter\n\n\ndef probe_counter():\n    counter = Counter()\n    assert counter.total == 0\n',
      ),
  },
];

export const python: Dialect = {
  language: 'python',
  subjects: [...functions, ...others],
  changes,
  uses,
  seeming,
  pairs,
};
