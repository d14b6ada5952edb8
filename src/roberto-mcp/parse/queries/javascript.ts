const declarators = (statement: string, kind: string): string =>
  [
    `(${statement} (variable_declarator name: (identifier) @name) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (array_pattern (identifier) @name)) @${kind}) @statement`,
  ].join('\n');

/** Tree-sitter query for the definitions that JavaScript and TypeScript have in common. */
export const ECMASCRIPT_BASE = `
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class)) @class
${declarators('lexical_declaration kind: "const"', 'constant')}
${declarators('lexical_declaration kind: "let"', 'variable')}
${declarators('variable_declaration', 'variable')}
(import_statement) @import
(export_statement) @export
(call_expression function: (import)) @import
((call_expression function: (identifier) @callee arguments: (arguments . (string) .)) @import (#eq? @callee "require"))
`;

export const ECMASCRIPT_NAMES = [
  'identifier',
  'property_identifier',
  'private_property_identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
];

export const JAVASCRIPT = `
(class_declaration name: (identifier) @name) @class
(field_definition property: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @field
${ECMASCRIPT_BASE}`;
