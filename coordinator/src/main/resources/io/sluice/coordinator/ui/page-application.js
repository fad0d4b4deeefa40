// One application.

import { operationButton, operationButtons } from "./operations.js";
import { get, query } from "./api.js";
import { h } from "./dom.js";
import { explanationSection } from "./explanation.js";
import {
  badge, bars, bytes, count, eventList, facts, heading, plural, section, serverLink, shuffleLink, skew, span, tile, tiles,
} from "./parts.js";
import { table } from "./table.js";

export const applicationPage = {
  title: ({ application }) => application,

  async load({ application }) {
    const [detail, shuffles, explanation, events] = await Promise.all([
      get("applications", application), get("applications", application, "shuffles"), get("applications", application, "explanation"),
      query({ application, limit: 20 }, "events"),
    ]);
    return { ...detail, shuffles: shuffles.shuffles, explanation, events };
  },

  charts: () => [],

  render({ application, servers, shuffles, explanation, events }, repaint) {
    return [
      heading([h("a", { href: "#/" }, "Cluster"), "Applications"], application.name, badge(application.state),
        application.state === "LIVE"
          ? operationButtons(operationButton("Delete", `Servers delete all data of ${application.name}. If the application is still running, its running stages fail.`, "DELETE", ["applications", application.name]),
              operationButton("Revoke tokens", `Servers close all connections of ${application.name} and delete its data. A driver that is still running registers it again if its user is in the users file.`, "POST", ["applications", application.name, "revocation"]))
          : null),
      application.fallbackShuffles > 0
        ? h("p", { class: "card attention warn", role: "note", "data-key": "fallback" },
            `${plural(application.fallbackShuffles, "shuffle")} fell back to the built-in shuffle. Last reason: ${application.lastFallbackReason}`) : null,
      tiles(
        tile("Stored", bytes(application.storedBytes), `on ${plural(application.servers, "server")}`),
        tile("Shuffles", count(application.shuffles), "assigned by this coordinator"),
        tile("Fallbacks", count(application.fallbackShuffles), "to the built-in shuffle", application.fallbackShuffles > 0 ? "warn" : ""),
        tile("Worst skew", skew(application.skew), "largest partition / mean"),
        tile("Lease", application.state === "LIVE" ? span(application.leaseRemainingMs) : "–", "until it expires")),
      section("Shuffles", `${count(shuffles.length)}`, table({
        id: "shuffles", caption: "Shuffles", rows: shuffles, key: row => String(row.shuffle), repaint,
        empty: "No shuffles. Completed shuffles are not listed.",
        filter: row => String(row.shuffle), sortBy: { column: 0, down: true },
        columns: [
          { label: "Shuffle", value: row => row.shuffle, show: row => shuffleLink(row.application, row.shuffle, `shuffle ${row.shuffle}`) },
          { label: "Partitions", number: true, value: row => row.partitions, show: row => count(row.partitions) },
          { label: "Replicas", number: true, value: row => row.replicas, show: row => row.replicas || "–" },
          { label: "Servers", number: true, value: row => row.servers, show: row => count(row.servers) },
          { label: "Stored", number: true, value: row => row.storedBytes, show: row => bytes(row.storedBytes) },
          { label: "Largest partition", number: true, value: row => row.largestPartitionBytes, show: row => bytes(row.largestPartitionBytes) },
          { label: "Skew", number: true, value: row => row.skew, show: row => skew(row.skew) },
          { label: "Age", number: true, value: row => row.assignedAgeMs, show: row => (row.assignedAgeMs === null ? "–" : span(row.assignedAgeMs)) },
        ],
      })),
      explanationSection(explanation, repaint),
      h("div", { class: "pair", "data-key": "bottom" },
        section("Data by server", plural(servers.length, "server"),
          servers.length === 0 ? h("p", { class: "empty" }, "No server stores data of this application.")
            : bars("Bytes by server", [...servers].sort((a, b) => b.storedBytes - a.storedBytes).slice(0, 40)
                .map(part => ({ name: part.server, link: serverLink(part.server), value: part.storedBytes, counts: true })), bytes),
          facts([["User", application.user], ["Client", application.clientVersion], ["Registered", `${span(application.registeredAgeMs)} ago`]])),
        section("Events", h("a", { href: "#/events" }, "all"), eventList(events.events, events.time, "No events of this application."))),
    ];
  },
};
