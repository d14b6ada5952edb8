const declarators = (statement: string, kind: string): string =>
  [
    `(${statement} (variable_declarator name: (identifier) @name) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @${kind}) @statement`,
    `(${statement} (variable_declarator name: (array_pattern (identifier) @name)) @${kind}) @statement`,
  ].join('\n');

/** Tree-sitter query for the definitions that JavaScript and TypeScript have in common. */
const ECMASCRIPT_BASE = `
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
((call_expression function: (identifier) @callee arguments: (arguments . [(string) (template_string)] .)) @import (#eq? @callee "require"))
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

const members = '[(property_identifier) (private_property_identifier)]';

export const TYPESCRIPT_NAMES = [...ECMASCRIPT_NAMES, 'type_identifier'];

export const TYPESCRIPT = `
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body name: ${members} @name @enum_member)
(enum_body (enum_assignment name: ${members} @name) @enum_member)
(function_signature name: (identifier) @name) @function
(abstract_method_signature name: ${members} @name) @method
(method_signature name: ${members} @name) @method
(public_field_definition name: ${members} @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: ${members} @name) @field
(interface_body (property_signature name: ${members} @name) @property)
(type_alias_declaration value: (object_type (property_signature name: ${members} @name) @property))
(internal_module name: [(identifier) (nested_identifier)] @name) @module
(module name: (identifier) @name) @module
${ECMASCRIPT_BASE}
`;
