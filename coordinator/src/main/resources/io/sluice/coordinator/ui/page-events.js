// Everything that is remembered to have happened.

import { query } from "./api.js";
import { h } from "./dom.js";
import { count, eventList, heading, section } from "./parts.js";

const MOST = 500;
let onlyTrouble = false;
let search = "";

export const eventsPage = {
  title: () => "Events",

  load: () => query({ limit: MOST }, "events"),

  charts: () => [],

  render({ events, time }, repaint) {
    const found = events.filter(event => (!onlyTrouble || event.severity !== "INFO") && event.text.toLowerCase().includes(search.toLowerCase()));
    return [
      heading([h("a", { href: "#/" }, "Cluster")], "Events"),
      section("What happened", `${count(found.length)} of the latest ${count(events.length)}`,
        h("div", { class: "filters" },
          h("input", { type: "search", class: "filter", placeholder: "Filter by any word", "aria-label": "Filter events", on: { input: event => { search = event.target.value; repaint(); } } }),
          h("label", null, h("input", { type: "checkbox", on: { change: event => { onlyTrouble = event.target.checked; repaint(); } } }), " only warnings")),
        eventList(found, time, events.length === 0 ? "Nothing has happened since this coordinator started." : "Nothing matches the filter.")),
    ];
  },
};
