// Lists that the coordinator returns page by page, newest first.

import { h } from "./dom.js";

/** The shown page of a list. `parameters` are those of its request, `buttons` lead to other pages. */
export function pager(size) {
  // Values of `before` of the shown page and of the newer ones; empty: the newest page is shown.
  let starts = [];
  const go = changed => () => {
    starts = changed;
    dispatchEvent(new Event("sluice-changed"));
  };
  return {
    parameters: () => ({ limit: size, ...(starts.length > 0 ? { before: starts.at(-1) } : {}) }),
    /** Shows the newest page from the next request on. */
    reset() { starts = []; },
    /** Buttons; null if there is only one page. */
    buttons: next => (starts.length === 0 && next === null ? null
      : h("nav", { class: "pager", "data-key": "pager", "aria-label": "Pages of the list" },
          h("button", { type: "button", class: "quiet", disabled: starts.length === 0, on: { click: go([]) } }, "Newest"),
          h("button", { type: "button", class: "quiet", disabled: starts.length === 0, on: { click: go(starts.slice(0, -1)) } }, "Newer"),
          h("button", { type: "button", class: "quiet", disabled: next === null, on: { click: go([...starts, next]) } }, "Older"))),
  };
}
