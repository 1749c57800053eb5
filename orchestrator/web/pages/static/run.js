// A run that goes on: its parts are exchanged when they change, and what is being written grows. Without this file the
// page is what it was when it was opened.
(() => {
  "use strict";
  const root = document.getElementById("run");
  if (!root) return;
  const away = document.getElementById("away");
  const SOON_MS = 150, SLOWEST_MS = 8000;
  // The texts that are being written by their steps, the parts as they came, and what the reader opened or folded.
  const written = new Map(), kept = new Map(), chosen = new Map();
  let stream = null, due = null, busy = false, again = false, waits_ms = 500;

  function show_written() {
    for (const place of root.querySelectorAll("[data-live]")) {
      const text = written.get(place.dataset.live);
      if (text !== undefined && place.textContent !== text) place.textContent = text;
    }
  }

  // What the reader has opened or folded stays so, and what has the focus keeps it.
  function exchange(old, fresh) {
    const focused = old.contains(document.activeElement) && document.activeElement.closest("[id]")?.id;
    const inside = old.querySelector(".inside[data-loaded]");
    if (inside && fresh.dataset.load) fresh.querySelector(".inside").replaceWith(inside);
    old.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus({preventScroll: true});
  }

  function take(markup) {
    const page = new DOMParser().parseFromString(`<div>${markup}</div>`, "text/html").body.firstElementChild;
    const had = [...root.querySelectorAll("[data-part]")], has = [...page.querySelectorAll("[data-part]")];
    const unchanged = new Set();
    for (const part of has) {
      const old = had.find((each) => each.id === part.id);
      if (old && kept.get(old.id) === part.outerHTML) unchanged.add(part.id);
      kept.set(part.id, part.outerHTML);
      for (const each of [part, ...part.querySelectorAll("details[id]")]) {
        if (chosen.has(each.id)) each.open = chosen.get(each.id);
      }
    }
    if (had.length === has.length && had.every((part, n) => part.id === has[n].id)) {
      had.forEach((part, n) => { if (!unchanged.has(part.id)) exchange(part, has[n]); });
    } else {
      const top = window.scrollY;
      for (const part of has) {
        if (unchanged.has(part.id)) part.replaceWith(had.find((each) => each.id === part.id));
      }
      root.replaceChildren(...page.childNodes);
      window.scrollTo({top, behavior: "instant"});
    }
    show_written();
  }

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(root.dataset.now, {credentials: "same-origin", cache: "no-store", redirect: "error"});
      if (answer.status === 401) { end(); document.dispatchEvent(new Event("quorate:signed-out")); return; }
      if (!answer.ok) throw new Error(String(answer.status));
      take(await answer.text());
      if (answer.headers.get("x-run-over") === "yes") end();
      reached();
    } catch (error) {
      lost();
    } finally {
      busy = false;
      if (again) { again = false; soon(); }
    }
  }

  const soon = () => { clearTimeout(due); due = setTimeout(refresh, SOON_MS); };
  function reached() {
    waits_ms = 500;
    away.hidden = true;
    open();
  }
  function lost() {
    away.hidden = false;
    stream?.close();
    stream = null;
    clearTimeout(due);
    due = setTimeout(refresh, waits_ms);
    waits_ms = Math.min(2 * waits_ms, SLOWEST_MS);
  }
  function end() { stream?.close(); stream = null; delete root.dataset.events; }

  function open() {
    if (!root.dataset.events || stream) return;
    stream = new EventSource(root.dataset.events);
    stream.addEventListener("open", soon);
    stream.addEventListener("changed", soon);
    stream.addEventListener("written", (event) => {
      for (const [step, text] of Object.entries(JSON.parse(event.data))) written.set(step, text);
      show_written();
    });
    stream.addEventListener("error", lost);
  }

  // A folded round of a long run is read when it is opened.
  root.addEventListener("toggle", async (event) => {
    const round = event.target;
    if (!round.open || !round.dataset?.load) return;
    const inside = round.querySelector(".inside");
    if (inside.dataset.loaded) return;
    inside.dataset.loaded = "yes";
    try {
      const answer = await fetch(round.dataset.load, {credentials: "same-origin"});
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      inside.replaceChildren(...page.querySelector("[data-inside]").childNodes);
    } catch { delete inside.dataset.loaded; }
  }, true);

  root.addEventListener("click", (event) => {
    const folded = event.target.closest("summary")?.parentElement;
    if (folded?.id) chosen.set(folded.id, !folded.open);
  });
  for (const part of root.querySelectorAll("[data-part]")) kept.set(part.id, part.outerHTML);
  open();
})();
