// One shuffle server.

import { actButton, actButtons } from "./acts.js";
import { get, query } from "./api.js";
import { chartPlace } from "./charts.js";
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
      heading([h("a", { href: "#/" }, "Cluster"), "Servers"], server.name, badge(server.state), server.tags.map(tag => h("span", { class: "tag" }, tag)), acts(server)),
      server.state === "SERVER_LOST"
        ? h("p", { class: "card attention bad", role: "note", "data-key": "lost" }, `This server is lost: it was heard last ${ago(server.heartbeatAgeMs)}. The figures are from then.`) : null,
      tiles(
        tile("Push", rate(server.pushBytesPerSecond), plural(server.connections, "connection")),
        tile("Fetch", rate(server.fetchBytesPerSecond), "ten-second mean"),
        tile("Stored", bytes(server.storedBytes), plural(applications.length, "application")),
        tile("Memory", percent(share(server.memory.usedBytes, server.memory.capacityBytes)), [gauge("Memory", server.memory.usedBytes, server.memory.capacityBytes, memory), memory]),
        tile("To be written", bytes(server.memory.pendingSpillBytes), "from memory to disk"),
        server.move ? tile("To be moved", bytes(server.move.bytesLeft), `${plural(server.move.shufflesLeft, "shuffle")} left, ${bytes(server.move.movedBytes)} moved`) : null,
        tile("Disks", percent(share(used, server.space.capacityBytes)), [gauge("Disks", used, server.space.capacityBytes, `${bytes(used)} of ${bytes(server.space.capacityBytes)}`), `${bytes(server.space.freeBytes)} free`])),
      h("div", { class: "pair", "data-key": "charts" },
        chartPlace("server-rate", "Throughput", `Push ${rate(server.pushBytesPerSecond)}, fetch ${rate(server.fetchBytesPerSecond)} now`),
        chartPlace("server-stored", "Shuffle data", `${bytes(server.storedBytes)} stored now`)),
      section("Disks", `${server.disks.length}`, table({
        id: "disks", caption: "Disks", rows: server.disks, key: disk => disk.path, repaint, empty: "This server has no disk: its data lives in memory only.",
        columns: [
          { label: "Directory", value: disk => disk.path, show: disk => disk.path },
          { label: "Health", value: disk => disk.health, show: disk => [badge(disk.health), disk.cause ? ` ${disk.cause}` : ""] },
          { label: "Takes data", value: disk => String(disk.takesData), show: disk => (disk.takesData ? "yes" : "no") },
          { label: "Kind", value: disk => disk.kind, show: disk => disk.kind || "–" },
          { label: "Used", number: true, value: disk => share(disk.capacityBytes - disk.freeBytes, disk.capacityBytes), show: disk => [
            gauge("Used", disk.capacityBytes - disk.freeBytes, disk.capacityBytes, `${bytes(disk.capacityBytes - disk.freeBytes)} of ${bytes(disk.capacityBytes)}`),
            percent(share(disk.capacityBytes - disk.freeBytes, disk.capacityBytes))] },
          { label: "Free", number: true, value: disk => disk.freeBytes, show: disk => bytes(disk.freeBytes) },
          { label: "Being written", number: true, value: disk => disk.queueDepth, show: disk => count(disk.queueDepth) },
          { label: "Written", number: true, value: disk => disk.writtenBytes, show: disk => bytes(disk.writtenBytes) },
        ],
      })),
      section("Applications on this server", `${count(applications.length)}`, table({
        id: "held", caption: "Applications", rows: applications, key: held => held.application, repaint, empty: "This server holds no shuffle data.",
        filter: held => held.application, sortBy: { column: 2, down: true },
        columns: [
          { label: "Application", value: held => held.application, show: held => applicationLink(held.application) },
          { label: "Shuffles", number: true, value: held => held.shuffles, show: held => count(held.shuffles) },
          { label: "Stored", number: true, value: held => held.storedBytes, show: held => bytes(held.storedBytes) },
        ],
      })),
      h("div", { class: "pair", "data-key": "bottom" },
        section("About", "", facts([
          ["Host", server.host], ["Control port", server.rpcPort], ["Data port", server.nettyPort || "same as control"],
          ["This life began", dateTime(server.epoch)], ["Last heartbeat", ago(server.heartbeatAgeMs)], ["Merges waiting", count(server.pendingMerges)],
          ["Partitions assigned", count(server.partitionsAssigned)],
        ])),
        section("Events", h("a", { href: "#/events" }, "all"), eventList(events.events, events.time, "Nothing has happened to this server since this coordinator started."))),
    ];
  },
};

/** What an admin may do with it. */
function acts(server) {
  const { name, state } = server;
  return actButtons(
    state === "EXCLUDED"
      ? actButton("Include", `${name} is given partitions again.`, "DELETE", ["servers", name, "exclusion"])
      : actButton("Exclude", `${name} is given no more partitions by this coordinator, and serves what it holds, until it is included again.`, "POST", ["servers", name, "exclusion"]),
    state === "SERVER_DRAINING"
      ? actButton("Cancel decommission", `${name} goes on as before.`, "DELETE", ["servers", name, "decommission"])
      : state === "SERVER_LOST" ? null
      : actButton("Move and decommission", `${name} takes no new assignment anywhere, copies what it holds to other servers, and ends then.`, "POST", ["servers", name, "decommission"], { move: true }),
    state === "SERVER_DRAINING" || state === "SERVER_LOST" ? null
      : actButton("Decommission", `${name} takes no new assignment anywhere, serves what it holds, and ends once that is forgotten.`, "POST", ["servers", name, "decommission"], {}));
}
