// Tables that can be sorted and filtered; on small screens, rows are shown as cards.

import { h } from "./dom.js";
import { count } from "./format.js";

const FIRST_ROWS = 50;
const views = new Map();

/** A table. Columns: { label, value: row => sort key, show: row => node or text, number: bool }. The first column is
 * the heading of the row.
 */
export function table({ id, caption, columns, rows, key, empty, filter, sortBy, repaint }) {
  const view = views.get(id) ?? { sort: sortBy?.column ?? 0, down: sortBy?.down ?? false, text: "", all: false };
  views.set(id, view);
  const change = edit => event => {
    edit(event);
    repaint();
  };
  const found = filter && view.text
    ? rows.filter(row => filter(row).toLowerCase().includes(view.text.toLowerCase())) : rows;
  const sorted = [...found].sort((a, b) => order(columns[view.sort].value(a), columns[view.sort].value(b)));
  if (view.down) sorted.reverse();
  const shown = view.all ? sorted : sorted.slice(0, FIRST_ROWS);
  return h("div", { class: "table-box", "data-key": `table-${id}` },
    filter && (rows.length > 8 || view.text)
      ? h("input", {
          type: "search", class: "filter", placeholder: `Filter ${count(rows.length)} ${caption.toLowerCase()}`,
          "aria-label": `Filter ${caption.toLowerCase()}`, on: { input: change(event => { view.text = event.target.value; }) },
        })
      : null,
    rows.length === 0 ? h("p", { class: "empty" }, empty)
      : found.length === 0 ? h("p", { class: "empty" }, "No row matches the filter.")
      : h("table", null,
          h("caption", { class: "unseen" }, caption),
          h("thead", null, h("tr", null, columns.map((column, index) =>
            h("th", {
                scope: "col", class: column.number ? "number" : null,
                "aria-sort": view.sort === index ? (view.down ? "descending" : "ascending") : null,
              },
              h("button", {
                  type: "button", class: "sort",
                  on: { click: change(() => {
                    view.down = view.sort === index ? !view.down : Boolean(column.number);
                    view.sort = index;
                  }) },
                },
                column.label, h("span", { class: "arrow", "aria-hidden": "true" },
                  view.sort === index ? (view.down ? " ▾" : " ▴") : "")))))),
          h("tbody", null, shown.map(row => h("tr", { "data-key": key(row) },
            columns.map((column, index) => h(index === 0 ? "th" : "td",
              { scope: index === 0 ? "row" : null, class: column.number ? "number" : null, "data-label": column.label },
              h("span", { class: "value" }, column.show(row)))))))),
    sorted.length > shown.length
      ? h("button", { type: "button", class: "quiet more", on: { click: change(() => { view.all = true; }) } },
          `Show all ${count(sorted.length)}`)
      : null);
}

function order(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}
