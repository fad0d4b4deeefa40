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
 * Measures the latency of pushes to small partitions at a steady rate in three situations: alone,
 * beside an application that pushes the same bytes to many partitions, and beside one that pushes
 * them to one partition. The situations alternate in short turns, so that other load of the machine
 * affects all of them.
 */
final class HugeBench {
  private static final int APPLICATIONS = 10;
  private static final double SMALL_FRAMES_PER_SECOND = 20;
  private static final int SMALL_PAYLOAD = 6_000;
  private static final int LARGE_PAYLOAD = 100_000;
  private static final int LARGE_BLOCKS = 10;
  private static final long TIMEOUT_MS = 60_000;

  /** Load beside the small partitions. */
  enum Beside {
    NOTHING("alone"),
    SPREAD("beside many partitions"),
    HUGE("beside a huge partition");

    private final String label;

    Beside(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /**
   * Measurements.
   *
   * @param latencyUs latency of pushes to small partitions
   * @param skipped number of skipped pushes to small partitions
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
   * Runs the benchmark on a cluster with one server.
   *
   * @param scheduler takes; shut down at the end
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
      // The first turn is a warm-up and is not counted.
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
      // Ends the renewal of leases.
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
    // Time to answer pushes in flight and to spill down to the low watermark.
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
    // This cluster has no authentication; ignore credentials in the environment.
    ControlIdentity anonymous = ControlIdentity.of(Map.of(), System.getProperty("user.name"));
    BenchCluster application =
        new BenchCluster(
            new ControlChannel("coordinator", coordinator, TIMEOUT_MS, anonymous),
            scheduler,
            TIMEOUT_MS,
            anonymous,
            BenchNames.fresh());
    HugeLoad load = new HugeLoad(application, shape, payload, scheduler, System::nanoTime);
    all.add(load);
    application.register();
    ServerId server = application.allPartitionsOnEveryServer(1).get(0).server();
    load.connect(transport, server, TIMEOUT_MS);
    return load;
  }
}
