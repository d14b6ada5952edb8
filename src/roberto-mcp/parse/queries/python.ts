export const PYTHON = `
(decorated_definition definition: (class_definition name: (identifier) @name)) @class
(decorated_definition definition: (function_definition name: (identifier) @name)) @function
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
(expression_statement (assignment left: (identifier) @name) @variable) @statement
(expression_statement (assignment left: (pattern_list (identifier) @name)) @variable) @statement
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
`;

export const PYTHON_NAMES = ['identifier'];
