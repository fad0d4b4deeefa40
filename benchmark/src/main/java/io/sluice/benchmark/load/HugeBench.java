package io.sluice.benchmark.load;

import io.sluice.benchmark.load.HugeLoad.Shape;
import io.sluice.cli.bench.BenchCluster;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.common.config.HostPort;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;

/**
 * Small partitions of some applications, pushed to at a steady rate, in turns alone, beside an
 * application that pushes as many bytes into many partitions, and beside one that pushes them all
 * into one. Turns are short and repeated, so that what else the machine does falls on all alike.
 */
final class HugeBench {
  private static final int APPLICATIONS = 10;
  private static final double SMALL_FRAMES_PER_SECOND = 20;
  private static final int SMALL_PAYLOAD = 6_000;
  private static final int LARGE_PAYLOAD = 100_000;
  private static final int LARGE_BLOCKS = 10;
  private static final long TIMEOUT_MS = 60_000;

  /** What happens beside the small partitions. */
  enum Beside {
    NOTHING("alone"),
    SPREAD("beside many partitions"),
    HUGE("beside a huge partition");

    private final String words;

    Beside(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  /**
   * What was measured.
   *
   * @param latencyUs of the pushes to small partitions
   * @param skipped pushes to small partitions that were left out
   */
  record Result(Map<Beside, Histogram> latencyUs, long skipped, long spreadBytes, long hugeBytes) {}

  private final long hugeBytes;
  private final double bytesPerSecond;
  private final int smallPartitions;
  private final long turnMs;

  HugeBench(long hugeBytes, double bytesPerSecond, int smallPartitions, long turnMs) {
    this.hugeBytes = hugeBytes;
    this.bytesPerSecond = bytesPerSecond;
    this.smallPartitions = smallPartitions;
    this.turnMs = turnMs;
  }

  /**
   * Measures; the cluster has one server.
   *
   * @param scheduler takes: ended with the measurement
   */
  Result run(LocalCluster cluster, DataTransport transport, ScheduledExecutorService scheduler)
      throws IOException, InterruptedException {
    byte[] payload = new byte[LARGE_PAYLOAD];
    RandomGenerator.of("L64X128MixRandom").nextBytes(payload);
    List<HugeLoad> all = new ArrayList<>();
    try {
      List<HugeLoad> small = new ArrayList<>();
      for (int i = 0; i < APPLICATIONS; i++) {
        Shape shape =
            new Shape(
                1,
                Math.max(1, smallPartitions / APPLICATIONS),
                10,
                SMALL_PAYLOAD,
                SMALL_FRAMES_PER_SECOND,
                64);
        small.add(add(all, cluster, transport, scheduler, shape, payload));
      }
      HugeLoad spread = add(all, cluster, transport, scheduler, large(smallPartitions), payload);
      HugeLoad huge = add(all, cluster, transport, scheduler, large(1), payload);
      Map<Beside, Histogram> latencies = new LinkedHashMap<>();
      for (Beside beside : Beside.values()) {
        latencies.put(beside, HugeLoad.newHistogram());
      }
      // The first turn warms both sides up, and counts nowhere.
      turn(small, spread, HugeLoad.newHistogram(), all);
      long last = -1;
      while (huge.pushedBytes() < hugeBytes && huge.pushedBytes() > last) {
        last = huge.pushedBytes();
        turn(small, null, latencies.get(Beside.NOTHING), all);
        turn(small, spread, latencies.get(Beside.SPREAD), all);
        turn(small, huge, latencies.get(Beside.HUGE), all);
      }
      long skipped = small.stream().mapToLong(HugeLoad::skipped).sum();
      return new Result(latencies, skipped, spread.pushedBytes(), huge.pushedBytes());
    } finally {
      // Leases are renewed no more: the applications end.
      scheduler.shutdownNow();
      all.forEach(HugeLoad::close);
    }
  }

  private Shape large(int partitions) {
    double frames = bytesPerSecond / (LARGE_PAYLOAD * LARGE_BLOCKS);
    return new Shape(4, partitions, LARGE_BLOCKS, LARGE_PAYLOAD, frames, 4);
  }

  private void turn(List<HugeLoad> small, HugeLoad beside, Histogram latencyUs, List<HugeLoad> all)
      throws IOException {
    if (beside != null) {
      beside.begin(HugeLoad.newHistogram());
    }
    small.forEach(load -> load.begin(latencyUs));
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(turnMs));
    small.forEach(HugeLoad::end);
    if (beside != null) {
      beside.end();
    }
    // What is on its way is answered, and what is in memory beyond the mark written.
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(turnMs / 4));
    for (HugeLoad load : all) {
      load.check();
    }
  }

  private static HugeLoad add(
      List<HugeLoad> all,
      LocalCluster cluster,
      DataTransport transport,
      ScheduledExecutorService scheduler,
      Shape shape,
      byte[] payload)
      throws IOException, InterruptedException {
    HostPort coordinator = HostPort.parse(cluster.coordinator().address());
    // Whatever the environment says of other clusters: this one has no secrets.
    ControlIdentity nobody = ControlIdentity.of(Map.of(), System.getProperty("user.name"));
    BenchCluster application =
        new BenchCluster(
            new ControlChannel("coordinator", coordinator, TIMEOUT_MS, nobody),
            scheduler,
            TIMEOUT_MS,
            nobody,
            BenchNames.fresh());
    HugeLoad load = new HugeLoad(application, shape, payload, scheduler, System::nanoTime);
    all.add(load);
    application.register();
    ServerId server = application.everywhere(1).get(0).server();
    load.connect(transport, server, TIMEOUT_MS);
    return load;
  }
}
