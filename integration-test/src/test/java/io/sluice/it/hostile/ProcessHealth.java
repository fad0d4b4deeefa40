package io.sluice.it.hostile;

import io.sluice.localcluster.ClusterNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;

/** Checks one process before, during and after an attack. Used by one test. */
final class ProcessHealth {
  /** Prefix of log lines that attackers try to forge. */
  static final String FORGED = "2001-01-01T00:00:00.000Z INFO  audit [rpc-1] audit action=delete";

  private static final int LOG_TAIL_LINES = 4;
  private static final int EXAMPLES = 3;
  private static final int EXAMPLE_LENGTH = 1000;
  private static final int TRACE_LINES = 8;

  /** Log lines that no peer may be able to cause. */
  private static final Pattern ERROR_LINE = Pattern.compile("^\\S+ ERROR ");

  private static final long POLL_MS = 50;

  /** Metrics that are zero in an idle process. */
  private static final List<String> SERVER_BUDGETS =
      List.of(
          "sluice_server_memory_used_bytes",
          "sluice_server_pending_spill_bytes",
          "sluice_server_memory_waiters",
          "sluice_server_connections_paused",
          "sluice_server_stored_bytes",
          "sluice_server_shuffles",
          "sluice_server_connections");

  /** Metrics that an attack must not change, because it is not a disk fault. */
  private static final List<String> SERVER_CONSTANTS =
      List.of(
          "sluice_server_memory_max_bytes",
          "sluice_server_accepting",
          "sluice_server_file_read_failures_total",
          "sluice_server_failed_spills_total",
          "sluice_server_lost_runs_total",
          "sluice_server_merge_failures_total",
          "sluice_server_scrub_damaged_runs_total",
          "sluice_server_scrub_unreadable_runs_total");

  private final Target target;
  private final ClusterNode node;
  private final SampleSizes sizes;
  private final boolean isServer;
  private final long pid;
  private final long logBegin;
  private final long beganNanos;
  private final Gauges before;

  /** Written by the sampling thread. */
  private volatile long peakDirect;

  ProcessHealth(Target target, ClusterNode node, SampleSizes sizes) throws Exception {
    this.target = target;
    this.node = node;
    this.sizes = sizes;
    this.isServer = node.role() == ClusterNode.Role.SERVER;
    this.pid = node.pid();
    this.logBegin = Files.size(node.logFile());
    this.beganNanos = System.nanoTime();
    this.before = target.gauges(node);
  }

  /** Samples the process once. Called by one thread; ignores a process that does not answer. */
  void sample() throws InterruptedException {
    try {
      if (node.isAlive()) {
        peakDirect = Math.max(peakDirect, directUsed(target.gauges(node)));
      }
    } catch (IOException gone) {
      // The checks report it.
    }
  }

  /** Whether the process is running; records a failure otherwise. */
  private boolean isAlive(SoftAssertions softly, String when) {
    softly
        .assertThat(node.isAlive() && node.pid() == pid)
        .as(
            "%s %s is the process that was attacked; its log ends:\n%s",
            node.name(), when, node.logTail(LOG_TAIL_LINES))
        .isTrue();
    return node.isAlive();
  }

  /** Checks during the attack that the process runs and that its memory is bounded. */
  void checkDuring(SoftAssertions softly) throws Exception {
    if (isAlive(softly, "during the attack")) {
      checkMemory(softly, "during the attack");
    }
  }

  /**
   * Checks after the attack has closed its resources and the honest job has ended.
   *
   * @param honestRounds rounds that the honest job completed
   */
  void checkAfter(SoftAssertions softly, int honestRounds) throws Exception {
    if (!isAlive(softly, "after the attack")) {
      return;
    }
    checkMemory(softly, "after the attack");
    if (isServer) {
      checkBudgets(softly);
      checkConstants(softly);
    }
    checkLog(softly, honestRounds);
  }

  private void checkMemory(SoftAssertions softly, String when) throws Exception {
    long heapBound = isServer ? Bounds.SERVER_HEAP : Bounds.COORDINATOR_HEAP;
    long directBound =
        isServer
            ? sizes.blocksBytes() + Bounds.SERVER_DIRECT_BEYOND_BLOCKS
            : Bounds.COORDINATOR_DIRECT;
    Gauges now = target.gauges(node);
    if (heapUsed(now) > heapBound) {
      collectGarbage();
      now = target.gauges(node);
    }
    softly
        .assertThat(heapUsed(now))
        .as("%s: live heap %s", node.name(), when)
        .isLessThanOrEqualTo(heapBound);
    softly
        .assertThat(Math.max(peakDirect, directUsed(now)))
        .as("%s: peak direct memory until %s", node.name(), when)
        .isLessThanOrEqualTo(directBound);
    long jvmLimits =
        isServer
            ? sizes.serverHeapBytes() + directBound
            : sizes.coordinatorHeapBytes() + directBound;
    softly
        .assertThat(now.sum("process_resident_memory_bytes"))
        .as("%s: resident memory %s", node.name(), when)
        .isLessThanOrEqualTo(jvmLimits + Bounds.RESIDENT_BEYOND_JVM_LIMITS);
  }

  private static long heapUsed(Gauges gauges) {
    return gauges.of("jvm_memory_bytes_used", "area=\"heap\"");
  }

  private long directUsed(Gauges gauges) {
    // Netty counts memory that it reserves without the JVM's counter; otherwise both are equal.
    return Math.max(
        gauges.of("jvm_buffer_pool_used_bytes", "pool=\"direct\""),
        gauges.sum(netty("direct_used")));
  }

  private String netty(String what) {
    return (isServer ? "sluice_server_netty_" : "sluice_coordinator_netty_") + what + "_bytes";
  }

  /** Runs a collection, so that heap usage contains only live objects. */
  private void collectGarbage() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!jcmd.waitFor(Bounds.WAIT_SECONDS, TimeUnit.SECONDS)) {
      jcmd.destroyForcibly();
    }
  }

  private void checkBudgets(SoftAssertions softly) throws Exception {
    String nettyUsed = netty("pool_used");
    long nettyBound = before.sum(nettyUsed) + Bounds.NETTY_LEFT;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    Gauges now = target.gauges(node);
    while (!isQuiet(now, nettyUsed, nettyBound) && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      now = target.gauges(node);
    }
    for (String budget : SERVER_BUDGETS) {
      softly
          .assertThat(now.sum(budget))
          .as("%s: %s after the attack", node.name(), budget)
          .isZero();
    }
    softly
        .assertThat(now.sum(nettyUsed))
        .as("%s: %s after the attack", node.name(), nettyUsed)
        .isLessThanOrEqualTo(nettyBound);
  }

  private static boolean isQuiet(Gauges now, String nettyUsed, long nettyBound) {
    return SERVER_BUDGETS.stream().allMatch(budget -> now.sum(budget) == 0)
        && now.sum(nettyUsed) <= nettyBound;
  }

  private void checkConstants(SoftAssertions softly) throws Exception {
    Gauges now = target.gauges(node);
    for (String constant : SERVER_CONSTANTS) {
      softly
          .assertThat(now.sum(constant))
          .as("%s: %s", node.name(), constant)
          .isEqualTo(before.sum(constant));
    }
    Map<String, Long> disks = before.series("sluice_server_disk_health");
    softly
        .assertThat(now.series("sluice_server_disk_health"))
        .as("%s: states of disks", node.name())
        .isEqualTo(disks);
  }

  /** Checks that the attack did not fill the log and did not write arbitrary lines to it. */
  private void checkLog(SoftAssertions softly, int honestRounds) throws IOException {
    List<String> lines = newLogLines();
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
    softly
        .assertThat(lines.size())
        .as(
            "%s: lines of the log in %d s, most frequently %s",
            node.name(), seconds, mostFrequent(lines))
        .isLessThanOrEqualTo(
            (int)
                (Bounds.LOG_LINES
                    + seconds * Bounds.LOG_LINES_PER_SECOND
                    + (long) honestRounds * Bounds.LOG_LINES_PER_ROUND));
    softly
        .assertThat(examples(lines, line -> line.length() > Bounds.LOG_LINE_LENGTH))
        .as("%s: log lines that are too long", node.name())
        .isEmpty();
    softly
        .assertThat(examples(lines, line -> line.startsWith(FORGED)))
        .as("%s: log lines forged by an attacker", node.name())
        .isEmpty();
    softly
        .assertThat(examples(lines, line -> line.chars().anyMatch(ProcessHealth::isControl)))
        .as("%s: log lines with control characters", node.name())
        .isEmpty();
    softly
        .assertThat(faults(lines))
        .as("%s: log lines that report a fault of the process", node.name())
        .isEmpty();
  }

  /** Log lines that report a fault, each with the beginning of its stack trace. */
  private static List<String> faults(List<String> lines) {
    return examples(
        IntStream.range(0, lines.size())
            .filter(i -> ERROR_LINE.matcher(lines.get(i)).find())
            .mapToObj(i -> lines.subList(i, Math.min(i + TRACE_LINES, lines.size())))
            .map(fault -> String.join(" ", fault))
            .toList(),
        fault -> true);
  }

  /** Examples of the most frequent lines, which differ in digits only, with their number. */
  private static List<String> mostFrequent(List<String> lines) {
    Map<String, List<String>> alike =
        lines.stream().collect(Collectors.groupingBy(line -> line.replaceAll("\\d+", "#")));
    return alike.values().stream()
        .sorted(Comparator.comparing((List<String> same) -> same.size()).reversed())
        .limit(EXAMPLES)
        .map(same -> same.size() + " × " + examples(same.subList(0, 1), line -> true))
        .toList();
  }

  private static List<String> examples(List<String> lines, Predicate<String> chosen) {
    return lines.stream()
        .filter(chosen)
        .limit(EXAMPLES)
        .map(line -> line.substring(0, Math.min(line.length(), EXAMPLE_LENGTH)))
        .map(line -> line.replaceAll("\\p{Cntrl}", "?"))
        .toList();
  }

  /** Stack traces are indented by tabs. */
  private static boolean isControl(int c) {
    return (c < ' ' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
  }

  private List<String> newLogLines() throws IOException {
    try (RandomAccessFile log = new RandomAccessFile(node.logFile().toFile(), "r")) {
      byte[] bytes = new byte[(int) Math.min(Integer.MAX_VALUE - 8, log.length() - logBegin)];
      log.seek(logBegin);
      log.readFully(bytes);
      // Only line feeds end lines: a carriage return is a control character inside one.
      return Arrays.stream(new String(bytes, StandardCharsets.UTF_8).split("\n", -1))
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }
}
