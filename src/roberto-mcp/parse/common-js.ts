import type { Node } from 'web-tree-sitter';
import type { ExportEntry, ImportedName, ImportEntry } from './extraction.ts';

const plain = (name: string): ImportedName => ({ name, alias: name });
/** The names of a module object: all exports as properties, or the one value that the module exports. */
const whole = (alias: string): readonly ImportedName[] => [
  { name: '*', alias },
  { name: 'default', alias },
];
const REEXPORT_ALL: readonly ImportedName[] = [plain('*'), plain('default')];

const unquoted = (text: string): string => text.replace(/^(["'`])(.*)\1$/su, '$2');
const isFunction = ({ type }: Node): boolean =>
  /^(?:arrow_function|class|(?:generator_)?function(?:_expression)?)$/u.test(type);
const isSame = (a: Node | null, b: Node): boolean => a?.id === b.id;

/** Returns the names that a destructuring pattern takes from an object. */
function patternNames(pattern: Node): readonly ImportedName[] {
  return pattern.namedChildren.flatMap((child): readonly ImportedName[] => {
    if (child === null) return [];
    switch (child.type) {
      case 'shorthand_property_identifier_pattern':
        return [plain(child.text)];
      case 'object_assignment_pattern':
        return [plain(child.childForFieldName('left')?.text ?? '')];
      case 'pair_pattern': {
        const value = child.childForFieldName('value');
        const target = value?.type === 'assignment_pattern' ? value.childForFieldName('left') : value;
        const name = unquoted(child.childForFieldName('key')?.text ?? '');
        return [{ name, alias: target?.type === 'identifier' ? target.text : name }];
      }
      case 'rest_pattern':
        return whole(child.namedChildren[0]?.text ?? '');
      default:
        return [];
    }
  });
}

const bound = (target: Node | null): readonly ImportedName[] =>
  target === null
    ? []
    : target.type === 'object_pattern'
      ? patternNames(target)
      : target.type === 'identifier'
        ? whole(target.text)
        : [];

/** What an assignment's target is: the whole export of the module, one export of it, or neither. */
type Target = { readonly of: 'module' } | { readonly of: 'name'; readonly name: string } | null;

/** Recognises `module.exports`, `exports`, and their properties. `aliases` are other names of the exported value. */
function exportTarget(left: Node, aliases: ReadonlySet<string> = new Set()): Target {
  const isModule = (text: string): boolean => /^(?:module\s*\.\s*)?exports$/u.test(text) || aliases.has(text);
  if (/^(?:module\s*\.\s*)?exports$/u.test(left.text)) return { of: 'module' };
  const object = left.childForFieldName('object');
  if (object === null || !isModule(object.text)) return null;
  if (left.type === 'member_expression') return { of: 'name', name: left.childForFieldName('property')?.text ?? '' };
  const index = left.childForFieldName('index');
  return left.type === 'subscript_expression' && index?.type === 'string'
    ? { of: 'name', name: unquoted(index.text) }
    : null;
}

/** Returns the export that an expression is assigned to, directly or as a property of the exported object. */
function exportOf(value: Node): Target {
  const { parent } = value;
  if (parent === null) return null;
  if (parent.type === 'assignment_expression' && isSame(parent.childForFieldName('right'), value)) {
    const left = parent.childForFieldName('left');
    return (left === null ? null : exportTarget(left)) ?? exportOf(parent);
  }
  if (parent.type === 'pair' && parent.parent !== null) {
    const name = unquoted(parent.childForFieldName('key')?.text ?? '');
    return exportOf(parent.parent)?.of === 'module' ? { of: 'name', name } : null;
  }
  return parent.type === 'spread_element' && parent.parent !== null && exportOf(parent.parent)?.of === 'module'
    ? { of: 'module' }
    : null;
}

interface CallNames {
  readonly names: readonly ImportedName[];
  readonly reexport: boolean;
}

/** Returns the names that the callback of `import(…).then(callback)` takes from the module. */
function callbackNames(call: Node | null): readonly ImportedName[] {
  const callback = call?.childForFieldName('arguments')?.namedChildren[0] ?? null;
  if (callback === null || !isFunction(callback)) return [];
  const parameters = callback.childForFieldName('parameters')?.namedChildren[0] ?? null;
  const first = callback.childForFieldName('parameter') ?? parameters;
  return bound(first?.type === 'required_parameter' ? first.childForFieldName('pattern') : first);
}

function namesAround(call: Node): CallNames {
  let node = call;
  while (node.parent !== null && /^(?:await_expression|parenthesized_expression)$/u.test(node.parent.type))
    node = node.parent;
  const { parent } = node;
  const exported = exportOf(node);
  if (exported !== null)
    return { reexport: true, names: exported.of === 'module' ? REEXPORT_ALL : [{ name: '*', alias: exported.name }] };
  if (parent?.type === 'member_expression' && isSame(parent.childForFieldName('object'), node)) {
    const name = parent.childForFieldName('property')?.text ?? '';
    if (name === 'then') return { reexport: false, names: callbackNames(parent.parent) };
    const handed = exportOf(parent);
    if (handed?.of === 'name') return { reexport: true, names: [{ name, alias: handed.name }] };
    const declared = parent.parent?.type === 'variable_declarator' ? parent.parent.childForFieldName('name') : null;
    return { reexport: false, names: [{ name, alias: declared?.type === 'identifier' ? declared.text : name }] };
  }
  if (parent?.type === 'variable_declarator')
    return { reexport: false, names: bound(parent.childForFieldName('name')) };
  if (parent?.type === 'assignment_expression')
    return { reexport: false, names: bound(parent.childForFieldName('left')) };
  return { reexport: false, names: [] };
}

/** Reads one `require(…)` or `import(…)` call, with the names that the expression around it takes from the module. */
export function readImportCall(call: Node): readonly ImportEntry[] {
  const argument = call.childForFieldName('arguments')?.namedChildren[0] ?? null;
  const module =
    argument !== null && /^(?:string|template_string)$/u.test(argument.type) ? unquoted(argument.text) : '';
  return module === '' ? [] : [{ module, row: call.startPosition.row, ...namesAround(call) }];
}

/** Returns the exports that an object literal lists. */
function objectExports(object: Node): readonly ExportEntry[] {
  return object.namedChildren.flatMap((child): readonly ExportEntry[] => {
    if (child?.type === 'shorthand_property_identifier') return [{ name: child.text, local: child.text, from: null }];
    const key = child?.childForFieldName(child.type === 'pair' ? 'key' : 'name') ?? null;
    if (child === null || key === null) return [];
    const name = unquoted(key.text);
    return [
      { name, local: valueName(name, child.type === 'pair' ? child.childForFieldName('value') : child), from: null },
    ];
  });
}

/** Returns the name under which the exported value is defined in the file, or an empty string if it is no definition. */
function valueName(name: string, value: Node | null): string {
  if (value === null) return '';
  if (value.type === 'identifier') return value.text;
  if (value.type === 'method_definition') return name;
  return isFunction(value) ? (value.childForFieldName('name')?.text ?? name) : '';
}

interface Assignment {
  readonly lefts: readonly Node[];
  readonly value: Node;
}

/** Splits `a = b = value` into its targets and its value. */
function unchain(assignment: Node): Assignment | null {
  const lefts: Node[] = [];
  let node: Node | null = assignment;
  while (node?.type === 'assignment_expression') {
    const left = node.childForFieldName('left');
    if (left !== null) lefts.push(left);
    node = node.childForFieldName('right');
  }
  return node === null ? null : { lefts, value: node };
}

/**
 * Returns the properties of an object that is a module's only or default export: `export default {…}`, `export = {…}`.
 * The name `default.a` stands for the property `a` of the default export.
 */
export function readExportedObject(statement: Node): readonly ExportEntry[] {
  const object = statement.namedChildren.find((child) => child?.type === 'object') ?? null;
  if (object === null) return [];
  return objectExports(object).map((entry) =>
    statement.childForFieldName('value') === null ? entry : { ...entry, name: `default.${entry.name}` },
  );
}

/** Reads `Object.assign(module.exports, {…})` and `Object.defineProperty(exports, 'name', …)`. */
function definedExports(call: Node): readonly ExportEntry[] {
  const callee = /^Object\s*\.\s*(assign|defineProperty)$/u.exec(call.childForFieldName('function')?.text ?? '')?.[1];
  const [target, ...values] = call.childForFieldName('arguments')?.namedChildren ?? [];
  if (callee === undefined || target === null || target === undefined || exportTarget(target)?.of !== 'module')
    return [];
  if (callee === 'assign') return values.flatMap((value) => (value?.type === 'object' ? objectExports(value) : []));
  const name = values[0]?.type === 'string' ? unquoted(values[0].text) : '';
  return name === '' ? [] : [{ name, local: '', from: null }];
}

/** Returns the CommonJS exports of a file. */
export function readCommonJsExports(root: Node): readonly ExportEntry[] {
  const expressions = root.namedChildren.flatMap((statement) =>
    statement?.type === 'expression_statement' ? (statement.namedChildren[0] ?? []) : [],
  );
  const assignments = expressions.flatMap((one) => unchain(one) ?? []).filter(({ lefts }) => lefts.length > 0);
  const aliases = new Set(
    assignments
      .filter(
        ({ lefts, value }) => value.type === 'identifier' && lefts.some((left) => exportTarget(left)?.of === 'module'),
      )
      .map(({ value }) => value.text),
  );
  const assigned = assignments.flatMap(({ lefts, value }) =>
    lefts.flatMap((left): readonly ExportEntry[] => {
      const target = exportTarget(left, aliases);
      if (target === null) return [];
      if (target.of === 'name') return [{ name: target.name, local: valueName(target.name, value), from: null }];
      if (value.type === 'object') return objectExports(value);
      // The index names an anonymous exported function or class after the property that it is assigned to.
      const local = isFunction(value) ? 'exports' : valueName('', value);
      return local === '' ? [] : [{ name: 'default', local, from: null }];
    }),
  );
  return [...assigned, ...expressions.filter(({ type }) => type === 'call_expression').flatMap(definedExports)];
}
