export const GO = `
(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_declaration (const_spec (identifier) @name) @constant) @statement
(var_declaration (var_spec (identifier) @name) @variable) @statement
(var_declaration (var_spec_list (var_spec (identifier) @name) @variable)) @statement
(field_declaration name: (field_identifier) @name) @field
(package_clause (package_identifier) @package)
(import_spec) @import
`;

export const GO_NAMES = ['identifier', 'field_identifier', 'type_identifier', 'package_identifier'];
