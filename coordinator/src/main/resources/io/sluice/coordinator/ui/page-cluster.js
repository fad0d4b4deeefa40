// The start page: the state of the whole cluster.

import { get, query } from "./api.js";
import { chartFigure } from "./charts.js";
import { h } from "./dom.js";
import {
  applicationTable, badge, bars, bytes, count, eventList, factor, gauge, percent, plural, rate, section, serverLink, share, span,
  STATES, tile, tiles, ago,
} from "./parts.js";

const MAX_CARDS = 60;
const MAX_BARS = 40;
const NEARLY_FULL = 0.9;
let search = "";
let allCards = false;

export const clusterPage = {
  title: () => "Cluster",

  async load() {
    const [cluster, servers, applications, throughput, balance, events] = await Promise.all([
      get("cluster"), get("servers"), get("applications"), get("throughput"), get("balance"), query({ limit: 12 }, "events"),
    ]);
    return { cluster, servers: servers.servers, applications: applications.applications, throughput, balance, events };
  },

  charts: data => [
    { id: "cluster-rate", unit: "rate", times: data.throughput.times, lines: [
      { label: "push", values: data.throughput.pushBytesPerSecond, colour: "--push" },
      { label: "fetch", values: data.throughput.fetchBytesPerSecond, colour: "--fetch" }] },
    { id: "cluster-stored", unit: "bytes", times: data.throughput.times, lines: [
      { label: "stored", values: data.throughput.storedBytes, colour: "--stored" },
      { label: "in memory", values: data.throughput.memoryUsedBytes, colour: "--memory" }] },
  ],

  render(data, repaint) {
    const { cluster, servers, applications, balance, events } = data;
    const live = applications.filter(application => application.state === "LIVE");
    return [
      h("h1", { class: "unseen", "data-key": "h1" }, "Cluster"),
      attention(cluster, servers, live),
      figures(cluster, live),
      h("div", { class: "pair", "data-key": "charts" },
        chartFigure("cluster-rate", "Throughput", `Push ${rate(cluster.pushBytesPerSecond)}, fetch ${rate(cluster.fetchBytesPerSecond)} now`),
        chartFigure("cluster-stored", "Shuffle data", `${bytes(cluster.storedBytes)} stored now, ${bytes(cluster.memory.usedBytes)} of memory in use`)),
      map(servers, repaint),
      section("Applications", [`${count(live.length)} live`, " · ", h("a", { href: "#/finished" }, "finished")],
        applicationTable("applications", applications, repaint,
          "No application is registered. A Spark or MapReduce job appears here when its first shuffle starts.")),
      h("div", { class: "pair", "data-key": "bottom" }, balanceOf(balance), section("Events", h("a", { href: "#/events" }, "all"),
        eventList(events.events, events.time, "No events."))),
    ];
  },
};

function figures(cluster, live) {
  const states = cluster.serversByState;
  const known = Object.values(states).reduce((sum, number) => sum + number, 0);
  const diskUsed = cluster.disks.capacityBytes - cluster.disks.freeBytes;
  const others = Object.entries(states).filter(([state, number]) => state !== "ACTIVE" && number > 0)
    .map(([state, number]) => `${number} ${STATES[state]?.label ?? state}`).join(", ");
  return tiles(
    tile("Servers", `${count(states.ACTIVE ?? 0)} / ${count(known)}`, others || "all active", states.SERVER_LOST > 0 ? "bad" : states.UNHEALTHY > 0 ? "warn" : ""),
    tile("Push", rate(cluster.pushBytesPerSecond), plural(cluster.connections, "connection")),
    tile("Fetch", rate(cluster.fetchBytesPerSecond), "mean of 10 s"),
    tile("Stored", bytes(cluster.storedBytes), `${plural(cluster.shufflesAssigned, "shuffle")} assigned`),
    tile("Memory", percent(share(cluster.memory.usedBytes, cluster.memory.capacityBytes)), [
      gauge("Memory", cluster.memory.usedBytes, cluster.memory.capacityBytes, `${bytes(cluster.memory.usedBytes)} of ${bytes(cluster.memory.capacityBytes)}`),
      `${bytes(cluster.memory.usedBytes)} of ${bytes(cluster.memory.capacityBytes)}`]),
    tile("Disks", percent(share(diskUsed, cluster.disks.capacityBytes)), [
      gauge("Disks", diskUsed, cluster.disks.capacityBytes, `${bytes(diskUsed)} of ${bytes(cluster.disks.capacityBytes)}`),
      `${bytes(cluster.disks.freeBytes)} free`]),
    tile("Applications", count(live.length), cluster.fallbackShuffles > 0 ? plural(cluster.fallbackShuffles, "fallback") : "no fallbacks",
      cluster.fallbackShuffles > 0 ? "warn" : ""));
}

/** Problems, the most severe first, with links. */
function attention(cluster, servers, live) {
  const lines = [];
  const add = (tone, ...what) => lines.push({ tone, what });
  if (servers.length === 0) {
    add("warn", "No shuffle server has reported to this coordinator. Check rss.coordinator.quorum of the servers.");
  }
  for (const server of servers) {
    if (server.state === "SERVER_LOST") add("bad", serverLink(server.name), ` is lost: last heartbeat ${span(server.heartbeatAgeMs)} ago`);
  }
  for (const server of servers) {
    if (server.state === "SERVER_LOST") continue;
    if (server.state === "UNHEALTHY") add("bad", serverLink(server.name), " is unhealthy: no disk accepts data");
    for (const disk of server.disks) {
      if (disk.health !== "HEALTHY") add("bad", serverLink(server.name), ` disk ${disk.path} is ${STATES[disk.health]?.label ?? disk.health}${disk.cause ? `: ${disk.cause}` : ""}`);
      else if (disk.capacityBytes > 0 && 1 - disk.freeBytes / disk.capacityBytes >= NEARLY_FULL) add("warn", serverLink(server.name), ` disk ${disk.path} is ${percent(1 - disk.freeBytes / disk.capacityBytes)} full`);
    }
    if (share(server.memory.usedBytes, server.memory.capacityBytes) >= 0.95) add("warn", serverLink(server.name), " memory is full: pushes wait until data is written to disk");
  }
  for (const application of live) {
    if (application.fallbackShuffles > 0) {
      add("warn", h("a", { href: `#/applications/${encodeURIComponent(application.name)}` }, application.name),
        `: ${plural(application.fallbackShuffles, "fallback")} to the built-in shuffle. Last reason: ${application.lastFallbackReason}`);
    }
  }
  if (!cluster.ready) add("info", "This coordinator started recently and waits for heartbeats of servers before it assigns shuffles.");
  if (lines.length === 0) {
    return h("p", { class: "card well", "data-key": "attention" }, h("span", { "aria-hidden": "true" }, "✓ "),
      `No problems: ${plural(servers.length, "server")}, no failed disks, no fallbacks.`);
  }
  lines.sort((a, b) => (a.tone === "bad" ? 0 : 1) - (b.tone === "bad" ? 0 : 1));
  const shown = lines.slice(0, 8);
  return h("section", { class: `card attention ${lines[0].tone}`, "data-key": "attention", "aria-label": "Problems" },
    h("h2", null, plural(lines.length, "problem")),
    h("ul", null, shown.map(line => h("li", { class: line.tone }, line.what)),
      lines.length > shown.length ? h("li", null, `and ${count(lines.length - shown.length)} more`) : null));
}

function map(servers, repaint) {
  const found = servers.filter(server => `${server.name} ${server.zone} ${server.tags.join(" ")} ${STATES[server.state]?.label}`.toLowerCase().includes(search.toLowerCase()));
  const compact = found.length > MAX_CARDS && !allCards;
  const zones = new Set(servers.map(server => server.zone).filter(Boolean)).size;
  return section("Servers", `${count(servers.length)} known${zones > 0 ? ` in ${plural(zones, "zone")}` : ""}`,
    servers.length > 8 ? h("input", { type: "search", class: "filter", placeholder: `Filter ${count(servers.length)} servers by name, zone, tag or state`, "aria-label": "Filter servers",
      on: { input: event => { search = event.target.value; repaint(); } } }) : null,
    servers.length === 0 ? h("p", { class: "empty" }, "No shuffle server has reported to this coordinator.")
      : found.length === 0 ? h("p", { class: "empty" }, "No server matches the filter.")
      : h("ul", { class: compact ? "map compact" : "map" }, found.map(server => (compact ? cell(server) : card(server)))),
    found.length > MAX_CARDS ? h("button", { type: "button", class: "quiet more", on: { click: () => { allCards = !allCards; repaint(); } } },
      compact ? "Show as cards" : "Show as compact map") : null);
}

function used(server) {
  return server.space.capacityBytes - server.space.freeBytes;
}

function card(server) {
  const lost = server.state === "SERVER_LOST";
  const bad = server.disks.filter(disk => disk.health !== "HEALTHY").length;
  const memory = `${bytes(server.memory.usedBytes)} of ${bytes(server.memory.capacityBytes)}`;
  const disks = `${bytes(used(server))} of ${bytes(server.space.capacityBytes)}`;
  return h("li", { "data-key": server.name },
    h("a", { class: `server ${STATES[server.state]?.tone ?? "warn"}`, href: `#/servers/${encodeURIComponent(server.name)}` },
      h("span", { class: "server-head" }, h("span", { class: "server-name" }, server.name), badge(server.state)),
      h("span", { class: "row" }, h("span", null, "Memory"), gauge("Memory", server.memory.usedBytes, server.memory.capacityBytes, memory),
        h("span", { class: "number" }, percent(share(server.memory.usedBytes, server.memory.capacityBytes)))),
      h("span", { class: "row" }, h("span", null, "Disks"), gauge("Disks", used(server), server.space.capacityBytes, disks),
        h("span", { class: "number" }, percent(share(used(server), server.space.capacityBytes)))),
      h("span", { class: "server-foot" },
        lost ? h("span", { class: "tone-bad" }, `last heartbeat ${ago(server.heartbeatAgeMs)}`)
          : [h("span", null, `↓ ${rate(server.pushBytesPerSecond)}`), h("span", null, `↑ ${rate(server.fetchBytesPerSecond)}`), h("span", null, bytes(server.storedBytes))],
        server.zone ? h("span", null, `zone ${server.zone}`) : null,
        bad > 0 ? h("span", { class: "tone-bad" }, `${bad} of ${server.disks.length} disks failed`) : null)));
}

function cell(server) {
  const fullest = Math.max(share(server.memory.usedBytes, server.memory.capacityBytes), share(used(server), server.space.capacityBytes));
  const text = `${server.name}${server.zone ? ` in zone ${server.zone}` : ""}: ${STATES[server.state]?.label}, memory ${percent(share(server.memory.usedBytes, server.memory.capacityBytes))}, disks ${percent(share(used(server), server.space.capacityBytes))}`;
  return h("li", { "data-key": server.name }, h("a", {
      class: `cell ${STATES[server.state]?.tone ?? "warn"}`, href: `#/servers/${encodeURIComponent(server.name)}`, title: text, "aria-label": text,
    }, h("span", { css: { height: `${Math.min(100, fullest * 100).toFixed(0)}%` } })));
}

function balanceOf(balance) {
  const rows = balance.servers.filter(server => server.partitionsAssigned > 0 || server.state === "ACTIVE")
    .sort((a, b) => b.partitionsAssigned - a.partitionsAssigned);
  const any = rows.some(row => row.partitionsAssigned > 0);
  return section("Assignment balance", balance.maxOverMean === null ? "" : `highest is ${factor(balance.maxOverMean)} the mean`,
    !any ? h("p", { class: "empty" }, "No partitions have been assigned since this coordinator started.")
      : [bars("Partitions assigned since this coordinator started", rows.slice(0, MAX_BARS).map(row => ({
            name: row.server, link: serverLink(row.server), value: row.partitionsAssigned, counts: row.state === "ACTIVE",
            tone: STATES[row.state]?.tone === "good" ? "" : STATES[row.state]?.tone,
          })), count),
         h("p", { class: "note" }, `Partitions assigned since this coordinator started; the line marks the mean of active servers.${rows.length > MAX_BARS ? ` Showing the highest ${MAX_BARS} of ${count(rows.length)}.` : ""}`)]);
}
