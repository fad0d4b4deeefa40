// One shuffle server.

import { operationButton, operationButtons } from "./operations.js";
import { get, query } from "./api.js";
import { chartFigure } from "./charts.js";
import { h } from "./dom.js";
import { dateTime } from "./format.js";
import {
  ago, applicationLink, badge, bytes, count, eventList, facts, gauge, heading, percent, plural, rate, section, share, tile, tiles,
} from "./parts.js";
import { table } from "./table.js";

export const serverPage = {
  title: ({ server }) => server,

  async load({ server }) {
    const [detail, throughput, events] = await Promise.all([
      get("servers", server), query({ server }, "throughput"), query({ server, limit: 20 }, "events"),
    ]);
    return { ...detail, throughput, events };
  },

  charts: data => [
    { id: "server-rate", unit: "rate", times: data.throughput.times, lines: [
      { label: "push", values: data.throughput.pushBytesPerSecond, colour: "--push" },
      { label: "fetch", values: data.throughput.fetchBytesPerSecond, colour: "--fetch" }] },
    { id: "server-stored", unit: "bytes", times: data.throughput.times, lines: [
      { label: "stored", values: data.throughput.storedBytes, colour: "--stored" },
      { label: "in memory", values: data.throughput.memoryUsedBytes, colour: "--memory" }] },
  ],

  render({ server, applications, events }, repaint) {
    const used = server.space.capacityBytes - server.space.freeBytes;
    const memory = `${bytes(server.memory.usedBytes)} of ${bytes(server.memory.capacityBytes)}`;
    return [
      heading([h("a", { href: "#/" }, "Cluster"), "Servers"], server.name, badge(server.state),
        server.zone ? h("span", { class: "tag" }, `zone ${server.zone}`) : null, server.tags.map(tag => h("span", { class: "tag" }, tag)), operations(server)),
      server.state === "SERVER_LOST"
        ? h("p", { class: "card attention bad", role: "note", "data-key": "lost" }, `This server is lost. The data below is from its last heartbeat, ${ago(server.heartbeatAgeMs)}.`) : null,
      tiles(
        tile("Push", rate(server.pushBytesPerSecond), plural(server.connections, "connection")),
        tile("Fetch", rate(server.fetchBytesPerSecond), "mean of 10 s"),
        tile("Stored", bytes(server.storedBytes), plural(applications.length, "application")),
        tile("Memory", percent(share(server.memory.usedBytes, server.memory.capacityBytes)), [gauge("Memory", server.memory.usedBytes, server.memory.capacityBytes, memory), memory]),
        tile("Pending spill", bytes(server.memory.pendingSpillBytes), "from memory to disk"),
        server.move ? tile("Pending move", bytes(server.move.bytesLeft), `${plural(server.move.shufflesLeft, "shuffle")} left, ${bytes(server.move.movedBytes)} moved`) : null,
        tile("Disks", percent(share(used, server.space.capacityBytes)), [gauge("Disks", used, server.space.capacityBytes, `${bytes(used)} of ${bytes(server.space.capacityBytes)}`), `${bytes(server.space.freeBytes)} free`])),
      h("div", { class: "pair", "data-key": "charts" },
        chartFigure("server-rate", "Throughput", `Push ${rate(server.pushBytesPerSecond)}, fetch ${rate(server.fetchBytesPerSecond)} now`),
        chartFigure("server-stored", "Shuffle data", `${bytes(server.storedBytes)} stored now`)),
      section("Disks", `${server.disks.length}`, table({
        id: "disks", caption: "Disks", rows: server.disks, key: disk => disk.path, repaint, empty: "This server has no disks and stores data in memory only.",
        columns: [
          { label: "Directory", value: disk => disk.path, show: disk => disk.path },
          { label: "Health", value: disk => disk.health, show: disk => [badge(disk.health), disk.cause ? ` ${disk.cause}` : ""] },
          { label: "Accepts data", value: disk => String(disk.takesData), show: disk => (disk.takesData ? "yes" : "no") },
          { label: "Kind", value: disk => disk.kind, show: disk => disk.kind || "–" },
          { label: "Used", number: true, value: disk => share(disk.capacityBytes - disk.freeBytes, disk.capacityBytes), show: disk => [
            gauge("Used", disk.capacityBytes - disk.freeBytes, disk.capacityBytes, `${bytes(disk.capacityBytes - disk.freeBytes)} of ${bytes(disk.capacityBytes)}`),
            percent(share(disk.capacityBytes - disk.freeBytes, disk.capacityBytes))] },
          { label: "Free", number: true, value: disk => disk.freeBytes, show: disk => bytes(disk.freeBytes) },
          { label: "Queued writes", number: true, value: disk => disk.queueDepth, show: disk => count(disk.queueDepth) },
          { label: "Written", number: true, value: disk => disk.writtenBytes, show: disk => bytes(disk.writtenBytes) },
        ],
      })),
      section("Applications on this server", `${count(applications.length)}`, table({
        id: "stored", caption: "Applications", rows: applications, key: stored => stored.application, repaint, empty: "This server stores no shuffle data.",
        filter: stored => stored.application, sortBy: { column: 2, down: true },
        columns: [
          { label: "Application", value: stored => stored.application, show: stored => applicationLink(stored.application) },
          { label: "Shuffles", number: true, value: stored => stored.shuffles, show: stored => count(stored.shuffles) },
          { label: "Stored", number: true, value: stored => stored.storedBytes, show: stored => bytes(stored.storedBytes) },
        ],
      })),
      h("div", { class: "pair", "data-key": "bottom" },
        section("About", "", facts([
          ["Host", server.host], ["Zone", server.zone], ["Control port", server.rpcPort], ["Data port", server.nettyPort || "same as control port"],
          ["Started", dateTime(server.epoch)], ["Last heartbeat", ago(server.heartbeatAgeMs)], ["Pending merges", count(server.pendingMerges)],
          ["Partitions assigned", count(server.partitionsAssigned)],
        ])),
        section("Events", h("a", { href: "#/events" }, "all"), eventList(events.events, events.time, "No events of this server."))),
    ];
  },
};

/** Buttons of admin operations on this server. */
function operations(server) {
  const { name, state } = server;
  return operationButtons(
    state === "EXCLUDED"
      ? operationButton("Include", `${name} gets new partitions again.`, "DELETE", ["servers", name, "exclusion"])
      : operationButton("Exclude", `${name} gets no new partitions from this coordinator until it is included again. It continues to serve its data.`, "POST", ["servers", name, "exclusion"]),
    state === "SERVER_DRAINING"
      ? operationButton("Cancel decommission", `${name} accepts new assignments again.`, "DELETE", ["servers", name, "decommission"])
      : state === "SERVER_LOST" ? null
      : operationButton("Move and decommission", `${name} gets no new assignments, moves its data to other servers, and then exits.`, "POST", ["servers", name, "decommission"], { move: true }),
    state === "SERVER_DRAINING" || state === "SERVER_LOST" ? null
      : operationButton("Decommission", `${name} gets no new assignments, serves its data, and exits when the data is no longer needed.`, "POST", ["servers", name, "decommission"], {}));
}
