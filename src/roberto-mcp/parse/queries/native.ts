const C_BASE = `
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

export const CPP = `
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(field_declaration declarator: (function_declarator) @declarator) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator)) @declarator) @method
(field_declaration declarator: (reference_declarator (function_declarator)) @declarator) @method
(field_declaration declarator: (_) @declarator) @field
(struct_specifier name: [(template_type) (qualified_identifier)] @name body: (_)) @struct
(declaration declarator: (reference_declarator (function_declarator)) @declarator) @prototype
${C_BASE}`;

export const CPP_NAMES = [...C_NAMES, 'namespace_identifier'];

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

export const RUST = `
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @enum_member
(field_declaration name: (field_identifier) @name) @field
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(impl_item type: (type_identifier) @name) @impl
(impl_item type: (generic_type type: (type_identifier) @name)) @impl
(impl_item type: (reference_type type: (type_identifier) @name)) @impl
(mod_item name: (identifier) @name body: (_)) @module
(mod_item !body) @import
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(use_declaration) @import
(extern_crate_declaration) @import
`;

export const RUST_NAMES = ['identifier', 'type_identifier', 'field_identifier', 'shorthand_field_identifier'];
