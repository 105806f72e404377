"""How each language spells declarations and imports: node types and words, in one table.

The node types are those of the individual tree-sitter grammars named here.
"""

from __future__ import annotations

from holdfast.core.record import NamedTuple


class Grammar(NamedTuple):
    """One language's table."""

    module: str  # the wheel's module
    function: str = "language"
    items: str = ""  # node types that declare a name
    owners: str = ""  # those of them whose members are listed too
    members: str = ""  # node types of members
    containers: str = ""  # node types that are looked into
    bodies: str = ""  # node types of bodies that have no field name
    hidden: str = ""  # an expression; a declaration whose modifiers match is not public
    public: str = ""  # an expression; only declarations whose modifiers match are public
    noise: str = ""  # an expression for words left out of signatures
    imports: str = ""  # an expression over the text of an import, its group the name
    import_nodes: str = ""  # node types of imports
    joint: str = "."  # between an owner and its member

    def types(self, field: str) -> frozenset[str]:
        """The node types listed in a field."""
        return frozenset(getattr(self, field).split())


_PRIVATE = r"\b(?:private|protected|internal|fileprivate)\b"
_JAVA_NOISE = r"@\w+(?:\([^)]*\))?|\b(?:public|static|final|abstract|synchronized|default|native|sealed|strictfp)\b"
_PREPROCESSOR = "preproc_if preproc_ifdef preproc_else preproc_elif linkage_specification declaration_list"

GRAMMARS = {
    "Go": Grammar("tree_sitter_go"),
    "TypeScript": Grammar("tree_sitter_typescript", "language_typescript"),
    "TSX": Grammar("tree_sitter_typescript", "language_tsx"),
    "JavaScript": Grammar("tree_sitter_javascript"),
    "C": Grammar("tree_sitter_c", containers=_PREPROCESSOR),
    "C++": Grammar("tree_sitter_cpp", containers=_PREPROCESSOR + " namespace_definition template_declaration"),
    "Rust": Grammar(
        "tree_sitter_rust",
        items="function_item struct_item enum_item trait_item type_item const_item static_item union_item "
        "macro_definition mod_item",
        members="function_item",
        owners="impl_item",
        public=r"\bpub\b",
        noise=r"\bpub(?:\([^)]*\))?\s|\bfn\s",
        import_nodes="use_declaration mod_item",
        imports=r"^(?:pub(?:\([^)]*\))?\s+)?(?:use\s+([^;]+);|mod\s+(\w+)\s*;)",
        joint="::",
    ),
    "Java": Grammar(
        "tree_sitter_java",
        items="class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
        owners="class_declaration interface_declaration enum_declaration record_declaration",
        members="method_declaration constructor_declaration",
        hidden=_PRIVATE,
        noise=_JAVA_NOISE,
        import_nodes="import_declaration",
        imports=r"import\s+(?:static\s+)?([\w.]+)",
        joint=": ",
    ),
    "C#": Grammar(
        "tree_sitter_c_sharp",
        items="class_declaration interface_declaration enum_declaration record_declaration struct_declaration "
        "delegate_declaration",
        owners="class_declaration interface_declaration record_declaration struct_declaration",
        members="method_declaration constructor_declaration property_declaration",
        containers="namespace_declaration file_scoped_namespace_declaration declaration_list",
        hidden=_PRIVATE,
        bodies="accessor_list arrow_expression_clause",
        noise=r"\b(?:public|static|readonly|sealed|abstract|virtual|override|async|partial|unsafe|extern|new)\b|\[[^\]]*\]\s",
        import_nodes="using_directive",
        imports=r"using\s+(?:static\s+|\w+\s*=\s*)?([\w.]+)\s*;",
        joint=": ",
    ),
    "Ruby": Grammar(
        "tree_sitter_ruby",
        items="class module method singleton_method",
        owners="class module",
        members="class module method singleton_method",
        containers="body_statement",
        noise=r"^def\s+(?:self\.)?|[;\s]*\bend\s*$",
        import_nodes="call",
        imports=r"""^(require(?:_relative)?\s*\(?\s*["'][^"']+)""",
        joint=".",
    ),
    "PHP": Grammar(
        "tree_sitter_php",
        "language_php",
        items="class_declaration interface_declaration trait_declaration enum_declaration function_definition",
        owners="class_declaration interface_declaration trait_declaration enum_declaration",
        members="method_declaration",
        containers="namespace_definition compound_statement",
        hidden=r"\b(?:private|protected)\b",
        noise=r"\b(?:public|static|final|abstract|readonly|function)\b",
        import_nodes="namespace_use_declaration expression_statement",
        imports=r"""^(?:use\s+(?:function\s+|const\s+)?([\w\\]+)|(?:require|include)(?:_once)?\s*\(?\s*(["'][^"']+))""",
        joint="::",
    ),
    "Kotlin": Grammar(
        "tree_sitter_kotlin",
        items="class_declaration object_declaration function_declaration",
        owners="class_declaration object_declaration",
        members="function_declaration",
        bodies="class_body function_body enum_class_body",
        hidden=_PRIVATE,
        noise=r"@\w+(?:\([^)]*\))?|\b(?:public|override|open|suspend|inline|operator|fun)\b",
        import_nodes="import",
        imports=r"import\s+([\w.]+)",
    ),
    "Swift": Grammar(
        "tree_sitter_swift",
        items="class_declaration protocol_declaration function_declaration",
        owners="class_declaration protocol_declaration",
        members="function_declaration init_declaration protocol_function_declaration",
        hidden=r"\b(?:private|fileprivate)\b",
        noise=r"@\w+(?:\([^)]*\))?|\b(?:public|open|internal|final|static|override|mutating|func)\b",
        import_nodes="import_declaration",
        imports=r"import\s+(?:class\s+|struct\s+|func\s+)?(\w+)",
    ),
}
