export const C_BASE = `
(function_definition declarator: (_) @declarator) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @enum_member
(type_definition declarator: (_) @declarator) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
(declaration declarator: (function_declarator) @declarator) @prototype
(declaration declarator: (pointer_declarator declarator: (function_declarator)) @declarator) @prototype
(declaration declarator: (init_declarator declarator: (_) @declarator)) @variable
(declaration declarator: [(identifier) (array_declarator) (pointer_declarator)] @declarator) @variable
(preproc_include) @import
`;

export const C = `
${C_BASE}
(field_declaration declarator: (_) @declarator) @field
`;

export const C_NAMES = ['identifier', 'field_identifier', 'type_identifier', 'statement_identifier'];
