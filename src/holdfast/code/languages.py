"""Every language of source files: one record each, in one table. Add a language here.

A file's language decides whether it is source, how it is parsed, which of its names are public, where its imports lead
and which file speaks for a directory. `grammar` names a tree-sitter grammar; but for Python's they are an extra, and
without its grammar a file keeps its name and language. Files of a language without a grammar count as source
and are not analysed. The node types are those of the grammar named.
"""

from __future__ import annotations

from typing import NamedTuple


class Grammar(NamedTuple):
    """How a grammar spells declarations and imports. Lists of node types and words are separated by blanks."""

    module: str  # the module of the grammar's wheel
    function: str = "language"
    items: str = ""  # node types that declare a name
    owners: str = ""  # those of them whose members are listed too
    members: str = ""  # node types of members
    containers: str = ""  # node types that are looked into
    bodies: str = ""  # node types of bodies that have no field name
    hidden: str = ""  # words; a declaration with one of them among its modifiers is not public
    inner: str = ""  # words; a declaration with one of them is public inside its module and nowhere else
    values: str = ""  # node types that declare constants, variables or properties
    constants: str = ""  # words; of the values among members only those with one of them are exported
    cut: str = ""  # node types left out of signatures
    noise: str = ""  # words left out of signatures, before the first parenthesis
    import_nodes: str = ""  # node types of imports
    imports: str = ""  # a pattern over the text of an import, its group the name; in ASCII mode, possessive throughout
    package_nodes: str = ""  # node types that declare the package or namespace of a file
    joint: str = "."  # between an owner and its member


def listed(text: str) -> frozenset[str]:
    """The node types or words of a field; made once for each text."""
    found = _lists.get(text)
    if found is None:
        found = _lists[text] = frozenset(text.split())
    return found


_lists: dict[str, frozenset[str]] = {}


class Language(NamedTuple):
    """One language."""

    name: str
    extensions: str  # in lower case
    grammar: Grammar = Grammar("")  # without one, files of the language count as source and are not analysed
    analyser: str = "syntax"  # the module of holdfast.code.analysis that reads a file
    imports: str = "package"  # where an import leads: a rule of holdfast.contexts.import_rules
    standard: str = ""  # the first words of what comes with the language and is no dependency
    entries: tuple[tuple[str, int], ...] = ()  # files that speak for their directory, the smallest number first
    keywords: str = ""  # words that may precede the name in a signature
    types: str = ""  # those of them that declare a type


_NODE = (
    "assert async_hooks buffer child_process cluster console constants crypto dgram dns domain events fs http http2 "
    "https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder "
    "sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib"
)
# Of every supported Python, so that the same source has the same dependencies whichever of them looks.
_PYTHON = (
    "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb "
    "binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys "
    "compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses "
    "dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler "
    "fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib "
    "grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json "
    "keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib "
    "msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev "
    "pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty "
    "pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter "
    "runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver "
    "spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau "
    "symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit "
    "tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata "
    "unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp "
    "zipfile zipimport zlib zoneinfo __future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 "
    "_bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections "
    "_collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel "
    "_datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib "
    "_heapq _hmac _imp _interpchannels _interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma "
    "_markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _opcode_metadata _operator _osx_support "
    "_overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _queue "
    "_random _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat "
    "_statistics _string _strptime _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter "
    "_tokenize _tracemalloc _types _typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo _zstd"
)
_PRIVATE = "private protected fileprivate"
_PREPROCESSOR = "preproc_if preproc_ifdef preproc_else preproc_elif linkage_specification declaration_list"

_TYPESCRIPT = Language(
    "TypeScript",
    "ts mts cts",
    Grammar("tree_sitter_typescript", "language_typescript"),
    "javascript",
    "javascript",
    _NODE,
    (("index.ts", 1),),
    "export default abstract async class interface type enum const var let static function",
    "class interface enum",
)
_OCAML = Language(
    "OCaml",
    "ml",
    Grammar("tree_sitter_ocaml", "language_ocaml"),
    "ocaml",
    "ocaml",
    "Stdlib List String Array Printf Hashtbl Map Set Sys Unix Format Buffer Bytes Option Result Seq Fun Lazy",
    keywords="let val type exception module class",
)

_TABLE = (
    Language(
        "Python",
        "py pyi",
        Grammar("tree_sitter_python"),
        analyser="python",
        imports="python",
        standard=_PYTHON,
        entries=(("__init__.py", 0),),
        keywords="class async def type",
        types="class",
    ),
    _TYPESCRIPT,
    _TYPESCRIPT._replace(
        name="TSX",
        extensions="tsx",
        grammar=_TYPESCRIPT.grammar._replace(function="language_tsx"),
        entries=(("index.tsx", 2),),
    ),
    _TYPESCRIPT._replace(
        name="JavaScript",
        extensions="js jsx mjs cjs",
        grammar=Grammar("tree_sitter_javascript"),
        entries=(("index.js", 3),),
        types="class",
    ),
    Language(
        "Go",
        "go",
        Grammar("tree_sitter_go"),
        analyser="go",
        imports="go",
        entries=(("doc.go", 6),),
        keywords="type const var func",
    ),
    Language(
        "Rust",
        "rs",
        Grammar("tree_sitter_rust"),
        "rust",
        imports="rust",
        standard="std core alloc proc_macro test",
        entries=(("mod.rs", 4), ("lib.rs", 5), ("main.rs", 10)),
        keywords="struct enum trait type const static mod union fn unsafe async macro use",
        types="struct enum trait",
    ),
    Language(
        "Java",
        "java",
        Grammar(
            "tree_sitter_java",
            items="class_declaration interface_declaration enum_declaration record_declaration "
            "annotation_type_declaration",
            owners="class_declaration interface_declaration enum_declaration record_declaration",
            members="method_declaration constructor_declaration annotation_type_element_declaration",
            values="field_declaration constant_declaration",
            constants="final",
            hidden=_PRIVATE,
            cut="annotation marker_annotation",
            noise="public static final abstract synchronized default native sealed strictfp",
            package_nodes="package_declaration",
            import_nodes="import_declaration",
            imports=r"(?a)import\s++((?:static\s++)?+[\w.\x80-\U0010ffff]++(?:\*)?+)",
            joint=": ",
        ),
        imports="jvm",
        standard="java javax jdk sun",
        entries=(("package-info.java", 7),),
        keywords="class interface enum record",
        types="class interface enum record",
    ),
    Language(
        "C",
        "c h",
        Grammar("tree_sitter_c", containers=_PREPROCESSOR),
        analyser="c_family",
        imports="include",
        keywords="typedef struct enum union",
        types="struct enum",
    ),
    Language(
        "C++",
        "cc cpp cxx hpp hh hxx",
        Grammar("tree_sitter_cpp", containers=_PREPROCESSOR + " namespace_definition template_declaration"),
        analyser="c_family",
        imports="include",
        keywords="typedef struct class enum union",
        types="struct class enum",
    ),
    Language(
        "C#",
        "cs",
        Grammar(
            "tree_sitter_c_sharp",
            items="class_declaration interface_declaration enum_declaration record_declaration struct_declaration "
            "delegate_declaration",
            owners="class_declaration interface_declaration record_declaration struct_declaration",
            members="method_declaration constructor_declaration property_declaration",
            values="field_declaration",
            constants="const readonly",
            containers="namespace_declaration file_scoped_namespace_declaration declaration_list",
            hidden=_PRIVATE,
            inner="internal",
            cut="attribute_list",
            bodies="accessor_list arrow_expression_clause",
            noise="public static readonly sealed abstract virtual override async partial unsafe extern new",
            package_nodes="namespace_declaration file_scoped_namespace_declaration",
            import_nodes="using_directive",
            imports=r"(?a)using\s++((?:static\s++|[\w\x80-\U0010ffff]++\s*+=\s*+)?+[\w.\x80-\U0010ffff]++)\s*+;",
            joint=": ",
        ),
        imports="csharp",
        standard="System",
        keywords="class interface enum record struct",
        types="class interface enum record struct",
    ),
    Language(
        "Ruby",
        "rb",
        Grammar(
            "tree_sitter_ruby",
            import_nodes="call",
            imports=r"""(?a)^(require(?:_relative)?+\s*+\(?+\s*+["'][^"']++)""",
        ),
        "ruby",
        imports="ruby",
        standard="json set time date yaml csv erb fileutils pathname optparse ostruct net securerandom tempfile uri",
        keywords="class module def",
        types="class",
    ),
    Language(
        "PHP",
        "php",
        Grammar(
            "tree_sitter_php",
            "language_php",
            items="class_declaration interface_declaration trait_declaration enum_declaration function_definition",
            owners="class_declaration interface_declaration trait_declaration enum_declaration",
            members="method_declaration",
            values="const_declaration",
            containers="namespace_definition compound_statement",
            hidden="private protected",
            cut="attribute_list visibility_modifier static_modifier final_modifier abstract_modifier readonly_modifier",
            noise="function",
            package_nodes="namespace_definition",
            import_nodes="namespace_use_declaration expression_statement",
            joint="::",
        ),
        "php",
        "php",
        keywords="class interface trait enum function",
        types="class interface trait enum",
    ),
    Language(
        "Kotlin",
        "kt kts",
        Grammar(
            "tree_sitter_kotlin",
            items="class_declaration object_declaration function_declaration type_alias",
            owners="class_declaration object_declaration",
            members="function_declaration",
            values="property_declaration",
            containers="companion_object",
            bodies="class_body function_body enum_class_body getter setter",
            hidden=_PRIVATE,
            inner="internal",
            cut="annotation",
            noise="public override open suspend inline operator fun",
            package_nodes="package_header",
            import_nodes="import",
            imports=r"(?a)import\s++([\w.\x80-\U0010ffff]++(?:\*)?+)",
        ),
        imports="jvm",
        standard="java javax kotlin kotlinx",
        keywords="abstract class interface object enum data sealed const val var typealias",
        types="class interface object enum",
    ),
    Language(
        "Swift",
        "swift",
        Grammar(
            "tree_sitter_swift",
            items="class_declaration protocol_declaration function_declaration typealias_declaration",
            owners="class_declaration protocol_declaration",
            members="function_declaration init_declaration protocol_function_declaration typealias_declaration",
            values="property_declaration protocol_property_declaration",
            hidden="private fileprivate",
            cut="attribute",
            noise="public open internal final static override mutating func",
            import_nodes="import_declaration",
            imports=r"(?a)import\s++(?:class\s++|struct\s++|func\s++)?+([\w\x80-\U0010ffff]++)",
        ),
        imports="swift",
        standard="Foundation Swift SwiftUI UIKit AppKit Combine Darwin Dispatch XCTest",
        keywords="class struct enum protocol extension func var let typealias",
        types="class struct enum",
    ),
    Language(
        "Scala",
        "scala sc",
        Grammar(
            "tree_sitter_scala",
            items="class_definition object_definition trait_definition enum_definition function_definition "
            "function_declaration type_definition given_definition",
            owners="class_definition object_definition trait_definition enum_definition",
            members="function_definition function_declaration type_definition",
            values="val_definition var_definition val_declaration",
            hidden="private protected",
            cut="annotation",
            noise="override final implicit lazy inline sealed def",
            package_nodes="package_clause",
            import_nodes="import_declaration",
            imports=r"(?a)import\s++([\w.\x80-\U0010ffff]++(?:\{[^}]*+\}|\*)?+)",
        ),
        imports="jvm",
        standard="java javax scala",
        keywords="abstract case class object trait enum type val var given",
        types="class object trait enum",
    ),
    Language("Zig", "zig", Grammar("tree_sitter_zig"), "zig", "file", "std builtin root", keywords="const var"),
    Language("Lua", "lua", Grammar("tree_sitter_lua"), "lua", "lua", "string table math io os debug coroutine"),
    Language("Bash", "sh bash", Grammar("tree_sitter_bash"), "shell", "file"),
    Language("Elixir", "ex exs", Grammar("tree_sitter_elixir"), "elixir", "elixir", keywords="defmodule defprotocol"),
    _OCAML,
    _OCAML._replace(
        name="OCaml interface", extensions="mli", grammar=_OCAML.grammar._replace(function="language_ocaml_interface")
    ),
    Language("Clojure", "clj cljs cljc"),
    Language("Dart", "dart"),
    Language("Erlang", "erl hrl"),
    Language("F#", "fs fsx fsi"),
    Language("Fortran", "f90 f95 f03"),
    Language("Groovy", "groovy gradle"),
    Language("Haskell", "hs"),
    Language("Julia", "jl"),
    Language("Jupyter", "ipynb"),
    Language("Nim", "nim"),
    Language("Objective-C", "m mm"),
    Language("Perl", "pl pm"),
    Language("PowerShell", "ps1 psm1"),
    Language("R", "r"),
    Language("SQL", "sql"),
    Language("Solidity", "sol"),
    Language("Svelte", "svelte"),
    Language("Vue", "vue"),
    Language("Zsh", "zsh"),
)
LANGUAGES = {language.name: language for language in _TABLE if language.grammar.module}
_BY_EXTENSION = {
    extension: language.name for language in LANGUAGES.values() for extension in language.extensions.split(" ")
}
EXTENSIONS = frozenset(_BY_EXTENSION)
# The languages that are not analysed, by extension.
UNREAD = {
    extension: language.name
    for language in _TABLE
    if not language.grammar.module
    for extension in language.extensions.split(" ")
}


def extension_of(name: str) -> str:
    """The extension of a file in lower case; nothing without one."""
    _, dot, extension = name.rpartition(".")
    return extension.lower() if dot and extension.isascii() else ""


def language_of(name: str) -> str:
    """The language of a file by its name, or nothing."""
    return _BY_EXTENSION.get(extension_of(name), "")


# What the node types of all grammars declare: one word for each kind of symbol. A `value` is a symbol outside functions
# only; a `holder` gives its name to what is in it, and a `wrapper` its lines to the one declaration that it holds.
_KINDS = {
    "fn": "function_definition function_declaration generator_function_declaration method_definition method_signature "
    "abstract_method_signature method_declaration function_item function_signature_item constructor_declaration "
    "compact_constructor_declaration annotation_type_element_declaration method singleton_method init_declaration "
    "method_elem method_spec protocol_function_declaration delegate_declaration deinit_declaration "
    "secondary_constructor",
    "class": "class_definition class_declaration abstract_class_declaration class_specifier class",
    "interface": "interface_declaration protocol_declaration annotation_type_declaration",
    "trait": "trait_item trait_declaration trait_definition",
    "struct": "struct_item struct_specifier struct_declaration",
    "enum": "enum_item enum_specifier enum_declaration enum_definition",
    "union": "union_item union_specifier",
    "record": "record_declaration",
    "object": "object_declaration object_definition",
    "module": "mod_item module module_definition",
    "type": "type_spec type_alias type_alias_declaration type_alias_statement type_item type_definition "
    "typealias_declaration associated_type type_binding alias_declaration",
    "macro": "preproc_def preproc_function_def macro_definition",
    "value": "const_spec var_spec variable_declarator const_item static_item field_declaration constant_declaration "
    "const_element property_declaration val_definition var_definition given_definition public_field_definition "
    "field_definition value_definition enum_constant assignment assignment_statement variable_declaration "
    "property_signature enum_assignment enum_variant enumerator declaration",
    "assigned": "assignment_expression pair",
    "call": "call",
    "holder": "impl_item internal_module namespace_definition companion_object",
    "wrapper": "export_statement decorated_definition template_declaration lexical_declaration const_declaration "
    "var_declaration type_declaration ambient_declaration",
    "items": "macro_invocation",
    "attribute": "attribute_item decorator",
    "comment": "comment line_comment block_comment multiline_comment",
}
KINDS = {node: kind for kind, nodes in _KINDS.items() for node in nodes.split()}
