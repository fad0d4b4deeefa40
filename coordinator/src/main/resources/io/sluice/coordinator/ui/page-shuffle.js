// One shuffle of an application.

import { get } from "./api.js";
import { h } from "./dom.js";
import { applicationLink, badge, bars, bytes, count, heading, plural, section, serverLink, skew, span, tile, tiles } from "./parts.js";
import { table } from "./table.js";

export const shufflePage = {
  title: ({ application, shuffle }) => `${application} shuffle ${shuffle}`,

  load: ({ application, shuffle }) => get("applications", application, "shuffles", shuffle),

  charts: () => [],

  render({ shuffle, servers }, repaint) {
    return [
      heading([h("a", { href: "#/" }, "Cluster"), applicationLink(shuffle.application)], `Shuffle ${shuffle.shuffle}`),
      shuffle.assignments > 1
        ? h("p", { class: "card attention info", role: "note", "data-key": "again" },
            `This shuffle was assigned ${count(shuffle.assignments)} times: a server failed or was full, or the stage was recomputed.`) : null,
      tiles(
        tile("Stored", bytes(shuffle.storedBytes), `on ${plural(shuffle.servers, "server")}`),
        tile("Partitions", count(shuffle.partitions), shuffle.replicas > 1 ? `${shuffle.replicas} replicas each` : "one replica each"),
        tile("Largest partition", bytes(shuffle.largestPartitionBytes), "on one server"),
        tile("Skew", skew(shuffle.skew), "largest partition / mean"),
        shuffle.receipts === null ? tile("Receipts", "–", "not reported by the driver")
          : tile("Receipts", shuffle.receipts.wrong > 0 ? `${count(shuffle.receipts.wrong)} wrong` : `${count(shuffle.receipts.matched)} matched`,
              `${count(shuffle.receipts.records)} records, ${bytes(shuffle.receipts.bytes)} written`),
        tile("Age", shuffle.assignedAgeMs === null ? "–" : span(shuffle.assignedAgeMs), "since its assignment")),
      section("Bytes by server", "", servers.length === 0 ? h("p", { class: "empty" }, "No server stores data of this shuffle.")
        : bars("Bytes by server", [...servers].sort((a, b) => b.storedBytes - a.storedBytes)
            .map(part => ({ name: part.server, link: serverLink(part.server), value: part.storedBytes, counts: true })), bytes)),
      section("Servers", `${count(servers.length)}`, table({
        id: "shares", caption: "Servers", rows: servers, key: part => part.server, repaint, empty: "No server has partitions of this shuffle.",
        columns: [
          { label: "Server", value: part => part.server, show: part => serverLink(part.server) },
          { label: "State", value: part => part.state, show: part => badge(part.state) },
          { label: "Partitions assigned", number: true, value: part => part.partitionsAssigned, show: part => count(part.partitionsAssigned) },
          { label: "Partitions written", number: true, value: part => part.partitionsWritten, show: part => count(part.partitionsWritten) },
          { label: "Stored", number: true, value: part => part.storedBytes, show: part => bytes(part.storedBytes) },
          { label: "Largest partition", number: true, value: part => part.largestPartitionBytes, show: part => bytes(part.largestPartitionBytes) },
        ],
      })),
    ];
  },
};
