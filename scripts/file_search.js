// Search of the documentation where its pages are opened as files: there a browser lets no page load the theme's index.
// SECTIONS, in the line above, is [address, title, text] of every section; this part is the same for every site.
(() => {
  if (location.protocol !== "file:") return;
  const root = document.currentScript.src.replace(/file-search\.js$/, "");
  const box = document.createElement("div");
  box.innerHTML = '<input type="search" aria-label="Search" placeholder="Search"><ol hidden></ol>';
  const [input, list] = box.children;
  list.style.cssText =
    "position:absolute;right:1rem;max-width:34rem;margin:0;padding:.5rem 2rem;z-index:9;" +
    "background:var(--md-default-bg-color);border:1px solid;font-size:.7rem";
  const count = (text, word) => text.toLowerCase().split(word).length - 1;
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const weigh = ([, title, text]) => {
      const each = words.map((word) => 8 * count(title, word) + Math.min(8, count(text, word)));
      return each.length && each.every(Boolean) ? each.reduce((sum, weight) => sum + weight) : 0;
    };
    const found = SECTIONS.map((section) => [weigh(section), section]).filter(([weight]) => weight);
    found.sort(([one], [other]) => other - one);
    list.hidden = !words.length;
    list.replaceChildren(
      ...found.slice(0, 10).map(([, [address, title]]) => {
        const link = document.createElement("a");
        [link.href, link.textContent] = [root + address, title];
        const row = document.createElement("li");
        row.append(link);
        return row;
      }),
    );
  };
  input.addEventListener("input", show);
  const theirs = document.querySelector(".md-search");
  if (theirs) theirs.replaceWith(box);
  else document.body.prepend(box);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
})();
