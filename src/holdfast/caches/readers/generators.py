"""Documentation generators, one row each: how each is recognised, what pages hold, what is left out. Data only."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

# What a page may hold beside Markdown: tags of Liquid, `{{ expressions }}`, JSX, objects of Python by their names.
LIQUID, BRACES, JSX, AUTODOC = "liquid", "braces", "jsx", "autodoc"


class Generator(NamedTuple):
    """A documentation generator.

    `reader` is the name of the reader of its pages, which is recorded in documents and in the lock. `marks` are files
    beside or above the pages, one of which has to be there and, where `says` is given, contain one of its words; a mark
    is not looked for below a folder of the generators `below_none_of`. `navigation` is the file that has the titles of
    pages, seen from the folder of the mark, `values` those that have variables. Files and folders whose names are in
    `excluded`, or begin as `parts` do, are left out unless the sources name them.
    """

    reader: str
    title: str
    marks: tuple[str, ...]
    extensions: tuple[str, ...]
    traits: frozenset[str] = frozenset()
    says: tuple[str, ...] = ()
    below_none_of: tuple[str, ...] = ()
    navigation: str = ""
    values: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()


_MD, _MDX = (".md", ".markdown"), (".md", ".markdown", ".mdx")
_BLOG = frozenset(("blog", "_posts", "posts"))
_CONFIGS = (".js", ".ts", ".mjs", ".cjs", ".mts")

GENERATORS: tuple[Generator, ...] = (
    Generator(
        *("mkdocs-2", "MkDocs", ("mkdocs.yml", "mkdocs.yaml"), _MD, frozenset((LIQUID, BRACES, AUTODOC))),
        navigation="mkdocs.yml",
        values=("mkdocs.yml",),
        excluded=frozenset(("blog", "overrides", "theme")),
    ),
    Generator(
        *("docusaurus-1", "Docusaurus", tuple([f"docusaurus.config{end}" for end in _CONFIGS]), _MDX),
        frozenset((JSX,)),
        excluded=_BLOG | {"versioned_docs", "versioned_sidebars", "i18n"},
        parts=("_",),
    ),
    Generator(
        *("mdbook-1", "mdBook", ("book.toml",), _MD),
        navigation="src/SUMMARY.md",
        excluded=frozenset(("SUMMARY.md", "first-edition", "second-edition", "2018-edition")),
    ),
    Generator(
        *("hugo-1", "Hugo", ("_index.md", "hugo.toml", "hugo.yaml", "hugo.yml", "config.toml", "config.yaml")),
        (*_MD, ".html"),
        says=("baseURL", "baseurl", "title"),
        values=("hugo.toml", "hugo.yaml", "hugo.yml", "config.toml", "config.yaml"),
        excluded=_BLOG | {"layouts", "themes", "archetypes"},
    ),
    Generator(
        *("jekyll-1", "Jekyll", ("_config.yml", "_config.yaml"), (*_MD, ".html"), frozenset((LIQUID, BRACES))),
        values=("_config.yml", "_config.yaml"),
        excluded=frozenset(("_posts", "_layouts", "_includes", "_sass")),
    ),
    Generator(
        *("liquid-1", "Liquid with data/variables", ("data/variables/product.yml",), _MD, frozenset((LIQUID, BRACES))),
    ),
    Generator(*("vitepress-1", "VitePress", (".vitepress",), _MD, frozenset((BRACES,))), excluded=_BLOG),
    Generator(*("vuepress-1", "VuePress", (".vuepress",), _MD, frozenset((BRACES,))), excluded=_BLOG),
    Generator(
        *("mintlify-1", "Mintlify", ("mint.json", "docs.json"), _MDX, frozenset((JSX,)), ("mintlify", "navigation")),
        excluded=frozenset(("snippets",)),
    ),
    Generator(
        *("starlight-1", "Starlight", tuple([f"astro.config{end}" for end in _CONFIGS]), _MDX, frozenset((JSX,))),
        says=("starlight",),
        excluded=_BLOG,
        parts=("_",),
    ),
    Generator(
        *("nextra-1", "Nextra", tuple([f"next.config{end}" for end in _CONFIGS]), _MDX, frozenset((JSX,))),
        says=("nextra",),
        excluded=_BLOG,
    ),
    Generator(
        *("gitbook-1", "GitBook", ("SUMMARY.md", ".gitbook.yaml", ".gitbook"), _MD, frozenset((LIQUID,))),
        below_none_of=("mdbook-1",),
        navigation="SUMMARY.md",
        excluded=frozenset(("SUMMARY.md",)),
    ),
    Generator(
        *("antora-1", "Antora", ("antora.yml",), (".adoc", ".asciidoc")),
        values=("antora.yml",),
        excluded=frozenset(("partials", "examples", "nav.adoc")),
    ),
    Generator(
        *("sphinx-2", "Sphinx", ("conf.py",), (".rst", ".rest"), frozenset((AUTODOC,))),
        says=("extensions", "project", "html_theme"),
        excluded=frozenset(("_templates", "_themes", "_static")),
    ),
)
# Languages other than English, by the names of folders that translations are kept in.
LANGUAGES = frozenset(
    "ar az bn ca cs da de el es es-es fa fi fr fr-fr he hi hr hu id it ja ja-jp ko ko-kr nl no pl pt pt-br pt-pt ro ru "
    "ru-ru sr sv ta th tr uk uk-ua ur vi zh zh-cn zh-hans zh-hant zh-tw zh_cn zh_tw".split(" ")
)
# This many folders of languages beside each other are translations.
FEWEST_LANGUAGES = 2
_BY_READER = {generator.reader: generator for generator in GENERATORS}
# The first parts of all marks: a folder without any of them has no generator of its own.
MARKS = frozenset([mark.partition("/")[0] for generator in GENERATORS for mark in generator.marks])
PLAIN = Generator("", "", (), ())


def generator_of(reader: str) -> Generator:
    """The generator whose pages a reader reads; PLAIN where it reads those of none."""
    return _BY_READER.get(reader, PLAIN)
