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
