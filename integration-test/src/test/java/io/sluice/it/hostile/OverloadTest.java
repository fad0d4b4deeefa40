package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Minutes of applications that push faster than the disk of the server writes, of clients that
 * never read acknowledgements, and of readers that never read, all at once. Memory stays within its
 * limits, and no application fails. {@code target/overload.md} has the times of the pushes and
 * reads of a small one.
 *
 * <p>{@code -Dsluice.test.overload.minutes=2} changes the length.
 */
@Tag("nightly")
class OverloadTest {
  private static final int MINUTES = Integer.getInteger("sluice.test.overload.minutes", 10);
  private static final int ALONE_SECONDS = 60;
  private static final int DISK_MEGABYTES_PER_SECOND = 20;
  private static final int FLOODS = 4;

  /** Shorter than the time after which the server closes the connections of stalled peers. */
  private static final int ATTACK_SECONDS = 50;

  private static final int SAMPLE_MS = 500;
  private static final double MICROS_PER_MS = 1000;

  @TempDir Path directory;

  @Test
  void budgetsHoldAndNoApplicationFails() throws Exception {
    assumeTrue(SlowDisk.isPossible(), "needs root and /dev/fuse for a slow disk");
    try (SlowDisk disk = SlowDisk.mount(directory, DISK_MEGABYTES_PER_SECOND);
        HostileCluster cluster =
            new HostileCluster(directory.resolve("cluster"), Encryption.CLEAR)) {
      cluster.start(Map.of("rss.storage.basePath", disk.mountpoint().resolve("server") + ":SSD"));
      overload(cluster);
    }
  }

  private static void overload(HostileCluster cluster) throws Exception {
    Target target = cluster.target();
    List<ProcessHealth> processes = cluster.processes(target);
    SoftAssertions softly = new SoftAssertions();
    List<String> rows = new ArrayList<>();
    int rounds;
    try (HonestJob honest = HonestJob.start(target);
        PeakSampler watch = PeakSampler.start(processes)) {
      HonestJob.Times unused = honest.takeTimes();
      TimeUnit.SECONDS.sleep(ALONE_SECONDS);
      rows.addAll(rows("alone", honest.takeTimes()));
      long pushed = 0;
      long waiters = 0;
      List<FloodJob> floods = new ArrayList<>();
      try (OpenResources open = new OpenResources()) {
        for (int i = 0; i < FLOODS; i++) {
          floods.add(open.add(FloodJob.start(target)));
        }
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        while (System.nanoTime() < end) {
          waiters += attackOnce(target, honest, processes, softly);
          pushed = floods.stream().mapToLong(FloodJob::pushedBytes).sum();
        }
        rows.addAll(rows("during " + MINUTES + " minutes of overload", honest.takeTimes()));
      }
      softly.assertThat(waiters).as("samples in which pushes waited for memory").isPositive();
      softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
      rounds = honest.rounds();
      rows.add(
          String.format(
              Locale.ROOT,
              "%n%d MiB pushed by %d large applications; %d rounds of the small one.",
              pushed >> 20,
              FLOODS,
              rounds));
    }
    for (ProcessHealth process : processes) {
      process.checkAfter(softly, rounds);
    }
    write(rows);
    softly.assertAll();
  }

  /**
   * Holds silent clients of both kinds for a while.
   *
   * @return number of samples in which pushes waited for memory
   */
  private static long attackOnce(
      Target target, HonestJob honest, List<ProcessHealth> processes, SoftAssertions softly)
      throws Exception {
    long waiters = 0;
    try (AutoCloseable silentPushers = PushAttacks.acknowledgementsNeverRead(target);
        AutoCloseable silentReaders = ReaderAttacks.neverRead(target)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ATTACK_SECONDS);
      while (System.nanoTime() < end) {
        Gauges now = target.gauges(target.server());
        softly
            .assertThat(now.sum("sluice_server_memory_used_bytes"))
            .as("memory in use")
            .isLessThanOrEqualTo(now.sum("sluice_server_memory_max_bytes"));
        waiters += now.sum("sluice_server_memory_waiters") > 0 ? 1 : 0;
        TimeUnit.MILLISECONDS.sleep(SAMPLE_MS);
      }
      for (ProcessHealth process : processes) {
        process.checkDuring(softly);
      }
      softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
    }
    return waiters;
  }

  private static List<String> rows(String when, HonestJob.Times times) {
    return List.of(
        row(when, "push of 256 KiB", times.pushes()), row(when, "read of 1 MiB", times.reads()));
  }

  private static String row(String when, String operation, List<Long> micros) {
    assertThat(micros).as("%s %s", operation, when).isNotEmpty();
    long[] ascending = micros.stream().mapToLong(Long::longValue).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "| %s | %s | %d | %.1f | %.1f | %.1f |",
        operation,
        when,
        ascending.length,
        percentile(ascending, 50),
        percentile(ascending, 99),
        percentile(ascending, 100));
  }

  private static double percentile(long[] ascending, int percent) {
    int rank = (int) Math.ceil(ascending.length * percent / 100.0);
    return ascending[Math.max(0, rank - 1)] / MICROS_PER_MS;
  }

  private static void write(List<String> rows) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| operation | when | number | p50, ms | p99, ms | highest, ms |");
    lines.add("| --- | --- | ---: | ---: | ---: | ---: |");
    lines.addAll(rows);
    Files.write(Path.of("target", "overload.md"), lines);
    lines.forEach(System.out::println);
  }
}
