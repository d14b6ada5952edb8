const assignments = (wrap: (inner: string) => string, kind: string): string =>
  [
    `(expression_statement (assignment left: (identifier) @name) @${kind})`,
    `(expression_statement (assignment left: (pattern_list (identifier) @name)) @${kind})`,
  ]
    .map(wrap)
    .join('\n');

export const PYTHON = `
(decorated_definition definition: (class_definition name: (identifier) @name)) @class
(decorated_definition definition: (function_definition name: (identifier) @name)) @function
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
${assignments((inner) => `(module ${inner})`, 'variable')}
${assignments((inner) => `(module (if_statement (block ${inner})))`, 'variable')}
${assignments((inner) => `(module (try_statement (block ${inner})))`, 'variable')}
${assignments((inner) => `(class_definition body: (block ${inner}))`, 'field')}
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
`;

export const PYTHON_NAMES = ['identifier'];
