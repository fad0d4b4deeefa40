// Routing, periodic refresh and the status display.

import { get, ApiError } from "./api.js";
import { drawCharts, redrawCharts } from "./charts.js";
import { h, patchChildren } from "./dom.js";
import { span } from "./format.js";
import { applicationPage } from "./page-application.js";
import { clusterPage } from "./page-cluster.js";
import { eventsPage } from "./page-events.js";
import { finishedPage } from "./page-finished.js";
import { serverPage } from "./page-server.js";
import { shufflePage } from "./page-shuffle.js";
import { caller, setToken, token } from "./session.js";
import { loadCaller, signInForm } from "./sign-in.js";
import { startTheme } from "./theme.js";

const REFRESH_INTERVAL_MS = 3000;
const RETRY_INTERVAL_MS = 5000;

const ROUTES = [
  { pattern: /^\/?$/, names: [], page: clusterPage, nav: "#/" },
  { pattern: /^\/finished$/, names: [], page: finishedPage, nav: "#/finished" },
  { pattern: /^\/events$/, names: [], page: eventsPage, nav: "#/events" },
  { pattern: /^\/servers\/([^/]+)$/, names: ["server"], page: serverPage },
  { pattern: /^\/applications\/([^/]+)$/, names: ["application"], page: applicationPage },
  { pattern: /^\/applications\/([^/]+)\/shuffles\/(\d+)$/, names: ["application", "shuffle"], page: shufflePage },
];
const NAV = [["#/", "Cluster"], ["#/finished", "Finished"], ["#/events", "Events"]];

const content = document.getElementById("content");
const freshness = document.getElementById("freshness");
const problem = document.getElementById("problem");
const account = document.getElementById("account");

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
      return null; // Invalid percent encoding.
    }
  }
  return null;
}

function open() {
  if (location.hash === "#content") return; // The skip link.
  const found = routeOf(location.hash);
  const moved = current !== null;
  current = found && { ...found, data: null, at: 0, failure: null };
  found?.route.page.opened?.();
  patchChildren(document.getElementById("nav"), NAV.map(([href, name]) =>
    h("a", { href, "aria-current": found?.route.nav === href ? "page" : null }, name)));
  document.title = found ? `${found.route.page.title(found.parameters)} · Sluice` : "Sluice";
  if (!found) {
    content.replaceChildren(message("Page not found.", h("a", { href: "#/" }, "Go to the cluster page")));
    problem.hidden = true;
    return;
  }
  content.replaceChildren(h("p", { class: "empty" }, "Loading…"));
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
    // The secret was changed, or the user was removed.
    if (denied(failure) && token() !== null) await loadCaller(account);
  }
  paint();
  timer = setTimeout(refresh, shown.failure ? RETRY_INTERVAL_MS : REFRESH_INTERVAL_MS);
}

function paint() {
  const { route, data, failure } = current;
  document.body.classList.toggle("stale", failure !== null && !denied(failure));
  if (denied(failure)) {
    // Do not replace a form that the user is filling in.
    if (!content.querySelector("form.sign-in")) content.replaceChildren(signInForm("Sign in to view this cluster.", signedIn));
    drawCharts([]);
  } else if (failure instanceof ApiError && failure.status === 404) {
    content.replaceChildren(message(`${failure.message}.`, "It may have ended, or another coordinator manages it. ", h("a", { href: "#/" }, "Go to the cluster page")));
    drawCharts([]);
  } else if (data) {
    // Report rendering errors instead of showing a blank page.
    try {
      patchChildren(content, route.page.render(data, paint).filter(Boolean));
      drawCharts(route.page.charts(data));
    } catch (defect) {
      current.failure = defect;
      console.error(defect);
    }
  } else if (failure) {
    content.replaceChildren(message("No data yet.", "The page retries every few seconds."));
  }
  age();
}

function denied(failure) {
  return failure instanceof ApiError && failure.status === 401;
}

/** The user signed in or out. */
async function signedIn() {
  await loadCaller(account);
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

/** Updates the age of the shown data, once a second. */
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
    problem.hidden = true;
    return;
  }
  const gone = failure && !(failure instanceof ApiError && failure.status === 404);
  freshness.className = `freshness ${gone ? "bad" : ""}`;
  freshness.textContent = gone ? (at ? `${span(old)} old` : "no data") : at ? "live" : "connecting";
  problem.hidden = !gone;
  if (gone) {
    const why = failure instanceof ApiError ? `The coordinator returned an error: ${failure.message}.`
      : failure instanceof TypeError || failure.name === "TimeoutError" || failure.name === "AbortError" ? "The coordinator cannot be reached."
      : `The page could not be shown: ${failure.message}.`;
    const text = at ? `${why} The data is ${span(old)} old. Retrying.` : `${why} Retrying.`;
    if (problem.textContent !== text) problem.textContent = text;
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
account.addEventListener("click", () => {
  if (token() !== null) {
    setToken(null);
    signedIn();
  } else if (caller().tokens) {
    clearTimeout(timer);
    current = null; // Prevents a refresh from replacing the form.
    content.replaceChildren(signInForm("Sign in to view protected pages or, as an admin, to change the cluster.", signedIn, open));
    content.querySelector("input").focus();
  }
});
loadCaller(account).then(() => {
  if (current?.data) paint();
});
about();
open();
