// What the tasks of an application waited for, and what to change.

import { h } from "./dom.js";
import { bytes, count, section, serverLink, shuffleLink, span } from "./parts.js";
import { table } from "./table.js";

const CAUSES = {
  DISK: "disks", MEMORY: "memory", SERVER: "slow server", NETWORK: "network or busy servers", SKEW: "large partition",
  FALLBACK: "built-in shuffle", LOCAL_OUTPUT: "local output", RETRIES: "repeated requests",
};

/** The section of an application's page. */
export function explanationSection(explanation, repaint) {
  const { causes, servers } = explanation;
  if (!explanation.reported && causes.length === 0) {
    return section("Delays", "", h("p", { class: "empty" },
      "The driver has not reported its tasks. Spark drivers do so whenever they renew the lease, and at their end."));
  }
  return section("Delays", causes.length === 0 ? "" : "the costliest first",
    causes.length === 0 ? h("p", { class: "empty" }, "No cause of delays found.")
      : h("ol", { class: "causes" }, causes.map(cause => h("li", { "data-key": `${cause.cause}-${cause.server}-${cause.shuffle}` },
          h("p", { class: "what" }, h("strong", null, CAUSES[cause.cause] ?? cause.cause.toLowerCase().replaceAll("_", " ")),
            subject(explanation.application, cause), cost(cause)),
          h("p", null, cause.observed),
          h("p", { class: "change" }, cause.change)))),
    h("p", { class: "note" }, totals(explanation)),
    servers.length === 0 ? null : table({
      id: "waits", caption: "Waits by server", rows: servers, key: row => row.server, repaint, empty: "",
      filter: row => row.server, sortBy: { column: 3, down: true },
      columns: [
        { label: "Server", value: row => row.server, show: row => serverLink(row.server) },
        { label: "Pushed", number: true, value: row => row.pushedBytes, show: row => bytes(row.pushedBytes) },
        { label: "Read", number: true, value: row => row.readBytes, show: row => bytes(row.readBytes) },
        { label: "Waits of tasks", number: true, value: row => row.pushWaitMs + row.readWaitMs, show: row => wait(row.pushWaitMs + row.readWaitMs) },
        { label: "of it memory", number: true, value: row => row.memoryWaitMs, show: row => wait(row.memoryWaitMs) },
        { label: "of it disks", number: true, value: row => row.diskWaitMs, show: row => wait(row.diskWaitMs) },
      ],
    }));
}

/** The one server or shuffle that a cause concerns. */
function subject(application, cause) {
  if (cause.server !== null) return [cause.cause === "SERVER" ? " " : " of ", serverLink(cause.server)];
  return cause.shuffle === null ? null : [" of ", shuffleLink(application, cause.shuffle, `shuffle ${cause.shuffle}`)];
}

function cost(cause) {
  return cause.jobMs === null ? "" : `: about ${wait(cause.jobMs)} of the job, ${wait(cause.taskMs)} of its tasks`;
}

function wait(ms) {
  return ms < 1000 ? `${ms} ms` : span(ms);
}

function totals(explanation) {
  const { pushedBytes, readBytes, localWrittenBytes, localReadBytes, pushRetries, readRetries, replacementServers } = explanation;
  return [
    `Tasks pushed ${bytes(pushedBytes)} and read ${bytes(readBytes)}`,
    localWrittenBytes + localReadBytes > 0 ? `, wrote ${bytes(localWrittenBytes)} to local output and read ${bytes(localReadBytes)} of it` : "",
    pushRetries + readRetries > 0 ? `; repeated requests: ${count(pushRetries)} for pushes, ${count(readRetries)} for reads` : "",
    replacementServers > 0 ? `; replacement servers: ${count(replacementServers)}` : "", ".",
  ].join("");
}
