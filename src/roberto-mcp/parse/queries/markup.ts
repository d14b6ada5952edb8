export const CSS = `
(class_selector (class_name) @name) @selector
(id_selector (id_name) @name) @id
(keyframes_statement (keyframes_name) @name) @selector
((declaration (property_name) @name) @variable (#match? @name "^--"))
((plain_value) @words (#match? @words "^--"))
((property_name) @words (#match? @words "^--"))
(import_statement) @import
`;
export const CSS_NAMES = ['class_name', 'id_name', 'keyframes_name'];

export const HTML = `
((attribute (attribute_name) @attribute (quoted_attribute_value (attribute_value) @name)) @id (#eq? @attribute "id"))
((attribute (attribute_name) @attribute (quoted_attribute_value (attribute_value) @words)) (#eq? @attribute "class"))
((attribute (attribute_name) @attribute (quoted_attribute_value (attribute_value) @words)) (#eq? @attribute "id"))
((tag_name) @words (#match? @words "^[A-Z]|-"))
`;
export const HTML_NAMES: readonly string[] = [];

export const JSON_KEYS = '(pair key: (string (string_content) @name)) @key';
export const YAML_KEYS = `
(block_mapping_pair key: (flow_node) @name) @key
`;
export const TOML_KEYS = `
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @key
`;
