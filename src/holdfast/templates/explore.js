"use strict";
(() => {
  // The page is whole without this. With it, what is shown is renewed while it changes, and arrows walk the tree.
  const status = document.getElementById("status");
  const main = document.getElementById("main");
  const busy = () => {
    const active = document.activeElement;
    return document.hidden || (main.contains(active) && active.matches("input, select, pre")) || !getSelection().isCollapsed;
  };
  const place = (element) => element && element.closest("details[id]");
  const put = (fresh) => {
    const open = new Map([...main.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
    const active = main.contains(document.activeElement) ? document.activeElement : null;
    const holder = active && active.matches("summary") ? place(active) : null;
    const link = active && active.getAttribute("href");
    main.replaceChildren(...fresh.childNodes);
    for (const each of main.querySelectorAll("details[id]")) if (open.has(each.id)) each.open = open.get(each.id);
    const again = holder ? document.getElementById(holder.id)?.querySelector("summary") : link ? main.querySelector(`a[href="${CSS.escape(link)}"]`) : null;
    if (again) again.focus({ preventScroll: true });
  };
  let mark = status && status.dataset.mark;
  const renew = async () => {
    let wait = 2000;
    if (!busy()) {
      const begun = performance.now();
      try {
        const answer = await fetch(location.href, { headers: { "If-None-Match": `"${mark}"` }, cache: "no-store" });
        if (answer.status === 200) {
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          if (!busy()) {
            put(document.adoptNode(page.getElementById("main")));
            mark = page.getElementById("status").dataset.mark;
            status.textContent = `Renewed at ${new Date().toLocaleTimeString()}.`;
          }
        }
      } catch {
        status.textContent = "The server has ended: this is what it said last.";
        return;
      }
      wait = Math.max(wait, 20 * (performance.now() - begun));
    }
    setTimeout(renew, wait);
  };
  if (mark) setTimeout(renew, 2000);
  document.addEventListener("keydown", (event) => {
    const summary = event.target;
    if (!(summary instanceof Element) || !summary.matches(".tree summary") || event.altKey || event.ctrlKey || event.metaKey) return;
    const seen = [...document.querySelectorAll(".tree summary")].filter((each) => each.checkVisibility());
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) seen[seen.indexOf(summary) + step]?.focus();
    else if (event.key === "ArrowRight") summary.parentElement.open = true;
    else if (event.key === "ArrowLeft") summary.parentElement.open = false;
    else return;
    event.preventDefault();
  });
})();
