// Which page is shown, and when it is asked for again.

import { get, Refusal } from "./api.js";
import { drawCharts, redrawCharts } from "./charts.js";
import { h, patchChildren } from "./dom.js";
import { span } from "./format.js";
import { applicationPage } from "./page-application.js";
import { clusterPage } from "./page-cluster.js";
import { eventsPage } from "./page-events.js";
import { serverPage } from "./page-server.js";
import { shufflePage } from "./page-shuffle.js";
import { caller, keep, token } from "./session.js";
import { lookWhoAsks, signInForm } from "./sign-in.js";
import { startTheme } from "./theme.js";

const EVERY_MS = 3000;
const AGAIN_MS = 5000;

const ROUTES = [
  { pattern: /^\/?$/, names: [], page: clusterPage, nav: "#/" },
  { pattern: /^\/events$/, names: [], page: eventsPage, nav: "#/events" },
  { pattern: /^\/servers\/([^/]+)$/, names: ["server"], page: serverPage },
  { pattern: /^\/applications\/([^/]+)$/, names: ["application"], page: applicationPage },
  { pattern: /^\/applications\/([^/]+)\/shuffles\/(\d+)$/, names: ["application", "shuffle"], page: shufflePage },
];
const NAV = [["#/", "Cluster"], ["#/events", "Events"]];

const content = document.getElementById("content");
const freshness = document.getElementById("freshness");
const trouble = document.getElementById("trouble");
const who = document.getElementById("who");

let current = null;
let timer = 0;

function routeOf(hash) {
  const path = hash.replace(/^#/, "");
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (!match) continue;
    try {
      const parameters = Object.fromEntries(route.names.map((name, index) => [name, decodeURIComponent(match[index + 1])]));
      return { route, parameters };
    } catch {
      return null; // A percent sign that stands for nothing.
    }
  }
  return null;
}

function open() {
  if (location.hash === "#content") return; // The skip link.
  const found = routeOf(location.hash);
  const moved = current !== null;
  current = found && { ...found, data: null, at: 0, failure: null };
  patchChildren(document.getElementById("nav"), NAV.map(([href, name]) =>
    h("a", { href, "aria-current": found?.route.nav === href ? "page" : null }, name)));
  document.title = found ? `${found.route.page.title(found.parameters)} · Sluice` : "Sluice";
  if (!found) {
    content.replaceChildren(message("There is no such page.", h("a", { href: "#/" }, "To the cluster page")));
    trouble.hidden = true;
    return;
  }
  content.replaceChildren(h("p", { class: "empty" }, "Asking the coordinator…"));
  if (moved) {
    content.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  refresh();
}

async function refresh() {
  clearTimeout(timer);
  const shown = current;
  if (!shown) return;
  try {
    const data = await shown.route.page.load(shown.parameters);
    if (shown !== current) return;
    shown.data = data;
    shown.at = Date.now();
    shown.failure = null;
  } catch (failure) {
    if (shown !== current) return;
    shown.failure = failure;
    // The secret has been changed, or the user is gone.
    if (denied(failure) && token() !== null) await lookWhoAsks(who);
  }
  paint();
  timer = setTimeout(refresh, shown.failure ? AGAIN_MS : EVERY_MS);
}

function paint() {
  const { route, data, failure } = current;
  document.body.classList.toggle("stale", failure !== null && !denied(failure));
  if (denied(failure)) {
    // A form that is being filled in stays.
    if (!content.querySelector("form.sign-in")) content.replaceChildren(signInForm("This cluster answers its users only.", signedIn));
    drawCharts([]);
  } else if (failure instanceof Refusal && failure.status === 404) {
    content.replaceChildren(message(`${failure.message}.`, "It may have ended, or another coordinator knows it. ", h("a", { href: "#/" }, "To the cluster page")));
    drawCharts([]);
  } else if (data) {
    // Whatever a page cannot make of its data must not leave it blank and silent.
    try {
      patchChildren(content, route.page.render(data, paint).filter(Boolean));
      drawCharts(route.page.charts(data));
    } catch (defect) {
      current.failure = defect;
      console.error(defect);
    }
  } else if (failure) {
    content.replaceChildren(message("Nothing to show yet.", "This page asks again every few seconds."));
  }
  age();
}

function denied(failure) {
  return failure instanceof Refusal && failure.status === 401;
}

/** Somebody is, or is not any more. */
async function signedIn() {
  await lookWhoAsks(who);
  about();
  open();
}

function about() {
  get("cluster").then(cluster => {
    document.getElementById("about").textContent = `Coordinator ${location.host} · Sluice ${cluster.version}`;
  }).catch(() => {});
}

function message(title, ...text) {
  return h("div", { class: "card message" }, h("h1", null, title), h("p", null, text));
}

/** How old the figures are; once a second, between the answers. */
function age() {
  if (!current) {
    freshness.textContent = "";
    return;
  }
  const { failure, at } = current;
  const old = at ? Date.now() - at : 0;
  if (denied(failure)) {
    freshness.className = "freshness bad";
    freshness.textContent = "not signed in";
    trouble.hidden = true;
    return;
  }
  const gone = failure && !(failure instanceof Refusal && failure.status === 404);
  freshness.className = `freshness ${gone ? "bad" : ""}`;
  freshness.textContent = gone ? (at ? `${span(old)} old` : "no answer") : at ? "live" : "connecting";
  trouble.hidden = !gone;
  if (gone) {
    const why = failure instanceof Refusal ? `The coordinator refused: ${failure.message}.`
      : failure instanceof TypeError || failure.name === "TimeoutError" || failure.name === "AbortError" ? "The coordinator cannot be reached."
      : `The answer could not be shown: ${failure.message}.`;
    const text = at ? `${why} These figures are ${span(old)} old; asking again.` : `${why} Asking again.`;
    if (trouble.textContent !== text) trouble.textContent = text;
  }
}

startTheme(document.getElementById("theme"), () => {
  redrawCharts();
  if (current?.data) paint();
});
document.querySelector(".skip").addEventListener("click", event => {
  event.preventDefault();
  content.focus();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else refresh();
});
addEventListener("hashchange", open);
setInterval(age, 1000);
addEventListener("sluice-changed", refresh);
who.addEventListener("click", () => {
  if (token() !== null) {
    keep(null);
    signedIn();
  } else if (caller().tokens) {
    clearTimeout(timer);
    current = null; // Nothing is painted over the form.
    content.replaceChildren(signInForm("Users look where not everybody may, and admins change things.", signedIn, open));
    content.querySelector("input").focus();
  }
});
lookWhoAsks(who).then(() => {
  if (current?.data) paint();
});
about();
open();
