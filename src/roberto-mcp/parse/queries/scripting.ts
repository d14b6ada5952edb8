export const BASH = `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable @statement
(declaration_command (variable_assignment name: (variable_name) @name)) @variable @statement
((command name: (command_name (word) @callee)) @import (#any-of? @callee "source" "."))
`;

export const BASH_NAMES = ['variable_name', 'command_name', 'special_variable_name'];

export const LUA = `
(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression field: (identifier) @name)) @function
(function_declaration name: (method_index_expression method: (identifier) @name)) @method
(assignment_statement (variable_list name: (identifier) @name) (expression_list value: (function_definition))) @function
(assignment_statement (variable_list name: (dot_index_expression field: (identifier) @name)) (expression_list value: (function_definition))) @function
(variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @variable @statement
(assignment_statement (variable_list name: (identifier) @name)) @variable @statement
((function_call name: (identifier) @callee arguments: (arguments (string))) @import (#eq? @callee "require"))
`;

export const LUA_NAMES = ['identifier'];

export const PHP = `
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @enum_member
(const_declaration (const_element (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field
(namespace_definition name: (namespace_name) @package)
(namespace_use_declaration) @import
(include_expression) @import
(include_once_expression) @import
(require_expression) @import
(require_once_expression) @import
`;

export const PHP_NAMES = ['name'];

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

export const RUBY = `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (constant) @name) @class
(class name: (scope_resolution name: (constant) @name)) @class
(module name: (constant) @name) @module
(module name: (scope_resolution name: (constant) @name)) @module
(assignment left: (constant) @name) @constant
((call method: (identifier) @callee arguments: (argument_list . (string) .)) @import (#any-of? @callee "require" "require_relative" "load"))
`;

export const RUBY_NAMES = [
  'identifier',
  'constant',
  'instance_variable',
  'class_variable',
  'global_variable',
  'setter',
];
