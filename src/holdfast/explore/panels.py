"""The panels of the pages: the project in one look, caches, receipts, specs and savings. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from time import gmtime, strftime
from urllib.parse import urlencode

from holdfast.caches.search.audit_page import (
    audit_summary,
    audited_calls,
    differences_list,
    differing_receipts,
    replay_states,
)
from holdfast.caches.search.why_page import explained
from holdfast.core.page_shell import command, counted, facts, folded, meter, note, shown, stacked
from holdfast.explore.project_look import Found
from holdfast.explore.tree_panel import freshness
from holdfast.specs.board_page import board
from holdfast.specs.shapes import FindingData
from holdfast.survey.shapes import SavingsAnswer

MOST_BUDGET = 1_000_000


def search_box(names: Sequence[str], query: str = "", cache: str = "", budget: str = "") -> str:
    """A form that works without a script; without a budget an answer is as long as it needs to be."""
    options = [
        f'<option value="{escape(name)}"{" selected" if name == cache else ""}>{escape(label)}</option>'
        for name, label in [("", "all caches"), *[(name, name) for name in names]]
    ]
    return (
        '<form class="ask" action="search" method="get" role="search">'
        '<p class="wide"><label for="q">Question, in the words of the documentation</label>'
        f'<input id="q" name="q" type="search" maxlength="2000" required value="{escape(query)}"></p>'
        f'<p><label for="cache">Cache</label><select id="cache" name="cache">{"".join(options)}</select></p>'
        f'<p><label for="budget">Tokens at most</label><input id="budget" name="budget" type="number" min="100" '
        f'max="{MOST_BUDGET}" step="100" value="{escape(budget)}"></p><p><button>Search</button></p></form>'
    )


def search_panel(names: Sequence[str], query: str, cache: str, budget: str, found: Found | None) -> str:
    """The box, and the answer with its reasons where something was asked."""
    box = search_box(names, query, cache, budget)
    if found is None:
        return box
    if found.value is None:
        return box + note(found.problem)
    return box + explained(found.value)


def caches_panel(
    caches: Sequence[tuple[str, Found]], about: Mapping[str, str], sync: Found, *, with_box: bool = True
) -> str:
    """A card for each cache, bars of one measure; above them the box that asks."""
    if not caches:
        return note("There is no cache yet.", f"{command('context add NAME PATH')} builds one from documentation.")
    names = [name for name, _ in caches]
    most = max([found.value["document_count"] for _, found in caches if found.value], default=0)
    states = {cache["name"]: cache for cache in sync.value["caches"]} if sync.value else {}
    cards = [_cache_card(name, found, about.get(name, ""), states.get(name), most) for name, found in caches]
    missing = [each for name, each in states.items() if name not in names]
    notes = [note(f"{each['name']}: {'; '.join(each['reasons'])}", command("context sync")) for each in missing]
    box = search_box(names) if with_box else ""
    heading = f"<h2>{counted(len(caches), 'cache')}</h2>"
    return f'{box}{heading}<ul class="cards">{"".join(cards)}</ul>{"".join(notes)}'


def _cache_card(name: str, found: Found, about: str, sync: Mapping[str, object] | None, most: int) -> str:
    notes = f'<p class="soft">{shown(about)}</p>' if about else ""
    if found.value is None:
        return f'<li class="card"><h3>{shown(name)}</h3>{notes}{note(found.problem)}</li>'
    value = found.value
    documents = value["document_count"]
    if not value["valid"]:
        state = '<span class="state bad">damaged</span>'
        advice = f"{command('context verify ' + name)} says what, {command('context sync')} builds it anew."
        notes += note("", advice)
    elif sync is None:
        state = '<span class="state good">whole</span>'
    elif sync["in_step"]:
        state = '<span class="state good">in step with its sources</span>'
    else:
        state = '<span class="state near">behind its sources</span>'
        reasons = sync["reasons"]
        listed = [f"<li>{shown(str(reason))}</li>" for reason in reasons] if isinstance(reasons, list | tuple) else []
        notes += folded("What moved", f"<ul>{''.join(listed)}</ul>", mark=f"moved-{name}")
    rows = [
        ("version", f"<code>{shown(value['cache_version'][7:19] or '?')}</code>"),
        ("manifest and index", f"{value['total_bytes']:,} bytes"),
    ]
    count = counted(documents, "document")
    return (
        f'<li class="card"><h3>{shown(name)}</h3><p>{state}</p>{notes}<p class="big">{documents:,}</p>'
        f'<p class="soft">{count.partition(" ")[2]}</p>{meter(documents, most, count)}{facts(rows)}</li>'
    )


# What calls are found by: the name of a field, and what it is called. And how many are on a page.
FILTERS = {"client": "Client", "query": "Words of the query", "since": "Since, as 2026-11-17"}
A_PAGE = 50
_LINK = "receipt?id="


def receipts_panel(found: Found, directory: str, given: Mapping[str, str], *, with_links: bool = True) -> str:
    """One page of the calls that match, the latest first; a form finds others."""
    form = _receipts_form(given) if with_links else ""
    if found.value is None:
        return form + note(found.problem)
    if not found.value["calls"] and not any(given.get(name) for name in FILTERS):
        advice = f"{command('context serve --receipts DIR')} keeps one of every search that is answered."
        return note(f"There are no receipts in {directory}.", advice)
    value = found.value
    if not with_links:
        return audit_summary(value) + differing_receipts(value) + audited_calls(value)
    pages = _page_links(given, value["passed_over"], value["calls"])
    return form + audit_summary(value) + audited_calls(value, _LINK) + pages


def receipt_panel(found: Found) -> str:
    """One answer as it is given now, why, and where it is not the one that was recorded."""
    back = '<p><a href="receipts">All calls</a></p>'
    if found.value is None:
        return back + note(found.problem)
    value = found.value
    if value["same"]:
        verdict = '<p><span class="state good">the same answer</span> as was given then, byte for byte:</p>'
    else:
        verdict = '<p><span class="state near">another answer now</span> than was given then:</p>'
    return f"{back}{verdict}{differences_list(value['differences'])}{explained(value['answer'])}"


def utc(seconds: float) -> str:
    """A moment, to the minute."""
    return strftime("%Y-%m-%d %H:%M UTC", gmtime(max(0, seconds)))


def _receipts_form(given: Mapping[str, str]) -> str:
    """A form that finds calls; it works without a script."""
    fields = [
        f'<p{" class=" + chr(34) + "wide" + chr(34) if name == "query" else ""}><label for="{name}">{label}</label>'
        f'<input id="{name}" name="{name}" type="search" maxlength="200" '
        f'value="{escape(given.get(name, ""))}"></p>'
        for name, label in FILTERS.items()
    ]
    return (
        f'<form class="ask" action="receipts" method="get" role="search">{"".join(fields)}'
        "<p><button>Find</button></p></form>"
    )


def _page_links(given: Mapping[str, str], passed: int, calls: int) -> str:
    """Links to later and earlier calls, where there are some."""
    links = []
    if passed:
        links.append(_page_link(given, max(0, passed - A_PAGE), "Later calls"))
    if passed + A_PAGE < calls:
        links.append(_page_link(given, passed + A_PAGE, "Earlier calls"))
    return f'<nav aria-label="Calls"><ul>{"".join(links)}</ul></nav>' if links else ""


def _page_link(given: Mapping[str, str], skip: int, label: str) -> str:
    fields = {name: given[name] for name in FILTERS if given.get(name)}
    fields |= {"skip": str(skip)} if skip else {}
    asked = urlencode(fields, errors="surrogateescape")
    return f'<li><a href="receipts{escape(f"?{asked}") if asked else ""}">{shown(label)}</a></li>'


def specs_panel(found: Found, approvals: Found, findings: Found) -> str:
    """The board, then what is not approved and why, then the findings by file."""
    if found.value is None:
        return note(found.problem)
    if not found.value["specs"]:
        return note("There is no spec yet.", f"{command('context spec init NAME')} starts one from templates.")
    return board(found.value) + _approvals(approvals) + _findings(findings)


def _approvals(found: Found) -> str:
    if found.value is None:
        return note(found.problem)
    documents = found.value["documents"]
    lacking = [each for each in documents if not each["approved"]]
    parts = [("approved as they are", len(documents) - len(lacking), "good"), ("not approved", len(lacking), "near")]
    rows = [
        f"<li><p><b>{shown(each['name'])}</b></p><p>{shown(each['phase'])}</p><p>{shown(each['why'] or '')}</p></li>"
        for each in lacking
    ]
    why = folded("What is not approved, and why", f'<ol class="rows">{"".join(rows)}</ol>', mark="lacking")
    return f"<h2>Approvals</h2>{stacked(parts)}{why if rows else ''}"


def _findings(found: Found) -> str:
    if found.value is None:
        return note(found.problem)
    by_file: dict[str, list[FindingData]] = {}
    for finding in found.value["findings"]:
        by_file.setdefault(finding["file"], []).append(finding)
    if not by_file:
        return "<h2>Findings</h2><p>None: <code>context spec check</code> has nothing to say.</p>"
    parts = [
        folded(f"<h3>{shown(file)}</h3> {counted(len(each), 'finding')}", _finding_rows(each), mark=f"findings-{file}")
        for file, each in by_file.items()
    ]
    return f"<h2>{counted(len(found.value['findings']), 'finding')}</h2>{''.join(parts)}"


def _finding_rows(findings: Sequence[FindingData]) -> str:
    colours = {"error": "bad", "warning": "near"}
    rows = [
        f'<li><p><span class="state {colours[each["level"]]}">{each["level"]}</span> line {each["line"]:,}</p>'
        f"<p><code>{shown(each['rule'])}</code></p><p>{shown(each['text'])}<br><small>{shown(each['fix'])}</small></p></li>"
        for each in findings
    ]
    return f'<ol class="rows">{"".join(rows)}</ol>'


def savings_panel(found: Found) -> str:
    """Pairs of bars of one measure, and what the numbers leave out."""
    if found.value is None:
        return note(found.problem)
    value: SavingsAnswer = found.value
    searches, contexts = value["searches"], value["contexts"]
    cards = [
        _pair(
            f"{counted(searches['counted'], 'search', 'searches')} by receipt",
            ("tokens given", searches["answer_tokens"]),
            ("tokens of the documents they are from", searches["document_tokens"]),
        ),
        _pair(
            f"{counted(contexts['contexts'], 'directory', 'directories')} with a context",
            ("tokens of the contexts", contexts["context_tokens"]),
            ("tokens of the sources they stand for", contexts["source_tokens"]),
        ),
    ]
    cards += [
        _pair(
            f"{tool['tool']}: {counted(tool['answers'], 'answer')}",
            ("tokens given", tool["answer_tokens"]),
            ("tokens behind them", tool["behind_tokens"]),
        )
        for tool in value["tools"]
        if tool["behind_tokens"] is not None
    ]
    lead = "Nothing was observed yet."
    if value["percent_saved"] is not None:
        lead = (
            f"{value['given_tokens']:,} tokens were given for {value['behind_tokens']:,}: "
            f"{value['percent_saved']} % were not sent."
        )
    known = f"<p>{value['known_tokens']:,} tokens were known already and not sent again.</p>"
    unseen = "".join([f"<li>{shown(line)}</li>" for line in value["not_observed"]])
    heading = "<h2>Given, and behind it</h2>"
    return (
        f'<p class="lead">{lead}</p>{known if value["known_tokens"] else ""}'
        f'{heading}<ul class="cards">{"".join(cards)}</ul>'
        f"<h2>What the numbers leave out</h2><ul>{unseen}</ul>"
    )


def _pair(title: str, given: tuple[str, int], behind: tuple[str, int]) -> str:
    most = max(given[1], behind[1])
    rows = [f"<p>{count:,} {name}</p>{meter(count, most, f'{count:,} {name}')}" for name, count in (given, behind)]
    return f'<li class="card"><h3>{shown(title)}</h3>{"".join(rows)}</li>'


def overview_panel(
    caches: Sequence[tuple[str, Found]], tree: Found, board: Found, audit: Found, savings: Found | None
) -> str:
    """A card for each part, and the box that asks the caches; of savings nothing while they are being added up."""
    cards = [
        _caches_card(caches),
        _tree_card(tree),
        _specs_card(board),
        _receipts_card(audit),
        _savings_card(savings),
    ]
    box = search_box([name for name, _ in caches]) if caches else ""
    return f'{box}<h2>At a glance</h2><ul class="cards">{"".join(cards)}</ul>'


def _card(page: str, title: str, content: str) -> str:
    return f'<li class="card"><h3><a href="{page}">{title}</a></h3>{content}</li>'


def _figure(number: int, noun: str, chart: str = "") -> str:
    return f'<p class="big">{number:,}</p><p class="soft">{noun}</p>{chart}'


def _caches_card(caches: Sequence[tuple[str, Found]]) -> str:
    if not caches:
        return _card("caches", "Caches", '<p class="soft">None yet: <code>context add NAME PATH</code></p>')
    found = [each.value for _, each in caches if each.value]
    documents = sum([each["document_count"] for each in found])
    whole = sum([each["valid"] for each in found])
    chart = stacked([("whole", whole, "good"), ("damaged", len(caches) - whole, "bad")])
    noun = f"document{'' if documents == 1 else 's'} in {counted(len(caches), 'cache')}"
    return _card("caches", "Caches", _figure(documents, noun, chart))


def _tree_card(tree: Found) -> str:
    if tree.value is None or not tree.value["entries"]:
        return _card("tree", "Directories", '<p class="soft">None that should have a context.</p>')
    parts = freshness(tree.value)
    total = sum([count for _, count, _ in parts])
    return _card("tree", "Directories", _figure(total, "that should have a context", stacked(parts)))


def _specs_card(board: Found) -> str:
    specs = board.value["specs"] if board.value else []
    if not specs:
        return _card("specs", "Specs", '<p class="soft">None yet: <code>context spec init NAME</code></p>')
    total = sum([spec["taskProgress"]["total"] for spec in specs])
    done = sum([spec["taskProgress"]["completed"] for spec in specs])
    errors = sum([spec["findings"]["errors"] for spec in specs])
    label = f"{done:,} of {counted(total, 'task')} done"
    found = f'<p class="bad">{counted(errors, "error")} found</p>' if errors else '<p class="good">no errors found</p>'
    noun = "specification" if len(specs) == 1 else "specifications"
    return _card("specs", "Specs", _figure(len(specs), noun, f"{meter(done, total, label)}<p>{label}</p>{found}"))


def _receipts_card(audit: Found) -> str:
    value = audit.value
    if value is None or not value["calls"]:
        return _card("receipts", "Receipts", '<p class="soft">None here.</p>')
    noun = f"{'call' if value['calls'] == 1 else 'calls'} answered, {counted(value['receipts'], 'receipt')}"
    if value["replayed"] < value["receipts"]:
        noun += f", {value['replayed']:,} of them run again"
    return _card("receipts", "Receipts", _figure(value["calls"], noun, stacked(replay_states(value))))


def _savings_card(savings: Found | None) -> str:
    if savings is None:
        return _card("savings", "Savings", '<p class="soft">Being added up.</p>')
    value = savings.value
    if value is None or value["percent_saved"] is None:
        text = '<p class="soft">What answers cost in tokens, and what they stood for: nothing was observed yet.</p>'
        return _card("savings", "Savings", text)
    given, behind = value["given_tokens"], value["behind_tokens"]
    label = f"{given:,} tokens were given for {behind:,}"
    chart = f"{meter(given, behind, label)}<p>{label}</p>"
    figure = f'<p class="big">{value["percent_saved"]} %</p><p class="soft">of the tokens behind answers not sent</p>'
    return _card("savings", "Savings", figure + chart)
