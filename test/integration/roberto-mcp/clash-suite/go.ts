import { type Choices, type Dialect, isMember, known, type Subject, subject, type Template } from './subject.ts';
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

const list = { name: 'List', file: 'list/list.go' };

const functions: readonly Subject[] = [
  subject({
    kind: 'function',
    name: 'Base',
    file: 'path/path.go',
    renames: ['LastOf', 'NameOf'],
    expression: '@("a/b")',
    value: 'b',
    changes: {
      'required parameter': [['func Base(path string) string {', 'func Base(path string, separator byte) string {']],
      'variadic parameter': [['func Base(path string) string {', 'func Base(path string, endings ...string) string {']],
      'second result': [
        [
          'func Base(path string) string {\n	if path == "" {\n		return "."\n',
          'func Base(path string) (string, bool) {\n	if path == "" {\n		return ".", false\n',
        ],
        ['		return "/"\n	}\n	return path\n}', '		return "/", true\n	}\n	return path, true\n}'],
      ],
      'renamed parameter': [['func Base(path string) string {\n', 'func Base(name string) string {\n	path := name\n']],
      'named result': [['func Base(path string) string {', 'func Base(path string) (base string) {']],
      documentation: [
        [
          '// Base returns the last element of path.',
          '// Base returns the last element. See also Dir and Base of the system.',
        ],
      ],
      'new body': [
        [
          '	if i := lastSlash(path); i >= 0 {\n		path = path[i+1:]\n	}\n	// If empty',
          '	path = path[lastSlash(path)+1:]\n	// If empty',
        ],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'Join',
    file: 'path/path.go',
    renames: ['Concat', 'Together'],
    expression: '@("a", "b")',
    value: 'a/b',
    changes: {
      'slice as parameter': [['func Join(elem ...string) string {', 'func Join(elem []string) string {']],
      'other element type': [
        ['func Join(elem ...string) string {', 'func Join(elem ...[]byte) string {'],
        ['if len(buf) > 0 || e != "" {', 'if len(buf) > 0 || len(e) > 0 {'],
      ],
      'wider parameter': [
        [
          'func Join(elem ...string) string {\n',
          'func Join(parts ...any) string {\n	elem := []string{}\n	for _, part := range parts {\n		if text, ok := part.(string); ok {\n			elem = append(elem, text)\n		}\n	}\n',
        ],
      ],
      'renamed parameter': [
        ['func Join(elem ...string) string {\n', 'func Join(elements ...string) string {\n	elem := elements\n'],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'IsAbs',
    file: 'path/path.go',
    renames: ['IsRooted', 'FromRoot'],
    expression: '@("/a")',
    value: 'true',
    changes: {
      'other result': [
        ['func IsAbs(path string) bool {', 'func IsAbs(path string) string {'],
        ["return len(path) > 0 && path[0] == '/'", 'if len(path) > 0 && path[0] == \'/\' {\n		return path\n	}\n	return ""'],
      ],
      'other parameter type': [['func IsAbs(path string) bool {', 'func IsAbs(path []byte) bool {']],
      'generic parameter': [['func IsAbs(path string) bool {', 'func IsAbs[T ~string](path T) bool {']],
      'no longer exported': [['func IsAbs(', 'func isAbs(']],
    },
  }),
  subject({
    kind: 'function',
    name: 'EncodeToString',
    file: 'hex/hex.go',
    renames: ['TextOf', 'ToText'],
    expression: '@([]byte{10})',
    value: '0a',
    changes: {
      'wider parameter': [
        ['func EncodeToString(src []byte) string {', 'func EncodeToString[T ~[]byte](src T) string {'],
      ],
      'required parameter': [
        ['func EncodeToString(src []byte) string {', 'func EncodeToString(src []byte, upper bool) string {'],
      ],
      'second result': [
        ['func EncodeToString(src []byte) string {', 'func EncodeToString(src []byte) (string, error) {'],
        ['	return string(dst)\n', '	return string(dst), nil\n'],
      ],
      'new body': [
        [
          '	dst := make([]byte, EncodedLen(len(src)))\n	Encode(dst, src)',
          '	size := EncodedLen(len(src))\n	dst := make([]byte, size)\n	_ = Encode(dst, src)',
        ],
      ],
      'new layout': [['func EncodeToString(src []byte) string {', 'func EncodeToString(\n	src []byte,\n) string {']],
    },
  }),
  subject({
    kind: 'function',
    name: 'Summarize',
    file: 'report/report.go',
    renames: ['SummaryOf', 'DescribeWords'],
    expression: '@("a", []string{"b", "c"}).Lines',
    value: '2',
    changes: {
      'required parameter': [
        [
          'func Summarize(title string, words []string) Summary {',
          'func Summarize(title string, words []string, level Level) Summary {',
        ],
        ['report.Summarize("words", words)', 'report.Summarize("words", words, report.Low)'],
      ],
      'other order': [
        [
          'func Summarize(title string, words []string) Summary {',
          'func Summarize(words []string, title string) Summary {',
        ],
        ['report.Summarize("words", words)', 'report.Summarize(words, "words")'],
      ],
      'pointer result': [
        ['words []string) Summary {', 'words []string) *Summary {'],
        ['return Summary{Title', 'return &Summary{Title'],
        ['report.LevelOf(summary)', 'report.LevelOf(*summary)'],
      ],
      'error as second result': [
        ['words []string) Summary {', 'words []string) (Summary, error) {'],
        ['Lines: lines.Len()}', 'Lines: lines.Len()}, nil'],
        ['summary := report.Summarize', 'summary, _ := report.Summarize'],
      ],
      'variadic parameter': [['words []string) Summary {', 'words []string, levels ...Level) Summary {']],
      'grouped parameters': [
        [
          'func Summarize(title string, words []string) Summary {',
          'func Summarize(heading string, words []string) Summary {\n	title := heading',
        ],
      ],
    },
  }),
];

const others: readonly Subject[] = [
  subject({
    kind: 'method',
    name: 'PushBack',
    file: 'list/list.go',
    renames: ['Append', 'AddLast'],
    needs: [list],
    setup: ['items := list.New()'],
    expression: 'items.@("a").Value',
    value: 'a',
    changes: {
      'second result': [
        [
          'func (l *List) PushBack(v any) *Element {\n	l.lazyInit()\n	return l.insertValue(v, l.root.prev)',
          'func (l *List) PushBack(v any) (*Element, bool) {\n	l.lazyInit()\n	return l.insertValue(v, l.root.prev), true',
        ],
      ],
      'variadic parameter': [
        ['func (l *List) PushBack(v any) *Element {', 'func (l *List) PushBack(v any, more ...any) *Element {'],
      ],
      'renamed receiver': [
        [
          'func (l *List) PushBack(v any) *Element {\n	l.lazyInit()\n	return l.insertValue(v, l.root.prev)',
          'func (list *List) PushBack(v any) *Element {\n	list.lazyInit()\n	return list.insertValue(v, list.root.prev)',
        ],
      ],
      'other parameter type': [
        ['func (l *List) PushBack(v any) *Element {', 'func (l *List) PushBack(v *string) *Element {'],
        ['lines.PushBack(word)', 'lines.PushBack(&word)'],
      ],
    },
  }),
  subject({
    kind: 'method',
    name: 'Len',
    file: 'list/list.go',
    renames: [],
    needs: [list],
    setup: ['items := list.New()'],
    expression: 'items.@()',
    value: '0',
    without: ['rename', 'no longer exported'],
    changes: {
      'rename the method': [
        ['func (l *List) Len() int', 'func (l *List) Size() int'],
        ['lines.Len()', 'lines.Size()'],
        ['other.Len()', 'other.Size()'],
      ],
      'rename that of another type': [['func (c *Counter) Len() int', 'func (c *Counter) Size() int']],
    },
  }),
  subject({
    kind: 'constant',
    name: 'Limit',
    file: 'report/report.go',
    renames: ['Maximum', 'Largest'],
    expression: '@ * 2',
    value: '128',
    changes: {
      'other value': [['Limit = 64', 'Limit = 80']],
      'same value': [['Limit = 64', 'Limit = 0x40']],
      'same value as a product': [['Limit = 64', 'Limit = 8 * 8']],
      'written type': [['Limit = 64', 'Limit int = 64']],
      'other type': [
        ['Limit = 64', 'Limit = "64"'],
        ['summary.Lines > limit', 'summary.Lines > len(limit)'],
      ],
    },
  }),
  subject({
    kind: 'type',
    name: 'Summary',
    file: 'report/report.go',
    renames: ['Overview', 'WordSummary'],
    setup: ['made := @{Title: "a", Lines: 2}'],
    expression: 'made.Lines + 1',
    value: '3',
    changes: {
      'new member': [['	Lines int\n}', '	Lines int\n	Width int\n}']],
      'renamed member': [
        ['	Lines int\n}', '	Count int\n}'],
        ['Lines: lines.Len()', 'Count: lines.Len()'],
        ['summary.Lines', 'summary.Count'],
      ],
      'other type of a member': [
        ['	Lines int\n}', '	Lines int64\n}'],
        ['Lines: lines.Len()', 'Lines: int64(lines.Len())'],
        ['summary.Lines > limit', 'summary.Lines > int64(limit)'],
        ['limit := Limit', 'limit := int64(Limit)'],
      ],
      'other order of members': [['	Title string\n	Lines int\n', '	Lines int\n	Title string\n']],
    },
  }),
  subject({
    kind: 'type',
    name: 'InvalidByteError',
    file: 'hex/hex.go',
    renames: ['WrongByteError', 'ByteError'],
    expression: 'string(@(65).Error()[0:8])',
    value: 'encoding',
    changes: { documentation: [['// InvalidByteError values describe', '// An InvalidByteError describes']] },
  }),
  subject({
    kind: 'constant',
    name: 'High',
    file: 'report/report.go',
    renames: ['Tall', 'Upper'],
    expression: '@ == 1',
    value: 'true',
    changes: { 'other value': [['	Low Level = iota\n	High\n', '	Low Level = iota\n	Middle\n	High\n']] },
  }),
];

const packageOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));
const importOf = (file: string, alias = ''): string =>
  `${alias === '' ? '' : `${alias} `}"example.com/tables/${packageOf(file)}"`;

const body = ({ setup, expression, value }: Subject, name: string): string => {
  const lines = [
    ...setup.map((line) => known(line, name)),
    `if found := fmt.Sprint(${known(expression, name)}); found != "${value}" {`,
    '	panic(found)',
    '}',
  ];
  return lines.map((line) => `	${line}\n`).join('');
};

interface Probe {
  readonly folder: string;
  readonly imports: readonly string[];
  readonly text: string;
}

/** Adds a package with probe code, and a test that calls it. */
function added(tree: Tree, { word }: Choices, { imports, text, folder }: Probe): Tree {
  const name = word.toLowerCase();
  const list_ = ['"fmt"', '', ...imports].map((one) => (one === '' ? '' : `	${one}`)).join('\n');
  const test = `package ${folder}\n\nimport "testing"\n\nfunc TestProbe${word}(t *testing.T) {\n	probe${word}()\n}\n`;
  const file = `package ${folder}\n\nimport (\n${list_.trimEnd()}\n)\n\nfunc probe${word}() {\n${text}}\n`;
  return withFile(withFile(tree, `${folder}/${name}.go`, file), `${folder}/${name}_test.go`, test);
}

const qualified = ({ kind, name, file }: Subject, space = packageOf(file)): string =>
  isMember({ kind } as Subject) ? name : `${space}.${name}`;
const fresh = (tree: Tree, { word }: Choices, text: string): Tree =>
  withFile(tree, `${word.toLowerCase()}/${word.toLowerCase()}.go`, `package ${word.toLowerCase()}\n\n${text}`);

const ANCHOR = '	edge := strings.Repeat("-", width)\n';
const neighbour = ({ file }: Subject): string => {
  const names: Readonly<Record<string, string>> = {
    path: 'path.Dir',
    hex: 'hex.DecodedLen',
    list: 'list.New',
    report: 'report.LevelOf',
  };
  return names[packageOf(file)] ?? '';
};
const lower = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

const uses: Readonly<Record<string, Template>> = {
  'in a new file': (tree, one, choices) =>
    added(tree, choices, {
      folder: choices.word.toLowerCase(),
      imports: [importOf(one.file)],
      text: body(one, qualified(one)),
    }),
  'in an existing function': (tree, one) => {
    const text = body(one, qualified(one)).replace('fmt.Sprint(', 'Sprint(');
    const longer = insertAfter(tree, 'view/view.go', ANCHOR, text);
    const importing = one.file.startsWith('report/')
      ? longer
      : replaceIn(longer, 'view/view.go', [
          '	"example.com/tables/report"\n',
          `	${importOf(one.file)}\n	"example.com/tables/report"\n`,
        ]);
    return replaceIn(importing, 'view/view.go', ['	"strings"\n', '	. "fmt"\n	"strings"\n']);
  },
  'under an alias of the package': (tree, one, choices) =>
    isMember(one)
      ? null
      : added(tree, choices, {
          folder: choices.word.toLowerCase(),
          imports: [importOf(one.file, 'space')],
          text: body(one, qualified(one, 'space')),
        }),
  'by an import into the own names': (tree, one, choices) =>
    isMember(one)
      ? null
      : added(tree, choices, {
          folder: choices.word.toLowerCase(),
          imports: [importOf(one.file, '.')],
          text: body(one, one.name),
        }),
  'in the same package': (tree, one, choices) =>
    added(tree, choices, {
      folder: packageOf(one.file),
      imports: [],
      text: body({ ...one, setup: one.setup.map((line) => line.replace('list.', '')) }, one.name),
    }),
  'as a value': (tree, one, choices) =>
    one.kind === 'function'
      ? fresh(tree, choices, `import ${importOf(one.file)}\n\nvar Kept = ${qualified(one)}\n`)
      : null,
  'with the type of a parameter': (tree, one, choices) =>
    one.kind === 'method'
      ? fresh(
          tree,
          choices,
          `import ${importOf(one.file)}\n\nfunc Take(items *list.List) any {\n	return ${known(one.expression, one.name)}\n}\n`,
        )
      : null,
  'in a member': (tree, one, choices) =>
    one.kind === 'type' && one.name === 'Summary'
      ? fresh(
          tree,
          choices,
          `import ${importOf(one.file)}\n\ntype Page struct {\n	Summary ${qualified(one)}\n}\n\nfunc (p Page) Lines() int {\n	return p.Summary.Lines\n}\n`,
        )
      : null,
  'without names of the members': (tree, one, choices) =>
    one.kind === 'type' && one.name === 'Summary'
      ? fresh(tree, choices, `import ${importOf(one.file)}\n\nvar Made = []${qualified(one)}{{"a", 2}}\n`)
      : null,
};

const seeming: Readonly<Record<string, Template>> = {
  'name in a comment': (tree, one) =>
    insertAfter(
      tree,
      'view/view.go',
      ANCHOR,
      `	// As ${qualified(one)} does: ${qualified(one)}(width) is not called here.\n`,
    ),
  'name in a text': (tree, one) =>
    insertAfter(tree, 'view/view.go', ANCHOR, `	edge += "${qualified(one)}(width)"[:0]\n`),
  'own function of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `func ${name}() int {\n	return 7\n}\n\nvar Seven = ${name}()\n`),
  'parameter of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `import ${importOf(one.file)}\n\nvar Kept = ${neighbour(one)}\n\nfunc Add(${one.name} int) int {\n	return ${one.name} + 1\n}\n`,
    ),
  'variable of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `import ${importOf(one.file)}\n\nvar Kept = ${neighbour(one)}\n\nfunc Add() int {\n	${one.name} := []int{1, 2}\n	return len(${one.name})\n}\n`,
    ),
  'member of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `type Box struct {\n	${name} int\n}\n\nvar Boxed = Box{${name}: 1}.${name}\n`),
  'method of that name': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `type Box struct{}\n\nfunc (b Box) ${name}() int {\n	return 1\n}\n\nvar Boxed = Box{}.${name}()\n`,
    ),
  'symbol of that name of another package': (tree, { name, file }, choices) =>
    fresh(
      withFile(
        tree,
        `own/${packageOf(file)}/own.go`,
        `package ${packageOf(file)}\n\nfunc ${name}() int {\n	return 7\n}\n`,
      ),
      choices,
      `import "example.com/tables/own/${packageOf(file)}"\n\nvar Seven = ${packageOf(file)}.${name}()\n`,
    ),
  'that name of the standard library': (tree, one, choices) =>
    one.file === 'path/path.go' ? fresh(tree, choices, `import "path"\n\nvar Kept = path.${one.name}("a")\n`) : null,
  'other symbol of that package': (tree, one, choices) =>
    fresh(tree, choices, `import ${importOf(one.file)}\n\nvar Kept = ${neighbour(one)}\n`),
};

const functionText = (text: string, name: string): string | null =>
  new RegExp(`^(?://[^\\n]*\\n)*func ${name}\\([\\s\\S]*?^\\}\\n\\n?`, 'mu').exec(text)?.[0] ?? null;

const changes: Readonly<Record<string, Template>> = {
  rename: (tree, { name, renames }, { choose }) => renameWord(tree, name, choose(renames)),
  'no longer exported': (tree, one) => {
    const rest = new Map([...tree].filter(([path]) => packageOf(path) !== packageOf(one.file)));
    return countWord(rest, one.name) > 0 ? null : renameWord(tree, one.name, lower(one.name));
  },
  'rename with the old name kept': (tree, one, { choose }) => {
    if (isMember(one)) return null;
    const to = choose(one.renames);
    const keyword = { function: 'var', constant: 'const', type: 'type', member: '', method: '' }[one.kind];
    return appendTo(
      renameWord(tree, one.name, to),
      one.file,
      `\n// ${one.name} is the former name.\n${keyword} ${one.name} = ${to}\n`,
    );
  },
  remove: (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    if (text === null) return null;
    const rest = replaceIn(tree, one.file, [text, '']);
    const code = new Map([...rest].map(([path, each]) => [path, each.replace(/\/\/.*$/gmu, '')]));
    return countWord(code, one.name) === 0 ? rest : null;
  },
  'moved to another file of the package': (tree, one) => {
    const text =
      one.kind === 'function' && one.file.startsWith('path/') ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null
      ? null
      : withFile(
          replaceIn(tree, one.file, [text, '']),
          `${packageOf(one.file)}/more.go`,
          `package ${packageOf(one.file)}\n\n${text.trimEnd()}\n`,
        );
  },
  'moved down in its file': (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null ? null : appendTo(replaceIn(tree, one.file, [text, '']), one.file, `\n${text.trimEnd()}\n`);
  },
  'rename the file': (tree, one) =>
    withFile(withoutFile(tree, one.file), `${packageOf(one.file)}/all.go`, textIn(tree, one.file)),
  'move the package': (tree, one) => {
    const from = `"example.com/tables/${packageOf(one.file)}"`;
    const moved = withFile(withoutFile(tree, one.file), `base/${one.file}`, textIn(tree, one.file));
    return new Map(
      [...moved].map(([path, text]) => [
        path,
        text.replaceAll(from, `"example.com/tables/base/${packageOf(one.file)}"`),
      ]),
    );
  },
};

const extra = (tag: string, value: number): string => `\nfunc Extra${tag}() int {\n	return ${value}\n}\n`;
const TOP = 'const Limit = 64\n';

const pairs: Dialect['pairs'] = [
  {
    change: 'function added at the end',
    use: 'the same function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'report/report.go', extra(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'report/report.go', TOP, extra(word, 2)),
  },
  {
    change: 'function added at the end',
    use: 'another function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'report/report.go', extra(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'report/report.go', TOP, extra(`${word}Two`, 2)),
  },
  {
    change: 'function added to a package',
    use: 'the same function added to another file of the package',
    ours: (tree, { word }) => appendTo(tree, 'report/report.go', extra(word, 1)),
    theirs: (tree, { word }) => withFile(tree, 'report/more.go', `package report\n${extra(word, 2)}`),
  },
  {
    change: 'function added to a package',
    use: 'the same function added to another package',
    ours: (tree, { word }) => appendTo(tree, 'report/report.go', extra(word, 1)),
    theirs: (tree, { word }) => appendTo(tree, 'path/path.go', extra(word, 2)),
  },
  {
    change: 'method added to a type',
    use: 'the same method added to another type',
    ours: (tree) => appendTo(tree, 'report/report.go', '\nfunc (c *Counter) Clear() {\n	c.total = 0\n}\n'),
    theirs: (tree) => insertAfter(tree, 'report/report.go', TOP, '\nfunc (s *Summary) Clear() {\n	s.Lines = 0\n}\n'),
  },
  {
    change: 'method added to a type',
    use: 'the same method added in another file',
    ours: (tree) => appendTo(tree, 'report/report.go', '\nfunc (c *Counter) Clear() {\n	c.total = 0\n}\n'),
    theirs: (tree) =>
      withFile(tree, 'report/more.go', 'package report\n\nfunc (c *Counter) Clear() {\n	c.total = 1\n}\n'),
  },
  {
    change: 'method added to an interface',
    use: 'new type with the former methods',
    ours: (tree) =>
      appendTo(
        replaceEvery(tree, ['	Show() string\n', '	Show() string\n	Width() int\n']),
        'report/report.go',
        '\nfunc (s Summary) Width() int {\n	return 0\n}\n',
      ),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'import "example.com/tables/report"\n\ntype Made struct{}\n\nfunc (m Made) Show() string {\n	return ""\n}\n\nvar Kept report.Shower = Made{}\n',
      ),
  },
  {
    change: 'method removed from an interface',
    use: 'new type with the former methods',
    ours: (tree) => replaceEvery(tree, ['	Show() string\n', '']),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'import "example.com/tables/report"\n\ntype Made struct{}\n\nfunc (m Made) Show() string {\n	return ""\n}\n\nvar Kept report.Shower = Made{}\n',
      ),
  },
  {
    change: 'method added to an interface',
    use: 'new call of a method of the interface',
    ours: (tree) =>
      appendTo(
        replaceEvery(tree, ['	Show() string\n', '	Show() string\n	Width() int\n']),
        'report/report.go',
        '\nfunc (s Summary) Width() int {\n	return 0\n}\n',
      ),
    theirs: (tree, choices) =>
      fresh(
        tree,
        choices,
        'import "example.com/tables/report"\n\nfunc Shown(one report.Shower) string {\n	return one.Show()\n}\n',
      ),
  },
];

export const go: Dialect = { language: 'go', subjects: [...functions, ...others], changes, uses, seeming, pairs };
