import type { ClashKind } from '../../../src/roberto-mcp/compare/find-clashes.ts';

/** An edit of a file: replaces one piece of it, sets its whole content (a string), or removes it (null). */
type Edit = readonly [from: string, to: string] | string | null;
export type Edits = Readonly<Record<string, Edit>>;

export interface ClashScenario {
  readonly title: string;
  /** The kind of clash, or null if the two branches only appear to clash. */
  readonly expected: ClashKind | null;
  readonly base: Readonly<Record<string, string>>;
  readonly ours: Edits;
  readonly theirs: Edits;
}

/** The parts of a scenario as source text of one language. */
interface Dialect {
  readonly name: string;
  readonly library: string;
  readonly caller: string;
  readonly other: string;
  readonly base: Readonly<Record<string, string>>;
  /** The line of the caller after which another line is inserted. */
  readonly anchor: string;
  readonly call: string;
  readonly methodCall: string;
  readonly constantUse: string;
  readonly renameFunction: readonly [string, string];
  readonly removeFunction: readonly [string, string];
  readonly requiredParameter: readonly [string, string];
  readonly fewerParameters: readonly [string, string];
  readonly renameMethod: readonly [string, string];
  readonly otherValue: readonly [string, string];
  readonly otherResult: readonly [string, string];
  readonly otherBody: readonly [string, string];
  readonly renamePrivate: readonly [string, string];
  readonly optionalParameter: readonly [string, string] | null;
  readonly added: readonly [string, string];
  readonly addedAgain: readonly [string, string];
  readonly comment: string;
  readonly text: string;
  readonly ownFunction: string;
  readonly shadowed: string;
  readonly otherClassCall: string;
}

const typescript: Dialect = {
  name: 'TypeScript',
  library: 'src/price.ts',
  caller: 'src/cart.ts',
  other: 'src/report.ts',
  base: {
    'src/price.ts':
      'export const RATE = 20;\n\nfunction round(value: number): number {\n  return Math.round(value);\n}\n\nexport function total(amount: number, tax: number): number {\n  return round(amount + tax);\n}\n\nexport class Basket {\n  items = 0;\n  weigh(unit: string): number {\n    return this.items + unit.length;\n  }\n}\n\n// end of the file\n',
    'src/cart.ts':
      "import { Basket, RATE, total } from './price.ts';\n\nexport function checkout(basket: Basket): number {\n  const start = basket.items;\n  const one = 1;\n  const two = 2;\n  return start + one + two + total(1, RATE);\n}\n",
    'src/report.ts':
      'export class Crate {\n  weigh(): number {\n    return 1;\n  }\n}\n\nexport function summary(): number {\n  const first = 1;\n  const second = 2;\n  return first + second;\n}\n',
  },
  anchor: '  const one = 1;\n',
  call: '  const more = total(3, 4);\n',
  methodCall: "  const weight = basket.weigh('kg');\n",
  constantUse: '  const rate = RATE * 2;\n',
  renameFunction: ['export function total(', 'export function sum('],
  removeFunction: [
    'export function total(amount: number, tax: number): number {\n  return round(amount + tax);\n}\n',
    '',
  ],
  requiredParameter: ['tax: number): number {', 'tax: number, currency: string): number {'],
  fewerParameters: ['amount: number, tax: number', 'amount: number'],
  renameMethod: ['  weigh(unit', '  measure(unit'],
  otherValue: ['RATE = 20', 'RATE = 0.2'],
  otherResult: ['tax: number): number {', 'tax: number): string {'],
  otherBody: ['return round(amount + tax)', 'return round(amount * (1 + tax))'],
  renamePrivate: ['function round(', 'function roundUp('],
  optionalParameter: ['tax: number): number {', "tax: number, currency = 'EUR'): number {"],
  added: [
    'export const RATE = 20;\n',
    'export const RATE = 20;\n\nexport function discount(): number {\n  return 1;\n}\n',
  ],
  addedAgain: ['// end of the file\n', 'export function discount(): number {\n  return 2;\n}\n'],
  comment: '  // the total of all, as total() gives it\n',
  text: "  const label = 'total(1, 2)';\n",
  ownFunction: '\nfunction total(): number {\n  return 7;\n}\n\nexport const seven = total();\n',
  shadowed: '\nexport function other(total: number): number {\n  return total + 1;\n}\n',
  otherClassCall: '\nexport const crate = new Crate().weigh();\n',
};

const python: Dialect = {
  name: 'Python',
  library: 'shop/price.py',
  caller: 'shop/cart.py',
  other: 'shop/report.py',
  base: {
    'shop/__init__.py': '',
    'shop/price.py':
      'RATE = 20\n\n\ndef _round(value):\n    return round(value)\n\n\ndef total(amount, tax):\n    return _round(amount + tax)\n\n\nclass Basket:\n    items = 0\n\n    def weigh(self, unit):\n        return self.items + len(unit)\n\n\n# end of the file\n',
    'shop/cart.py':
      'from shop.price import RATE, Basket, total\n\n\ndef checkout(basket: Basket):\n    start = basket.items\n    one = 1\n    two = 2\n    return start + one + two + total(1, RATE)\n',
    'shop/report.py':
      'class Crate:\n    def weigh(self):\n        return 1\n\n\ndef summary():\n    first = 1\n    second = 2\n    return first + second\n',
  },
  anchor: '    one = 1\n',
  call: '    more = total(3, 4)\n',
  methodCall: "    weight = basket.weigh('kg')\n",
  constantUse: '    rate = RATE * 2\n',
  renameFunction: ['def total(', 'def sum_up('],
  removeFunction: ['def total(amount, tax):\n    return _round(amount + tax)\n', ''],
  requiredParameter: ['def total(amount, tax):', 'def total(amount, tax, currency):'],
  fewerParameters: ['def total(amount, tax):', 'def total(amount):'],
  renameMethod: ['def weigh(self, unit', 'def measure(self, unit'],
  otherValue: ['RATE = 20', 'RATE = 0.2'],
  otherResult: ['def total(amount, tax):', 'async def total(amount, tax):'],
  otherBody: ['return _round(amount + tax)', 'return _round(amount * (1 + tax))'],
  renamePrivate: ['def _round(', 'def _round_up('],
  optionalParameter: ['def total(amount, tax):', "def total(amount, tax, currency='EUR'):"],
  added: ['RATE = 20\n', 'RATE = 20\n\n\ndef discount():\n    return 1\n'],
  addedAgain: ['# end of the file\n', 'def discount():\n    return 2\n'],
  comment: '    # the total of all, as total() gives it\n',
  text: "    label = 'total(1, 2)'\n",
  ownFunction: '\n\ndef total():\n    return 7\n\n\nSEVEN = total()\n',
  shadowed: '\n\ndef other(total):\n    return total + 1\n',
  otherClassCall: '\n\nCRATE = Crate().weigh()\n',
};

const go: Dialect = {
  name: 'Go',
  library: 'price/price.go',
  caller: 'cart/cart.go',
  other: 'report/report.go',
  base: {
    'go.mod': 'module example.com/shop\n\ngo 1.22\n',
    'price/price.go':
      'package price\n\nconst Rate = 20\n\nfunc round(value int) int {\n\treturn value\n}\n\nfunc Total(amount int, tax int) int {\n\treturn round(amount + tax)\n}\n\ntype Basket struct {\n\tItems int\n}\n\nfunc (b *Basket) Weigh(unit string) int {\n\treturn b.Items + len(unit)\n}\n\n// end of the file\n',
    'cart/cart.go':
      'package cart\n\nimport "example.com/shop/price"\n\nfunc Checkout(basket *price.Basket) int {\n\tstart := basket.Items\n\tone := 1\n\ttwo := 2\n\treturn start + one + two + price.Total(1, price.Rate)\n}\n',
    'report/report.go':
      'package report\n\ntype Crate struct{}\n\nfunc (c Crate) Weigh() int {\n\treturn 1\n}\n\nfunc Summary() int {\n\tfirst := 1\n\tsecond := 2\n\treturn first + second\n}\n',
  },
  anchor: '\tone := 1\n',
  call: '\tone += price.Total(3, 4)\n',
  methodCall: '\tone += basket.Weigh("kg")\n',
  constantUse: '\tone += price.Rate * 2\n',
  renameFunction: ['func Total(', 'func Sum('],
  removeFunction: ['func Total(amount int, tax int) int {\n\treturn round(amount + tax)\n}\n', ''],
  requiredParameter: ['tax int) int {', 'tax int, currency string) int {'],
  fewerParameters: ['amount int, tax int', 'amount int'],
  renameMethod: [') Weigh(unit', ') Measure(unit'],
  otherValue: ['Rate = 20', 'Rate = 25'],
  otherResult: ['tax int) int {', 'tax int) string {'],
  otherBody: ['return round(amount + tax)', 'return round(amount * (1 + tax))'],
  renamePrivate: ['func round(', 'func roundUp('],
  optionalParameter: null,
  added: ['const Rate = 20\n', 'const Rate = 20\n\nfunc Discount() int {\n\treturn 1\n}\n'],
  addedAgain: ['// end of the file\n', 'func Discount() int {\n\treturn 2\n}\n'],
  comment: '\t// the total of all, as price.Total gives it\n',
  text: '\tprintln("price.Total(1, 2)")\n',
  ownFunction: '\nfunc Total() int {\n\treturn 7\n}\n\nvar Seven = Total()\n',
  shadowed: '\nfunc Other(Total int) int {\n\treturn Total + 1\n}\n',
  otherClassCall: '\nvar Heavy = Crate{}.Weigh()\n',
};

const rust: Dialect = {
  name: 'Rust',
  library: 'src/price.rs',
  caller: 'src/cart.rs',
  other: 'src/report.rs',
  base: {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\n',
    'src/lib.rs': 'pub mod cart;\npub mod price;\npub mod report;\n',
    'src/price.rs':
      'pub const RATE: i64 = 20;\n\nfn round(value: i64) -> i64 {\n    value\n}\n\npub fn total(amount: i64, tax: i64) -> i64 {\n    round(amount + tax)\n}\n\npub struct Basket {\n    pub items: i64,\n}\n\nimpl Basket {\n    pub fn weigh(&self, unit: &str) -> i64 {\n        self.items + unit.len() as i64\n    }\n}\n\n// end of the file\n',
    'src/cart.rs':
      'use crate::price::{total, Basket, RATE};\n\npub fn checkout(basket: &Basket) -> i64 {\n    let start = basket.items;\n    let one = 1;\n    let two = 2;\n    start + one + two + total(1, RATE)\n}\n',
    'src/report.rs':
      'pub struct Crate;\n\nimpl Crate {\n    pub fn weigh(&self) -> i64 {\n        1\n    }\n}\n\npub fn summary() -> i64 {\n    let first = 1;\n    let second = 2;\n    first + second\n}\n',
  },
  anchor: '    let one = 1;\n',
  call: '    let _more = total(3, 4);\n',
  methodCall: '    let _weight = basket.weigh("kg");\n',
  constantUse: '    let _rate = RATE * 2;\n',
  renameFunction: ['pub fn total(', 'pub fn sum('],
  removeFunction: ['pub fn total(amount: i64, tax: i64) -> i64 {\n    round(amount + tax)\n}\n', ''],
  requiredParameter: ['tax: i64) -> i64 {', 'tax: i64, currency: &str) -> i64 {'],
  fewerParameters: ['amount: i64, tax: i64', 'amount: i64'],
  renameMethod: ['fn weigh(&self, unit', 'fn measure(&self, unit'],
  otherValue: ['i64 = 20', 'i64 = 25'],
  otherResult: ['tax: i64) -> i64 {', 'tax: i64) -> String {'],
  otherBody: ['    round(amount + tax)', '    round(amount * (1 + tax))'],
  renamePrivate: ['fn round(', 'fn round_up('],
  optionalParameter: null,
  added: ['pub const RATE: i64 = 20;\n', 'pub const RATE: i64 = 20;\n\npub fn discount() -> i64 {\n    1\n}\n'],
  addedAgain: ['// end of the file\n', 'pub fn discount() -> i64 {\n    2\n}\n'],
  comment: '    // the total of all, as total() gives it\n',
  text: '    let _label = "total(1, 2)";\n',
  ownFunction: '\nfn total() -> i64 {\n    7\n}\n\npub fn seven() -> i64 {\n    total()\n}\n',
  shadowed: '\npub fn other(total: i64) -> i64 {\n    total + 1\n}\n',
  otherClassCall: '\npub fn heavy(crate_: &Crate) -> i64 {\n    crate_.weigh()\n}\n',
};

function ofDialect(d: Dialect): readonly ClashScenario[] {
  const after = (line: string): Edits => ({ [d.caller]: [d.anchor, d.anchor + line] });
  const append = (path: string, text: string): Edits => ({ [path]: `${d.base[path] ?? ''}${text}` });
  const library = (edit: readonly [string, string]): Edits => ({ [d.library]: edit });
  const scenario = (title: string, expected: ClashKind | null, ours: Edits, theirs: Edits): ClashScenario => ({
    title: `${d.name}: ${title}`,
    expected,
    base: d.base,
    ours,
    theirs,
  });
  return [
    scenario('a renamed function and a new call', 'renamed', library(d.renameFunction), after(d.call)),
    scenario('a new call and a renamed function', 'renamed', after(d.call), library(d.renameFunction)),
    scenario('a removed function and a new call', 'removed', library(d.removeFunction), after(d.call)),
    scenario('a new required parameter and a new call', 'signature', library(d.requiredParameter), after(d.call)),
    scenario('a removed parameter and a new call', 'signature', library(d.fewerParameters), after(d.call)),
    scenario('another result and a new call', 'signature', library(d.otherResult), after(d.call)),
    scenario('a renamed method and a new call', 'renamed', library(d.renameMethod), after(d.methodCall)),
    scenario('another value and a new use', 'value', library(d.otherValue), after(d.constantUse)),
    scenario('one symbol added twice', 'duplicate', library(d.added), library(d.addedAgain)),
    scenario('another body and a new call', null, library(d.otherBody), after(d.call)),
    scenario('a renamed private function and a new call of another', null, library(d.renamePrivate), after(d.call)),
    scenario('a renamed function and its name in a comment', null, library(d.renameFunction), after(d.comment)),
    scenario('a renamed function and its name in a string', null, library(d.renameFunction), after(d.text)),
    scenario(
      'a renamed function and another of that name in another file',
      null,
      library(d.renameFunction),
      append(d.other, d.ownFunction),
    ),
    scenario(
      'a renamed function and a parameter of that name',
      null,
      library(d.renameFunction),
      append(d.caller, d.shadowed),
    ),
    scenario(
      'a renamed method and that method of another type',
      null,
      library(d.renameMethod),
      append(d.other, d.otherClassCall),
    ),
    scenario('a new function and a new call of another', null, library(d.added), after(d.call)),
    ...(d.optionalParameter === null
      ? []
      : [scenario('a new optional parameter and a new call', null, library(d.optionalParameter), after(d.call))]),
  ];
}

const t = typescript.base;
const shape = 'export interface Shape {\n  width: number;\n}\n\nexport const square = (): Shape => ({ width: 1 });\n';

const events = {
  'src/orders.ts':
    "declare function emit(name: string): void;\n\nexport function place(): void {\n  emit('order.created');\n}\n",
  'src/mails.ts':
    "declare function on(name: string, act: () => void): void;\n\non('order.created', () => undefined);\n\n// end of the file\n",
  'src/other.ts': 'export const none = 0;\n',
  'web/page.css': '.price-tag {\n  color: red;\n}\n',
  'web/page.html': '<p class="price-tag big">1</p>\n\n<footer></footer>\n',
  'settings.yaml': 'mail:\n  sender_name: shop\n',
  'src/settings.ts': "export const sender = (all: Record<string, string>) => all['sender_name'];\n",
};
const listener =
  "declare function on(name: string, act: () => void): void;\n\nexport const none = 0;\non('order.created', () => undefined);\n";

const TEXTS: readonly ClashScenario[] = [
  {
    title: 'an event that got another name and a new listener',
    expected: 'text',
    base: events,
    ours: { 'src/orders.ts': ['order.created', 'order.placed'], 'src/mails.ts': ['order.created', 'order.placed'] },
    theirs: { 'src/other.ts': listener },
  },
  {
    title: 'a CSS class that got another name and a new element',
    expected: 'text',
    base: events,
    ours: { 'web/page.css': ['price-tag', 'price-label'], 'web/page.html': ['price-tag', 'price-label'] },
    theirs: { 'web/page.html': ['<footer></footer>', '<footer class="price-tag"></footer>'] },
  },
  {
    title: 'a configuration key that got another name and a new reader',
    expected: 'text',
    base: events,
    ours: { 'settings.yaml': ['sender_name', 'from_name'], 'src/settings.ts': ['sender_name', 'from_name'] },
    theirs: {
      'src/other.ts':
        "export const none = 0;\nexport const again = (all: Record<string, string>) => all['sender_name'];\n",
    },
  },
  {
    title: 'an event that got another name in one of its two places and a new listener',
    expected: null,
    base: events,
    ours: { 'src/orders.ts': ['order.created', 'order.placed'] },
    theirs: { 'src/other.ts': listener },
  },
  {
    title: 'an event that got another name and a function of the old name',
    expected: null,
    base: {
      ...events,
      'src/a.ts': "export const names = ['created'];\n",
      'src/b.ts': "export const again = 'created';\n",
    },
    ours: { 'src/a.ts': ["'created'", "'placed'"], 'src/b.ts': ["'created'", "'placed'"] },
    theirs: { 'src/other.ts': 'export const none = 0;\nexport const created = (): number => none;\n' },
  },
];

const MORE: readonly ClashScenario[] = [
  {
    title: 'TypeScript: a moved file and a new import',
    expected: 'moved_file',
    base: t,
    ours: {
      'src/price.ts': null,
      'src/money/price.ts': t['src/price.ts']!,
      'src/cart.ts': ["'./price.ts'", "'./money/price.ts'"],
    },
    theirs: {
      'src/report.ts': `import { total } from './price.ts';\n\n${t['src/report.ts']!}\nexport const sum = total(1, 2);\n`,
    },
  },
  {
    title: 'Python: a moved file and a new import',
    expected: 'moved_file',
    base: python.base,
    ours: {
      'shop/price.py': null,
      'shop/money.py': python.base['shop/price.py']!,
      'shop/cart.py': ['shop.price', 'shop.money'],
    },
    theirs: {
      'shop/report.py': `from shop.price import total\n\n\n${python.base['shop/report.py']!}\n\nSUM = total(1, 2)\n`,
    },
  },
  {
    title: 'TypeScript: a symbol that is no longer exported and a new import',
    expected: 'unexported',
    base: t,
    ours: {
      'src/price.ts': ['export class Basket', 'class Basket'],
      'src/cart.ts': ['import { Basket, RATE', 'import { RATE'],
    },
    theirs: {
      'src/report.ts': `import { Basket } from './price.ts';\n\n${t['src/report.ts']!}\nexport const basket = new Basket();\n`,
    },
  },
  {
    title: 'TypeScript: a new required member and a new literal',
    expected: 'type',
    base: { 'src/shape.ts': shape, 'src/use.ts': 'export const none = 0;\n' },
    ours: {
      'src/shape.ts': shape
        .replace('  width: number;\n', '  width: number;\n  height: number;\n')
        .replace('width: 1', 'width: 1, height: 1'),
    },
    theirs: {
      'src/use.ts':
        "import type { Shape } from './shape.ts';\n\nexport const none = 0;\nexport const flat: Shape = { width: 2 };\n",
    },
  },
  {
    title: 'TypeScript: a new optional member and a new literal',
    expected: null,
    base: { 'src/shape.ts': shape, 'src/use.ts': 'export const none = 0;\n' },
    ours: { 'src/shape.ts': shape.replace('  width: number;\n', '  width: number;\n  height?: number;\n') },
    theirs: {
      'src/use.ts':
        "import type { Shape } from './shape.ts';\n\nexport const none = 0;\nexport const flat: Shape = { width: 2 };\n",
    },
  },
  {
    title: 'TypeScript: a function moved behind a re-export that is kept and a new import',
    expected: null,
    base: t,
    ours: {
      'src/sums.ts':
        'export function total(amount: number, tax: number): number {\n  return Math.round(amount + tax);\n}\n',
      'src/price.ts': [
        'export function total(amount: number, tax: number): number {\n  return round(amount + tax);\n}\n',
        "export { total } from './sums.ts';\n",
      ],
    },
    theirs: { 'src/cart.ts': [typescript.anchor, typescript.anchor + typescript.call] },
  },
  {
    title: 'TypeScript: a renamed function and a new call under an alias',
    expected: 'renamed',
    base: t,
    ours: { 'src/price.ts': typescript.renameFunction, 'src/cart.ts': ['total(1, RATE)', 'sum(1, RATE)'] },
    theirs: {
      'src/report.ts': `import { total as add } from './price.ts';\n\n${t['src/report.ts']!}\nexport const three = add(1, 2);\n`,
    },
  },
  {
    title: 'TypeScript: a renamed function and a new call over a namespace',
    expected: 'renamed',
    base: t,
    ours: { 'src/price.ts': typescript.renameFunction },
    theirs: {
      'src/report.ts': `import * as price from './price.ts';\n\n${t['src/report.ts']!}\nexport const three = price.total(1, 2);\n`,
    },
  },
  {
    title: 'TypeScript: a widened parameter and a new call',
    expected: null,
    base: t,
    ours: { 'src/price.ts': ['amount: number, tax: number', 'amount: number | bigint, tax: number'] },
    theirs: { 'src/cart.ts': [typescript.anchor, typescript.anchor + typescript.call] },
  },
  {
    title: 'two migrations with one number',
    expected: 'migration',
    base: { 'db/migrations/0001_start.sql': 'create table a(id int);\n' },
    ours: { 'db/migrations/0002_users.sql': 'create table users(id int);\n' },
    theirs: { 'db/migrations/0002_orders.sql': 'create table orders(id int);\n' },
  },
  {
    title: 'two migrations with different numbers',
    expected: null,
    base: { 'db/migrations/0001_start.sql': 'create table a(id int);\n' },
    ours: { 'db/migrations/0002_users.sql': 'create table users(id int);\n' },
    theirs: { 'db/migrations/0003_orders.sql': 'create table orders(id int);\n' },
  },
  {
    title: 'Go: one function added in two files of a package',
    expected: 'duplicate',
    base: go.base,
    ours: { 'price/a.go': 'package price\n\nfunc Discount() int {\n\treturn 1\n}\n' },
    theirs: { 'price/b.go': 'package price\n\nfunc Discount() int {\n\treturn 2\n}\n' },
  },
  {
    title: 'TypeScript: one function added in two modules',
    expected: null,
    base: t,
    ours: { 'src/a.ts': 'export function discount(): number {\n  return 1;\n}\n' },
    theirs: { 'src/b.ts': 'export function discount(): number {\n  return 2;\n}\n' },
  },
];

export const CLASH_SCENARIOS: readonly ClashScenario[] = [typescript, python, go, rust]
  .flatMap(ofDialect)
  .concat(MORE, TEXTS);
