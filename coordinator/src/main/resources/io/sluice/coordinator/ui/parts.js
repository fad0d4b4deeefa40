// Components shared by several pages.

import { h } from "./dom.js";
import { ago, bytes, count, dateTime, factor, percent, plural, rate, share, span } from "./format.js";
import { table } from "./table.js";

export const STATES = {
  ACTIVE: { label: "active", mark: "●", tone: "good" },
  SERVER_DRAINING: { label: "draining", mark: "◐", tone: "info" },
  UNHEALTHY: { label: "unhealthy", mark: "▲", tone: "warn" },
  EXCLUDED: { label: "excluded", mark: "◌", tone: "idle" },
  SERVER_LOST: { label: "lost", mark: "✕", tone: "bad" },
  LIVE: { label: "live", mark: "●", tone: "good" },
  EXPIRED: { label: "expired", mark: "▲", tone: "warn" },
  ENDED: { label: "ended", mark: "○", tone: "idle" },
  HEALTHY: { label: "healthy", mark: "●", tone: "good" },
  SUSPECT: { label: "suspect", mark: "▲", tone: "warn" },
  RECOVERING: { label: "recovering", mark: "◐", tone: "info" },
  LOST: { label: "lost", mark: "✕", tone: "bad" },
};

export function badge(state) {
  const known = STATES[state] ?? { label: String(state).toLowerCase(), mark: "?", tone: "warn" };
  return h("span", { class: `badge ${known.tone}` }, h("span", { "aria-hidden": "true" }, known.mark), ` ${known.label}`);
}

export function serverLink(name) {
  return h("a", { href: `#/servers/${encodeURIComponent(name)}` }, name);
}

export function applicationLink(name) {
  return h("a", { href: `#/applications/${encodeURIComponent(name)}` }, name);
}

export function shuffleLink(application, shuffle, text) {
  return h("a", { href: `#/applications/${encodeURIComponent(application)}/shuffles/${shuffle}` }, text);
}

/** A value with a label and a note. */
export function tile(label, value, note, tone) {
  return h("div", { class: `card tile ${tone ?? ""}`, "data-key": `tile-${label}` },
    h("dt", null, label), h("dd", null, value), h("dd", { class: "note" }, note ?? ""));
}

export function tiles(...all) {
  return h("dl", { class: "tiles", "data-key": "tiles" }, all);
}

/** A bar that shows a used share. */
export function gauge(label, part, all, text) {
  const full = share(part, all);
  return h("div", {
      class: `gauge ${full >= 0.95 ? "bad" : full >= 0.85 ? "warn" : ""}`, role: "meter", "aria-label": label,
      "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(full * 100), "aria-valuetext": text,
      title: text,
    }, h("span", { css: { width: `${Math.min(100, full * 100).toFixed(1)}%` } }));
}

export function section(title, note, ...children) {
  return h("section", { class: "card", "data-key": `section-${title}`, "aria-label": title },
    h("h2", null, title, note ? h("small", null, note) : null), children);
}

/** The heading of a detail page. */
export function heading(trail, title, ...after) {
  return h("div", { class: "heading", "data-key": "heading" },
    h("nav", { "aria-label": "Breadcrumb", class: "trail" }, trail.map(part => [part, h("span", { "aria-hidden": "true" }, " / ")])),
    h("h1", null, title), h("div", { class: "heading-end" }, after));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

const EVENT_LABELS = {
  SERVER_JOINED: "server joined", SERVER_RESTARTED: "server restarted", SERVER_RETURNED: "lost server reported again",
  SERVER_STATE_CHANGED: "server changed state", SERVER_LOST: "server lost", SERVER_FORGOTTEN: "lost server removed", SERVER_LEFT: "decommissioned server left",
  DISK_BAD: "disk failed", DISK_GOOD: "disk healthy again", EXCLUSIONS_CHANGED: "exclusions changed",
  SERVER_EXCLUDED: "server excluded", SERVER_INCLUDED: "server included again", CONFIGURATION_RELOADED: "configuration reloaded",
  APPLICATION_REGISTERED: "application registered", APPLICATION_DENIED: "application denied",
  APPLICATION_ENDED: "application ended", APPLICATION_EXPIRED: "application expired",
  SHUFFLE_SHORT_OF_COPIES: "fewer replicas than requested", SHUFFLE_REFUSED: "shuffle refused",
  SHUFFLE_MOVING: "shuffle is moved", SHUFFLE_MOVE_APPLIED: "driver uses the new server",
  RECEIPTS_WRONG: "readers got other records than map tasks wrote",
  DECOMMISSION_ORDERED: "decommission ordered", DECOMMISSION_CANCELLED: "decommission cancelled", LIMITS_SET: "limits of a user changed",
  TOKENS_REVOKED: "tokens revoked",
  METADATA_LOG_FAILED: "metadata log cannot be written", METADATA_LOG_RECOVERED: "metadata log can be written again",
  USAGE_RULES_CHANGED: "access rules or quotas changed", QUOTA_REACHED: "quota reached", QUOTA_LEFT: "below quota again",
};

export function eventList(events, now, empty) {
  if (events.length === 0) return h("p", { class: "empty" }, empty);
  return h("ol", { class: "events" }, events.map(event => h("li", { "data-key": `event-${event.number}`, class: event.severity === "INFO" ? "" : "warn" },
    h("time", { datetime: new Date(event.lastTime).toISOString(), title: dateTime(event.lastTime) }, ago(now - event.lastTime)),
    h("span", { class: "what" }, h("strong", null, EVENT_LABELS[event.kind] ?? event.kind.toLowerCase().replaceAll("_", " ")),
      event.count > 1 ? ` ×${count(event.count)}` : "", " ",
      event.server ? serverLink(event.server) : event.application ? applicationLink(event.application) : null),
    h("span", { class: "detail" }, details(event)))));
}

/** The key=value pairs of an event, without the server or application that the line shows as a link. */
function details(event) {
  const start = event.text.search(/\s\S+=/);
  return start < 0 ? "" : event.text.slice(start + 1)
    .replace(/(^|\s)(server|application)=(\S+)/g, (pair, before, key, value) => (value === event.server || value === event.application ? "" : pair))
    .trim();
}

export function applicationTable(id, rows, repaint, empty) {
  return table({
    id, caption: "Applications", rows, key: row => row.name, empty, repaint,
    filter: row => `${row.name} ${row.user}`, sortBy: { column: 4, down: true },
    columns: [
      { label: "Application", value: row => row.name, show: row => applicationLink(row.name) },
      { label: "User", value: row => row.user, show: row => row.user || "–" },
      { label: "State", value: row => row.state, show: row => badge(row.state) },
      { label: "Shuffles", number: true, value: row => row.shuffles, show: row => count(row.shuffles) },
      { label: "Stored", number: true, value: row => row.storedBytes, show: row => bytes(row.storedBytes) },
      { label: "Servers", number: true, value: row => row.servers, show: row => count(row.servers) },
      { label: "Fallbacks", number: true, value: row => row.fallbackShuffles, show: row => row.fallbackShuffles > 0
          ? h("strong", { class: "tone-warn", title: row.lastFallbackReason }, count(row.fallbackShuffles)) : "0" },
      { label: "Skew", number: true, value: row => row.skew, show: row => skew(row.skew) },
      { label: "Age", number: true, value: row => row.registeredAgeMs, show: row => span(row.registeredAgeMs) },
    ],
  });
}

/** Size of the largest partition divided by the mean. From about 3, expect straggling tasks. */
export function skew(value) {
  return value === null ? "–" : h("span", { class: value >= 3 ? "tone-warn" : "", title: "largest partition / mean" }, factor(value));
}

/** A bar chart of one value, with the mean marked. */
export function bars(label, rows, print) {
  const max = Math.max(1, ...rows.map(row => row.value));
  const counted = rows.filter(row => row.counts);
  const mean = counted.length ? counted.reduce((sum, row) => sum + row.value, 0) / counted.length : 0;
  return h("ul", { class: "bars", "aria-label": label }, rows.map(row => h("li", { "data-key": row.name },
    h("span", { class: "name" }, row.link),
    h("span", { class: "track" },
      h("span", { class: `fill ${row.tone ?? ""}`, css: { width: `${(row.value / max) * 100}%` } }),
      counted.length > 1 ? h("span", { class: "mean", "aria-hidden": "true", css: { left: `${(mean / max) * 100}%` } }) : null),
    h("span", { class: "number" }, print(row.value)))));
}

export { ago, bytes, count, factor, percent, plural, rate, share, span };
