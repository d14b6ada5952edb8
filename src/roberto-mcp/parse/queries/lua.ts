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
