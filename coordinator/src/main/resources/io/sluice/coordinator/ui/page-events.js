// The events of the cluster.

import { query } from "./api.js";
import { h } from "./dom.js";
import { pager } from "./pager.js";
import { count, eventList, heading, section } from "./parts.js";

const pages = pager(500);
let warningsOnly = false;
let search = "";

export const eventsPage = {
  title: () => "Events",

  opened: () => pages.reset(),

  load: () => query(pages.parameters(), "events"),

  charts: () => [],

  render({ events, next, time }, repaint) {
    const found = events.filter(event => (!warningsOnly || event.severity !== "INFO") && event.text.toLowerCase().includes(search.toLowerCase()));
    return [
      heading([h("a", { href: "#/" }, "Cluster")], "Events"),
      section("Events", `${count(found.length)} of ${count(events.length)}${next === null ? "" : " on this page"}`,
        h("div", { class: "filters" },
          h("input", { type: "search", class: "filter", placeholder: "Filter by text", "aria-label": "Filter events", on: { input: event => { search = event.target.value; repaint(); } } }),
          h("label", null, h("input", { type: "checkbox", on: { change: event => { warningsOnly = event.target.checked; repaint(); } } }), " warnings only")),
        eventList(found, time, events.length === 0 ? "No events." : "No event matches the filter."),
        pages.buttons(next)),
    ];
  },
};
