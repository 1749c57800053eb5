// Keys for what a page offers anyway: without this file everything is reached by links, buttons and Tab.
(() => {
  "use strict";
  const find = (selector) => document.querySelector(selector);
  const visible = (element) => element.getClientRects().length > 0;
  let previous = "";

  // `data-next` marks what j and k go through: findings, rows of a list.
  function step(direction) {
    const places = [...document.querySelectorAll("[data-next]")].filter(visible);
    if (!places.length) return;
    const here = places.findIndex((place) => place === document.activeElement || place.contains(document.activeElement));
    const next = here < 0 ? (direction > 0 ? 0 : places.length - 1) : Math.min(Math.max(here + direction, 0), places.length - 1);
    places[next].focus();
    places[next].scrollIntoView({block: "nearest"});
  }

  // A key brings an answer under the hand; Enter, or the same key again, gives it.
  function use(element) {
    if (element.matches("[data-confirm]") && document.activeElement !== element) {
      element.focus();
      element.scrollIntoView({block: "nearest"});
    } else {
      element.click();
    }
  }

  function typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const help = find("#keys");
    if (help.open) return;
    const both = previous + event.key;
    previous = event.key === "g" ? "g" : "";
    const target = both === "gi" ? find("[data-go=inbox]") || find("a[href='/inbox']") : find(`[data-key="${CSS.escape(event.key)}"]`);
    if (event.key === "?") help.showModal();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "v") document.querySelectorAll(".views").forEach((views) => views.querySelector("input:not(:checked)").click());
    else if (event.key === "x") document.activeElement.closest("[data-next]")?.querySelector("[data-pick]")?.click();
    else if (event.key === "m") find("#message")?.focus();
    else if (target && !target.disabled) use(target);
    else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", typed);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) find("#keys").showModal();
  });
  // The title says how many wait, also when a tab is not looked at.
  document.addEventListener("htmx:after:swap", () => {
    const total = Number(find("#waiting")?.dataset.total);
    if (!Number.isNaN(total)) document.title = (total ? `(${total}) ` : "") + document.title.replace(/^\(\d+\) /, "");
  });
  // An open page goes on by itself; while nobody answers it says that what it shows may be old.
  const away = (missing) => { find("#offline").hidden = !missing; };
  document.addEventListener("htmx:after:request", (event) => {
    const status = event.detail.ctx.response.raw.status;
    if (status === 401) document.dispatchEvent(new Event("quorate:signed-out"));
    away(status >= 400 && status !== 401);
  });
  document.addEventListener("htmx:error", () => away(true));
  // Whose session has ended signs in again; what they have written or chosen is left where it stands until they do.
  const fields = () => [...document.forms].flatMap((form) => [...form.elements]);
  const changed = (field) =>
    field.matches("select") ? field.selectedIndex !== Math.max([...field.options].findIndex((each) => each.defaultSelected), 0)
    : field.matches("textarea, input") && (field.value !== field.defaultValue || Boolean(field.checked) !== Boolean(field.defaultChecked));
  document.addEventListener("quorate:signed-out", () => {
    away(false);
    if (fields().some(changed)) find("#signed-out").hidden = false;
    else location.reload();
  });
  // An answer that is being written outlives a session that ends before it is sent; one that was given is forgotten.
  const answer = find("form[data-draft]");
  const draft = `draft ${location.pathname}`;
  if (answer) {
    const boxes = () => [...answer.elements].filter((field) => field.matches("[type=checkbox]"));
    const kept = JSON.parse(sessionStorage.getItem(draft) || "null");
    if (kept && kept.shown === answer.elements.shown_sha256.value) boxes().forEach((box) => { box.checked = kept.only.includes(box.value); });
    if (kept && !answer.elements.message.value) answer.elements.message.value = kept.message;
    const keep = () => sessionStorage.setItem(draft, JSON.stringify({
      shown: answer.elements.shown_sha256.value,
      only: boxes().filter((box) => box.checked).map((box) => box.value),
      message: answer.elements.message.value,
    }));
    document.addEventListener("input", (event) => { if (event.target.form === answer) keep(); });
  }
  if (find("[data-answered]")) sessionStorage.removeItem(draft);
  // A one-time link is used by a POST; with a script nobody has to press the button.
  find("form[data-send]")?.requestSubmit();
})();
