package io.sluice.coordinator.explain;

import io.sluice.common.config.DataSize;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import io.sluice.coordinator.cluster.TaskReport.ShuffleReads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * Finds what the tasks of an application waited for, and orders the causes by their cost.
 *
 * <p>Costs are compared as time of the job. Waits are times of tasks, several of which run at a
 * time, so a wait costs the job its time divided by the number of concurrent tasks. The longest
 * read of a skewed shuffle delays the end of its stage by the whole difference from a mean read.
 *
 * <p>Waits are divided in two parts. If the waits for one server are at least {@link #OUTLIER}
 * times as long for each byte as those for the typical server, the difference counts for this
 * server; the rest counts for all servers together.
 */
public final class Diagnosis {
  /** Factor between the waits for each byte of one server and of the typical server. */
  private static final int OUTLIER = 2;

  /** Skew from which on the web pages mark a shuffle. */
  private static final int SKEWED = 3;

  /** Waits below this share of all waits are not reported, nor waits below {@link #MIN_TASK_MS}. */
  private static final double MIN_SHARE = 0.01;

  private static final long MIN_TASK_MS = 100;

  /** Rank of a cause with unknown cost among the others, as time of the job. */
  private static final long UNKNOWN_COST_MS = 1_000;

  private final TaskReport report;
  private final DiskSpeeds disks;
  private final long minTaskMs;
  private final List<Finding> findings = new ArrayList<>();

  private Diagnosis(TaskReport report, List<Server> servers) {
    this.report = report;
    this.disks = new DiskSpeeds(servers);
    long allMs = report.servers().stream().mapToLong(ServerTime::waitMs).sum();
    this.minTaskMs = Math.max(MIN_TASK_MS, (long) (MIN_SHARE * allMs));
  }

  /**
   * Returns all causes, the one that costs most first.
   *
   * @param servers all known servers, for the speeds of their disks
   */
  public static List<Finding> of(TaskReport report, Fallbacks fallbacks, List<Server> servers) {
    Diagnosis diagnosis = new Diagnosis(report, servers);
    diagnosis.findWaits();
    report.shuffles().forEach(diagnosis::findSkew);
    diagnosis.findFallbacks(fallbacks);
    diagnosis.findLocalOutput();
    diagnosis.findRetries();
    diagnosis.findings.sort(Comparator.comparingLong(Diagnosis::rank).reversed());
    return List.copyOf(diagnosis.findings);
  }

  private static long rank(Finding finding) {
    if (finding.jobMs() != null) {
      return finding.jobMs();
    }
    // Retries are rarely a cause by themselves: the waits for the failing server are.
    return finding.cause() == Cause.RETRIES ? 0 : UNKNOWN_COST_MS;
  }

  private void findWaits() {
    divide(ServerTime::diskWaitMs, this::diskOf, this::disksOfAll);
    divide(ServerTime::memoryWaitMs, Diagnosis::memoryOf, Diagnosis::memoryOfAll);
    divide(ServerTime::otherWaitMs, Diagnosis::server, Diagnosis::network);
  }

  /** A finding before its cost is known. */
  private record Text(Cause cause, String observed, String change) {}

  private interface OfServer {
    Text of(String server, String waited);
  }

  private interface OfAll {
    Text of(String waited);
  }

  private void divide(ToLongFunction<ServerTime> wait, OfServer ofServer, OfAll ofAll) {
    double usual = usualMsPerByte(wait);
    long shared = 0;
    for (ServerTime server : report.servers()) {
      long all = wait.applyAsLong(server);
      long expected = (long) (usual * server.bytes());
      boolean outlier = report.servers().size() > 1 && all >= OUTLIER * expected;
      if (outlier && all - expected >= minTaskMs) {
        add(ofServer.of(server.server(), span(all)), server.server(), all - expected);
        shared += expected;
      } else {
        shared += all;
      }
    }
    if (shared >= minTaskMs) {
      add(ofAll.of(span(shared)), null, shared);
    }
  }

  /** The lower median, so that one of two servers can be an outlier. */
  private double usualMsPerByte(ToLongFunction<ServerTime> wait) {
    double[] sorted =
        report.servers().stream()
            .mapToDouble(server -> wait.applyAsLong(server) / (double) Math.max(1, server.bytes()))
            .sorted()
            .toArray();
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) / 2];
  }

  private void add(Text text, String server, long taskMs) {
    findings.add(
        new Finding(
            text.cause,
            server,
            null,
            taskMs,
            taskMs / Math.max(1, report.concurrentTasks()),
            text.observed,
            text.change));
  }

  private Text diskOf(String server, String waited) {
    return new Text(
        Cause.DISK,
        "Tasks waited "
            + waited
            + " for disks of "
            + server
            + disks.slowestOf(server).map(text -> "; " + text).orElse("")
            + ".",
        "Check the disks of this server; until then exclude it: sluice admin exclude " + server);
  }

  private Text disksOfAll(String waited) {
    return new Text(
        Cause.DISK,
        "Tasks waited "
            + waited
            + " for the disks of all servers"
            + disks.median().map(text -> "; " + text).orElse("")
            + ".",
        "Add servers or disks (rss.storage.basePath); faster disks help as well.");
  }

  private static Text memoryOf(String server, String waited) {
    return new Text(
        Cause.MEMORY,
        "Tasks waited " + waited + " for memory of " + server + ".",
        "Raise rss.server.buffer.capacity of this server, or check whether it has a healthy disk.");
  }

  private static Text memoryOfAll(String waited) {
    return new Text(
        Cause.MEMORY,
        "Tasks waited " + waited + " for the memory of all servers.",
        "Raise rss.server.buffer.capacity, or add servers: sluice admin scale-advice");
  }

  private static Text server(String server, String waited) {
    return new Text(
        Cause.SERVER,
        "Tasks waited " + waited + " for " + server + ", longer than for other servers.",
        "Check CPU, garbage collection and network of this server; until then exclude it:"
            + " sluice admin exclude "
            + server);
  }

  private static Text network(String waited) {
    return new Text(
        Cause.NETWORK,
        "Tasks waited " + waited + " for the network and for all servers alike.",
        "Check the bandwidth between executors and servers; add servers if theirs is used up.");
  }

  private void findSkew(ShuffleReads shuffle) {
    if (shuffle.reads() < 2 || shuffle.longestBytes() == 0) {
      return;
    }
    long meanBytes = (shuffle.bytes() - shuffle.longestBytes()) / (shuffle.reads() - 1);
    long meanMs = (shuffle.durationMs() - shuffle.longestMs()) / (shuffle.reads() - 1);
    if (shuffle.longestBytes() < SKEWED * meanBytes) {
      return;
    }
    // A slow server can lengthen the longest read as well: no more than its bytes explain.
    double excessShare = 1 - meanBytes / (double) shuffle.longestBytes();
    long excessMs =
        Math.min(shuffle.longestMs() - meanMs, (long) (excessShare * shuffle.longestMs()));
    if (excessMs < MIN_TASK_MS) {
      return;
    }
    findings.add(
        new Finding(
            Cause.SKEW,
            null,
            shuffle.shuffle(),
            excessMs,
            excessMs,
            "One of "
                + shuffle.reads()
                + " reads of shuffle "
                + shuffle.shuffle()
                + " took "
                + span(shuffle.longestMs())
                + " for "
                + size(shuffle.longestBytes())
                + "; the others took "
                + span(meanMs)
                + " for "
                + size(meanBytes)
                + " on average.",
            "Add a random part to the key; Spark SQL can split the partition"
                + " (spark.sql.adaptive.skewJoin.enabled)."));
  }

  private void findFallbacks(Fallbacks fallbacks) {
    if (fallbacks.shuffles() > 0) {
      findings.add(
          Finding.withoutCost(
              Cause.FALLBACK,
              null,
              fallbacks.shuffles()
                  + " shuffles used the engine's built-in shuffle; the latest reason: "
                  + fallbacks.lastReason(),
              "Remove the reason: docs/operations.md has the reasons of fallbacks."));
    }
  }

  private void findLocalOutput() {
    long bytes = report.bytes().localWritten();
    if (bytes > 0) {
      findings.add(
          Finding.withoutCost(
              Cause.LOCAL_OUTPUT,
              null,
              "Map tasks wrote "
                  + size(bytes)
                  + " to local output of executors, and "
                  + size(report.bytes().pushed())
                  + " to servers.",
              "Check the servers that refused blocks: sluice admin events"));
    }
  }

  private void findRetries() {
    TaskReport.Retries retries = report.retries();
    if (retries.pushes() + retries.reads() + retries.replacementServers() > 0) {
      findings.add(
          Finding.withoutCost(
              Cause.RETRIES,
              null,
              "Tasks repeated "
                  + retries.pushes()
                  + " pushes and "
                  + retries.reads()
                  + " read requests, and changed "
                  + retries.replacementServers()
                  + " times to a replacement server.",
              "Look for lost or restarted servers: sluice admin events"));
    }
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }

  private static String span(long ms) {
    return String.format(Locale.ROOT, "%.1f s", ms / 1000.0);
  }
}
