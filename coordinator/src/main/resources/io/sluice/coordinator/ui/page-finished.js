// Applications that have ended or expired.

import { query } from "./api.js";
import { h } from "./dom.js";
import { dateTime } from "./format.js";
import { pager } from "./pager.js";
import { ago, applicationLink, badge, bytes, count, heading, section, span } from "./parts.js";
import { table } from "./table.js";

const pages = pager(50);
let contains = "";

export const finishedPage = {
  title: () => "Finished applications",

  opened() {
    pages.reset();
    contains = "";
  },

  load: () => query({ ...pages.parameters(), ...(contains ? { contains } : {}) }, "finished-applications"),

  charts: () => [],

  render({ applications, next, time }, repaint) {
    return [
      heading([h("a", { href: "#/" }, "Cluster")], "Finished applications"),
      section("Applications", "newest first",
        h("div", { class: "filters" },
          h("input", { type: "search", class: "filter", placeholder: "Find by name or user", "aria-label": "Find applications", on: { input: search } })),
        table({
          id: "finished", caption: "Finished applications", rows: applications, key: row => String(row.number), repaint,
          empty: contains ? "No application matches." : "No application has finished yet.",
          sortBy: { column: 3, down: true },
          columns: [
            { label: "Application", value: row => row.name, show: row => applicationLink(row.name) },
            { label: "User", value: row => row.user, show: row => row.user || "–" },
            { label: "State", value: row => row.outcome, show: row => badge(row.outcome) },
            { label: "Finished", number: true, value: row => row.number, show: row => h("time",
                { datetime: new Date(row.finishedTime).toISOString(), title: dateTime(row.finishedTime) }, ago(time - row.finishedTime)) },
            { label: "Duration", number: true, value: row => row.durationMs, show: row => span(row.durationMs) },
            { label: "Shuffles", number: true, value: row => row.shuffles, show: row => count(row.shuffles) },
            { label: "Pushed", number: true, value: row => row.pushedBytes, show: row => (row.reported ? bytes(row.pushedBytes) : "–") },
            { label: "Read", number: true, value: row => row.readBytes, show: row => (row.reported ? bytes(row.readBytes) : "–") },
            { label: "Fallbacks", number: true, value: row => row.fallbackShuffles, show: row => row.fallbackShuffles > 0
                ? h("strong", { class: "tone-warn", title: row.lastFallbackReason }, count(row.fallbackShuffles)) : "0" },
          ],
        }),
        pages.buttons(next)),
    ];
  },
};

function search(event) {
  contains = event.target.value;
  pages.reset();
  dispatchEvent(new Event("sluice-changed"));
}
