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

const counter = { name: 'Counter', file: 'src/report.rs' };

const functions: readonly Subject[] = [
  subject({
    kind: 'function',
    name: 'parse_duration',
    file: 'src/duration.rs',
    renames: ['read_duration', 'duration_of'],
    expression: '@("1m").unwrap().as_secs()',
    value: '60',
    changes: {
      'required parameter': [
        ['pub fn parse_duration(s: &str)', 'pub fn parse_duration(s: &str, strict: bool)'],
        ['parse_duration("1s")', 'parse_duration("1s", true)'],
      ],
      'wider parameter': [
        [
          'pub fn parse_duration(s: &str) -> Result<Duration, Error> {\n',
          'pub fn parse_duration<S: AsRef<str> + ?Sized>(s: &S) -> Result<Duration, Error> {\n    let s = s.as_ref();\n',
        ],
      ],
      'other parameter type': [
        [
          'pub fn parse_duration(s: &str) -> Result<Duration, Error> {\n',
          'pub fn parse_duration(s: String) -> Result<Duration, Error> {\n    let s = s.as_str();\n',
        ],
        ['parse_duration("1s")', 'parse_duration("1s".to_string())'],
      ],
      'other result': [
        [
          'pub fn parse_duration(s: &str) -> Result<Duration, Error> {',
          'pub fn parse_duration(s: &str) -> Result<u64, Error> {',
        ],
        ['        current: (0, 0),\n    }.parse()', '        current: (0, 0),\n    }.parse().map(|one| one.as_secs())'],
        ['map_or(0, |one| one.as_secs())', 'unwrap_or(0)'],
      ],
      'renamed parameter': [
        [
          'pub fn parse_duration(s: &str) -> Result<Duration, Error> {\n',
          'pub fn parse_duration(text: &str) -> Result<Duration, Error> {\n    let s = text;\n',
        ],
      ],
      'written lifetime': [['pub fn parse_duration(s: &str)', "pub fn parse_duration<'a>(s: &'a str)"]],
      'new layout': [
        [
          'pub fn parse_duration(s: &str) -> Result<Duration, Error> {',
          'pub fn parse_duration(\n    s: &str,\n) -> Result<Duration, Error> {',
        ],
      ],
      documentation: [
        ['pub fn parse_duration', '/// Reads a text as parse_duration of the format does.\npub fn parse_duration'],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'format_duration',
    file: 'src/duration.rs',
    renames: ['show_duration', 'text_of_duration'],
    expression: '@(std::time::Duration::new(61, 0)).to_string()',
    value: '1m 1s',
    changes: {
      'required parameter': [
        ['pub fn format_duration(val: Duration)', 'pub fn format_duration(val: Duration, short: bool)'],
      ],
      'reference as parameter': [
        ['pub fn format_duration(val: Duration)', 'pub fn format_duration(val: &Duration)'],
        ['    FormattedDuration(val)', '    FormattedDuration(*val)'],
      ],
      'optional result': [
        [
          'pub fn format_duration(val: Duration) -> FormattedDuration {\n    FormattedDuration(val)',
          'pub fn format_duration(val: Duration) -> Option<FormattedDuration> {\n    Some(FormattedDuration(val))',
        ],
      ],
      'wider parameter': [
        [
          'pub fn format_duration(val: Duration) -> FormattedDuration {\n    FormattedDuration(val)',
          'pub fn format_duration(val: impl Into<Duration>) -> FormattedDuration {\n    FormattedDuration(val.into())',
        ],
      ],
      attribute: [['pub fn format_duration', '#[must_use]\npub fn format_duration']],
      'const function': [['pub fn format_duration', 'pub const fn format_duration']],
      async: [['pub fn format_duration', 'pub async fn format_duration']],
      unsafe: [['pub fn format_duration', 'pub unsafe fn format_duration']],
    },
  }),
  subject({
    kind: 'function',
    name: 'level_of',
    file: 'src/report.rs',
    renames: ['level_for', 'height_of'],
    needs: [{ name: 'Summary', file: 'src/report.rs' }],
    setup: ['let summary = Summary { title: String::new(), lines: 2 };'],
    expression: '@(&summary) as usize',
    value: '0',
    changes: {
      'value as parameter': [
        ['pub fn level_of(summary: &Summary)', 'pub fn level_of(summary: Summary)'],
        ['level_of(&summary)', 'level_of(summary.clone())'],
      ],
      'required parameter': [
        ['pub fn level_of(summary: &Summary)', 'pub fn level_of(summary: &Summary, limit: usize)'],
        ['    let limit = LIMIT;\n', ''],
        ['level_of(&summary)', 'level_of(&summary, 3)'],
      ],
      'new body': [['    let limit = LIMIT;\n    if summary.lines > limit {', '    if summary.lines > LIMIT {']],
      inline: [['pub fn level_of', '#[inline]\npub fn level_of']],
    },
  }),
  subject({
    kind: 'function',
    name: 'capitalize',
    file: 'src/words.rs',
    renames: ['with_capital', 'write_capital'],
    setup: [
      'struct Shown;',
      'impl std::fmt::Display for Shown {',
      '    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {',
      '        @("ab", f)',
      '    }',
      '}',
    ],
    expression: 'Shown.to_string()',
    value: 'Ab',
    changes: {
      'other order': [
        ['pub fn capitalize(s: &str, f: &mut fmt::Formatter)', 'pub fn capitalize(f: &mut fmt::Formatter, s: &str)'],
      ],
      'fewer parameters': [
        [
          'pub fn capitalize(s: &str, f: &mut fmt::Formatter) -> fmt::Result {',
          'pub fn capitalize(f: &mut fmt::Formatter) -> fmt::Result {\n    let s = "x";',
        ],
      ],
      'written lifetime': [
        [
          'f: &mut fmt::Formatter) -> fmt::Result {\n    let mut char_indices',
          "f: &mut fmt::Formatter<'_>) -> fmt::Result {\n    let mut char_indices",
        ],
      ],
    },
  }),
  subject({
    kind: 'function',
    name: 'summarize',
    file: 'src/report.rs',
    renames: ['summary_of', 'describe_text'],
    expression: '@("a", "b").lines',
    value: '1',
    changes: {
      'required parameter': [
        ['pub fn summarize(title: &str, text: &str)', 'pub fn summarize(title: &str, text: &str, level: Level)'],
        ['summarize("text", text)', 'summarize("text", text, Level::Low)'],
      ],
      'optional result': [
        ['text: &str) -> Summary {', 'text: &str) -> Option<Summary> {'],
        [
          '    Summary {\n        title: title.to_snake_case(),\n        lines: text.lines().count() + seconds as usize - 1,\n    }\n',
          '    Some(Summary {\n        title: title.to_snake_case(),\n        lines: text.lines().count() + seconds as usize - 1,\n    })\n',
        ],
        ['summarize("text", text);', 'summarize("text", text).unwrap();'],
      ],
      'new body': [
        [
          '    for line in text.lines() {\n        counter.add_all(line.len());\n    }\n',
          '    text.lines().for_each(|line| counter.add_all(line.len()));\n',
        ],
      ],
    },
  }),
];

const others: readonly Subject[] = [
  subject({
    kind: 'method',
    name: 'add_all',
    file: 'src/report.rs',
    renames: ['increase', 'add_many'],
    needs: [counter],
    setup: ['let mut made = Counter::new();', 'made.@(2);'],
    expression: 'made.sum()',
    value: '2',
    changes: {
      'required parameter': [
        ['pub fn add_all(&mut self, count: usize)', 'pub fn add_all(&mut self, count: usize, times: usize)'],
        ['counter.add_all(line.len())', 'counter.add_all(line.len(), 1)'],
      ],
      'other parameter type': [
        [
          'pub fn add_all(&mut self, count: usize) {\n        self.total += count;',
          'pub fn add_all(&mut self, count: &usize) {\n        self.total += *count;',
        ],
        ['counter.add_all(line.len())', 'counter.add_all(&line.len())'],
      ],
      result: [
        [
          'pub fn add_all(&mut self, count: usize) {\n        self.total += count;',
          'pub fn add_all(&mut self, count: usize) -> usize {\n        self.total += count;\n        self.total',
        ],
      ],
      'renamed parameter': [
        [
          'pub fn add_all(&mut self, count: usize) {\n        self.total += count;',
          'pub fn add_all(&mut self, amount: usize) {\n        self.total += amount;',
        ],
      ],
    },
  }),
  subject({
    kind: 'method',
    name: 'sum',
    file: 'src/report.rs',
    renames: [],
    needs: [counter],
    setup: ['let made = Counter::new();'],
    expression: 'made.@()',
    value: '0',
    without: ['rename', 'no longer public'],
    changes: {
      'rename the method': [
        [
          '    pub fn sum(&self) -> usize {\n        self.total',
          '    pub fn amount(&self) -> usize {\n        self.total',
        ],
      ],
      'rename that of another type': [
        [
          '    pub fn sum(&self) -> usize {\n        self.level',
          '    pub fn amount(&self) -> usize {\n        self.level',
        ],
      ],
      'private method': [
        ['    pub fn sum(&self) -> usize {\n        self.total', '    fn sum(&self) -> usize {\n        self.total'],
      ],
      'other result': [
        [
          '    pub fn sum(&self) -> usize {\n        self.total',
          '    pub fn sum(&self) -> Option<usize> {\n        Some(self.total)',
        ],
      ],
      'consuming method': [
        ['    pub fn sum(&self) -> usize {\n        self.total', '    pub fn sum(self) -> usize {\n        self.total'],
      ],
    },
  }),
  subject({
    kind: 'method',
    name: 'to_snake_case',
    file: 'src/snake.rs',
    renames: ['to_underscores', 'snaked'],
    needs: [{ name: 'ToSnakeCase', file: 'src/snake.rs' }],
    expression: '"aB".@()',
    value: 'a_b',
    changes: {},
  }),
  subject({
    kind: 'type',
    name: 'ToKebabCase',
    file: 'src/kebab.rs',
    renames: ['Kebab', 'IntoKebabCase'],
    expression: '"aB".to_kebab_case()',
    value: 'a-b',
    changes: {},
  }),
  subject({
    kind: 'constant',
    name: 'LIMIT',
    file: 'src/report.rs',
    renames: ['MAXIMUM', 'LARGEST'],
    expression: '@ * 2',
    value: '128',
    changes: {
      'other value': [['LIMIT: usize = 64', 'LIMIT: usize = 80']],
      'same value': [['LIMIT: usize = 64', 'LIMIT: usize = 0x40']],
      'same value as a product': [['LIMIT: usize = 64', 'LIMIT: usize = 8 * 8']],
      'other type': [
        ['LIMIT: usize = 64', 'LIMIT: &str = "64"'],
        ['summary.lines > limit', 'summary.lines > limit.len()'],
      ],
    },
  }),
  subject({
    kind: 'type',
    name: 'Summary',
    file: 'src/report.rs',
    renames: ['Overview', 'TextSummary'],
    setup: ['let made = @ { title: String::new(), lines: 2 };'],
    expression: 'made.lines + 1',
    value: '3',
    changes: {
      'required member': [
        ['    pub lines: usize,\n}', '    pub lines: usize,\n    pub width: usize,\n}'],
        ['seconds as usize - 1,\n', 'seconds as usize - 1,\n        width: 0,\n'],
      ],
      'renamed member': [
        ['    pub lines: usize,\n}', '    pub count: usize,\n}'],
        ['        lines: text.lines()', '        count: text.lines()'],
        ['summary.lines', 'summary.count'],
      ],
      'other type of a member': [
        ['    pub lines: usize,\n}', '    pub lines: u64,\n}'],
        ['lines: text.lines().count() + seconds as usize - 1', 'lines: text.lines().count() as u64 + seconds - 1'],
        ['summary.lines > limit', 'summary.lines > limit as u64'],
      ],
      'private member': [['    pub lines: usize,\n}', '    lines: usize,\n}']],
      'other order of members': [
        ['    pub title: String,\n    pub lines: usize,\n', '    pub lines: usize,\n    pub title: String,\n'],
      ],
      'derived trait': [
        [
          '#[derive(Debug, Clone, PartialEq)]\npub struct Summary',
          '#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub struct Summary',
        ],
      ],
    },
  }),
];

const moduleOf = (file: string): string => `crate::${baseNameOf(file)}`;

function imports({ kind, name, file, needs }: Subject, alias = name): string {
  const own = isMember({ kind } as Subject) ? [] : [{ name: alias === name ? name : `${name} as ${alias}`, file }];
  const byFile = Map.groupBy([...own, ...needs], (one) => one.file);
  return [...byFile]
    .map(
      ([from, list]) =>
        `use ${moduleOf(from)}::${list.length === 1 ? list[0]!.name : `{${list.map((one) => one.name).join(', ')}}`};\n`,
    )
    .join('');
}

const body = ({ setup, expression, value }: Subject, name: string): string =>
  [...setup.map((line) => known(line, name)), `assert_eq!((${known(expression, name)}).to_string(), "${value}");`]
    .map((line) => `    ${line}\n`)
    .join('');

const probe = (one: Subject, name: string, { word }: Choices): string =>
  `#[test]\nfn probe_${word.toLowerCase()}() {\n${body(one, name)}}\n`;

const ANCHOR = '    let edge = "-".repeat(width);\n';
const FIRST = 'use crate::report::';
const fresh = (tree: Tree, { word }: Choices, text: string): Tree =>
  insertAfter(
    withFile(tree, `src/${word.toLowerCase()}.rs`, text),
    'src/lib.rs',
    'pub mod report;\n',
    `pub mod ${word.toLowerCase()};\n`,
  );
const neighbour = ({ file }: Subject): string => {
  const names: Readonly<Record<string, string>> = {
    duration: 'FormattedDuration',
    report: 'Gauge',
    words: 'uppercase',
    snake: 'AsSnakeCase',
    kebab: 'AsKebabCase',
  };
  return names[baseNameOf(file)] ?? '';
};
const isInView = ({ name }: Subject): boolean => ['level_of', 'summarize'].includes(name);

const uses: Readonly<Record<string, Template>> = {
  'in a new file': (tree, one, choices) => fresh(tree, choices, `${imports(one)}\n${probe(one, one.name, choices)}`),
  'in an existing function': (tree, one) =>
    isInView(one)
      ? null
      : replaceIn(insertAfter(tree, 'src/view.rs', ANCHOR, body(one, one.name)), 'src/view.rs', [
          FIRST,
          `${imports(one)}${FIRST}`,
        ]),
  'at the end of an existing file': (tree, one, choices) => {
    if (one.needs.some(({ name }) => name === 'Summary')) return null;
    const longer = appendTo(tree, 'src/view.rs', `\n${probe(one, one.name, choices)}`);
    return isInView(one) ? longer : replaceIn(longer, 'src/view.rs', [FIRST, `${imports(one)}${FIRST}`]);
  },
  'under an alias': (tree, one, choices) =>
    isMember(one) || one.name === 'ToKebabCase'
      ? null
      : fresh(tree, choices, `${imports(one, 'known')}\n${probe(one, 'known', choices)}`),
  'by its whole path': (tree, one, choices) =>
    isMember(one) || one.name === 'ToKebabCase'
      ? null
      : fresh(
          tree,
          choices,
          `${imports({ ...one, kind: 'method' })}\n${probe(one, `${moduleOf(one.file)}::${one.name}`, choices)}`,
        ),
  'over its module': (tree, one, choices) =>
    isMember(one) || one.name === 'ToKebabCase'
      ? null
      : fresh(
          tree,
          choices,
          `use ${moduleOf(one.file)};\n${imports({ ...one, kind: 'method' })}\n${probe(one, `${baseNameOf(one.file)}::${one.name}`, choices)}`,
        ),
  'by an import of all names': (tree, one, choices) =>
    fresh(tree, choices, `use ${moduleOf(one.file)}::*;\n\n${probe(one, one.name, choices)}`),
  'by an import inside the function': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      probe(one, one.name, choices).replace(
        '() {\n',
        () =>
          `() {\n${imports(one)
            .trimEnd()
            .split('\n')
            .map((line) => `    ${line}\n`)
            .join('')}`,
      ),
    ),
  'by an import relative to the parent': (tree, one, choices) =>
    fresh(tree, choices, `${imports(one).replaceAll('crate::', 'super::')}\n${probe(one, one.name, choices)}`),
  'through the root of the crate': (tree, one, choices) =>
    ['ToKebabCase', 'to_snake_case'].includes(one.name)
      ? fresh(
          tree,
          choices,
          `use crate::${one.name === 'ToKebabCase' ? 'ToKebabCase' : 'ToSnakeCase'};\n\n${probe(one, one.name, choices)}`,
        )
      : null,
  'as a value': (tree, one, choices) =>
    one.kind === 'function' && one.name === 'parse_duration'
      ? fresh(
          tree,
          choices,
          `${imports(one)}\npub fn all(texts: &[&str]) -> usize {\n    texts.iter().map(|one| *one).filter_map(|one| Some(one).map(${one.name})).count()\n}\n`,
        )
      : null,
  're-exported': (tree, one, choices) =>
    isMember(one)
      ? null
      : fresh(
          tree,
          choices,
          `pub use ${moduleOf(one.file)}::${one.name} as ${one.kind === 'type' ? 'Kept' : one.kind === 'constant' ? 'KEPT' : 'kept'};\n`,
        ),
  'with the type of a parameter': (tree, one, choices) =>
    one.name === 'sum'
      ? fresh(
          tree,
          choices,
          'use crate::report::Counter;\n\npub fn take(made: &Counter) -> usize {\n    made.sum()\n}\n',
        )
      : null,
};

const seeming: Readonly<Record<string, Template>> = {
  'name in a comment': (tree, { name }) =>
    insertAfter(tree, 'src/view.rs', ANCHOR, `    // As ${name} does: ${name}(width) is not called here.\n`),
  'name in a text': (tree, { name }) =>
    insertAfter(tree, 'src/view.rs', ANCHOR, `    let _label = "${name}(width)";\n`),
  'own function of that name': (tree, { name }, choices) =>
    fresh(tree, choices, `fn ${name}() -> i32 {\n    7\n}\n\npub fn seven() -> i32 {\n    ${name}()\n}\n`),
  'parameter of that name': (tree, one, choices) =>
    fresh(
      tree,
      choices,
      `pub use ${moduleOf(one.file)}::${neighbour(one)};\n\npub fn add(${one.name}: i32) -> i32 {\n    ${one.name} + 1\n}\n`,
    ),
  'variable of that name': (tree, one, choices) =>
    one.kind === 'constant'
      ? null
      : fresh(
          tree,
          choices,
          `pub use ${moduleOf(one.file)}::${neighbour(one)};\n\npub fn add() -> usize {\n    let ${one.name} = [1, 2];\n    ${one.name}.len()\n}\n`,
        ),
  'member of that name': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `pub struct Own {\n    pub ${name}: i32,\n}\n\npub fn boxed(own: &Own) -> i32 {\n    own.${name}\n}\n`,
    ),
  'method of that name': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `pub struct Own;\n\nimpl Own {\n    pub fn ${name}(&self) -> i32 {\n        1\n    }\n}\n\npub fn boxed() -> i32 {\n    Own.${name}()\n}\n`,
    ),
  'symbol of that name of another module': (tree, { name }, choices) => {
    const own = fresh(tree, choices, `use crate::own::${name};\n\npub fn seven() -> i32 {\n    ${name}()\n}\n`);
    return insertAfter(
      withFile(own, 'src/own.rs', `pub fn ${name}() -> i32 {\n    7\n}\n`),
      'src/lib.rs',
      'pub mod report;\n',
      'pub mod own;\n',
    );
  },
  'symbol of that name of an inner module': (tree, { name }, choices) =>
    fresh(
      tree,
      choices,
      `mod inner {\n    pub fn ${name}() -> i32 {\n        7\n    }\n}\n\npub fn seven() -> i32 {\n    inner::${name}()\n}\n`,
    ),
  'other symbol of that module': (tree, one, choices) =>
    fresh(tree, choices, `pub use ${moduleOf(one.file)}::${neighbour(one)};\n`),
};

const functionText = (text: string, name: string): string | null =>
  new RegExp(`^pub fn ${name}[(<][\\s\\S]*?^\\}\\n\\n?`, 'mu').exec(text)?.[0] ?? null;

const changes: Readonly<Record<string, Template>> = {
  rename: (tree, { name, renames }, { choose }) => renameWord(tree, name, choose(renames)),
  'rename with the old name kept': (tree, one, { choose }) => {
    if (isMember(one)) return null;
    const to = choose(one.renames);
    return appendTo(renameWord(tree, one.name, to), one.file, `\npub use self::${to} as ${one.name};\n`);
  },
  remove: (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    if (text === null) return null;
    const rest = replaceIn(tree, one.file, [text, '']);
    return countWord(rest, one.name) === 0 ? rest : null;
  },
  'no longer public': (tree, one) => {
    const rest = new Map([...tree].filter(([path]) => path !== one.file));
    const text = textIn(tree, one.file).replace(new RegExp(`\\bpub (?=(?:fn|const|struct) ${one.name}\\b)`, 'u'), '');
    return countWord(rest, one.name) > 0 || text === textIn(tree, one.file) ? null : withFile(tree, one.file, text);
  },
  'moved behind a re-export': (tree, one) => {
    const text = one.name === 'capitalize' ? functionText(textIn(tree, one.file), one.name) : null;
    if (text === null) return null;
    const moved = replaceIn(tree, one.file, [text, '']);
    const listed = insertAfter(
      replaceIn(moved, one.file, ['use std::fmt;\n', 'pub use crate::capital::capitalize;\nuse std::fmt;\n']),
      'src/lib.rs',
      'pub mod words;\n',
      'pub mod capital;\n',
    );
    return withFile(listed, 'src/capital.rs', `use crate::words::lowercase;\nuse std::fmt;\n\n${text.trimEnd()}\n`);
  },
  'moved down in its file': (tree, one) => {
    const text = one.kind === 'function' ? functionText(textIn(tree, one.file), one.name) : null;
    return text === null ? null : appendTo(replaceIn(tree, one.file, [text, '']), one.file, `\n${text.trimEnd()}\n`);
  },
  'move the file': (tree, one) => {
    const name = baseNameOf(one.file);
    const moved = withFile(withoutFile(tree, one.file), `src/base_${name}.rs`, textIn(tree, one.file));
    const next = new Map(
      [...moved].map(([path, text]) => [
        path,
        text
          .replaceAll(`crate::${name}`, `crate::base_${name}`)
          .replaceAll(`pub use ${name}::`, `pub use base_${name}::`),
      ]),
    );
    return replaceIn(next, 'src/lib.rs', [`pub mod ${name};`, `pub mod base_${name};`]);
  },
  'file made a folder': (tree, one) =>
    withFile(withoutFile(tree, one.file), `src/${baseNameOf(one.file)}/mod.rs`, textIn(tree, one.file)),
};

const extra = (tag: string, value: number): string =>
  `\npub fn extra_${tag.toLowerCase()}() -> i32 {\n    ${value}\n}\n`;
const TOP = 'pub const LIMIT: usize = 64;\n';
const LAST = '    pub fn sum(&self) -> usize {\n        self.total\n    }\n';
const SHOWN =
  'use crate::report::Show;\n\npub struct Made;\n\nimpl Show for Made {\n    fn show(&self) -> String {\n        String::new()\n    }\n}\n';
const RANK =
  'use crate::report::Level;\n\npub fn rank(level: Level) -> i32 {\n    match level {\n        Level::Low => 0,\n        Level::High => 1,\n    }\n}\n';

const pairs: Dialect['pairs'] = [
  {
    change: 'function added at the end',
    use: 'the same function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'src/report.rs', extra(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'src/report.rs', TOP, extra(word, 2)),
  },
  {
    change: 'function added at the end',
    use: 'another function added at the beginning',
    ours: (tree, { word }) => appendTo(tree, 'src/report.rs', extra(word, 1)),
    theirs: (tree, { word }) => insertAfter(tree, 'src/report.rs', TOP, extra(`${word}_two`, 2)),
  },
  {
    change: 'function added to a module',
    use: 'the same function added to another module',
    ours: (tree, { word }) => appendTo(tree, 'src/report.rs', extra(word, 1)),
    theirs: (tree, { word }) => appendTo(tree, 'src/words.rs', extra(word, 2)),
  },
  {
    change: 'method added to a type',
    use: 'the same method added to another type',
    ours: (tree) =>
      insertAfter(tree, 'src/report.rs', LAST, '\n    pub fn clear(&mut self) {\n        self.total = 0;\n    }\n'),
    theirs: (tree) =>
      insertAfter(
        tree,
        'src/report.rs',
        'impl Gauge {\n',
        '    pub fn clear(&mut self) {\n        self.level = 0;\n    }\n\n',
      ),
  },
  {
    change: 'method added to a type',
    use: 'the same method added in another block',
    ours: (tree) =>
      insertAfter(tree, 'src/report.rs', LAST, '\n    pub fn clear(&mut self) {\n        self.total = 0;\n    }\n'),
    theirs: (tree) =>
      appendTo(
        tree,
        'src/report.rs',
        '\nimpl Counter {\n    pub fn clear(&mut self) {\n        self.total = 1;\n    }\n}\n',
      ),
  },
  {
    change: 'method added to a trait',
    use: 'new implementation of the trait',
    ours: (tree) =>
      replaceEvery(
        replaceEvery(tree, [
          '    fn show(&self) -> String;\n',
          '    fn show(&self) -> String;\n    fn width(&self) -> usize;\n',
        ]),
        [
          '        self.title.clone()\n    }\n',
          '        self.title.clone()\n    }\n\n    fn width(&self) -> usize {\n        self.title.len()\n    }\n',
        ],
      ),
    theirs: (tree, choices) => fresh(tree, choices, SHOWN),
  },
  {
    change: 'method with a body added to a trait',
    use: 'new implementation of the trait',
    ours: (tree) =>
      replaceEvery(tree, [
        '    fn show(&self) -> String;\n',
        '    fn show(&self) -> String;\n    fn width(&self) -> usize {\n        self.show().len()\n    }\n',
      ]),
    theirs: (tree, choices) => fresh(tree, choices, SHOWN),
  },
  {
    change: 'variant added to an enumeration',
    use: 'new choice over all variants',
    ours: (tree) => replaceEvery(tree, ['    Low,\n    High,\n', '    Low,\n    Middle,\n    High,\n']),
    theirs: (tree, choices) => fresh(tree, choices, RANK),
  },
  {
    change: 'variant added to an enumeration',
    use: 'new choice with a rest',
    ours: (tree) => replaceEvery(tree, ['    Low,\n    High,\n', '    Low,\n    Middle,\n    High,\n']),
    theirs: (tree, choices) => fresh(tree, choices, RANK.replace('Level::High => 1', '_ => 1')),
  },
  {
    change: 'variant renamed',
    use: 'new use of the variant',
    ours: (tree) =>
      replaceEvery(replaceEvery(tree, ['    Low,\n    High,\n', '    Low,\n    Tall,\n']), [
        'Level::High',
        'Level::Tall',
      ]),
    theirs: (tree, choices) =>
      fresh(tree, choices, 'use crate::report::Level;\n\npub fn top() -> Level {\n    Level::High\n}\n'),
  },
];

export const rust: Dialect = { language: 'rust', subjects: [...functions, ...others], changes, uses, seeming, pairs };
