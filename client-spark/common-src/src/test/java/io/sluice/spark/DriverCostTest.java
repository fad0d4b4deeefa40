package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.spark.compat.SparkApis;
import io.sluice.spark.read.ExpectedMaps;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.Test;
import scala.Option;

/**
 * Measures the cost of a shuffle in the driver and in each task, on top of Spark's cost. Small by
 * default; for the size of {@code docs/performance.md} run
 *
 * <pre>
 *  -Dtest=DriverCostTest -Dsluice.cost.maps=10000 -Dsluice.cost.partitions=20000
 * </pre>
 */
class DriverCostTest {
  private static final int MAPS = Integer.getInteger("sluice.cost.maps", 500);
  private static final int PARTITIONS = Integer.getInteger("sluice.cost.partitions", 3000);
  private static final int EXECUTORS = 100;

  /** Partitions of one reduce task after adaptive execution has coalesced small ones. */
  private static final int COALESCED = 100;

  private static final int REPEATS = 7;

  /** Shuffle with locations of Sluice. */
  private static final int OURS = 1;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Not stopped, because that needs the rest of a driver. Its threads are idle daemons. */
  private final MapOutputTrackerMaster tracker =
      new MapOutputTrackerMaster(new SparkConf(false), null, true);

  private static ShuffleAssignment assignment(int servers) throws IOException {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    int first = 0;
    for (int i = 0; i < servers; i++) {
      String host = "shuffle-server-" + i + ".example.com";
      reply.addServers(
          ServerId.newBuilder().setName(host + ":19999").setHost(host).setRpcPort(19999));
      int last = (int) ((long) PARTITIONS * (i + 1) / servers) - 1;
      reply.addRanges(PartitionRange.newBuilder().setFirst(first).setLast(last).addServers(i));
      first = last + 1;
    }
    return ShuffleAssignment.of(
        ShuffleId.newBuilder().setApplication("app-20260101-0001_1767225600000").build(),
        PARTITIONS,
        reply.build());
  }

  private static int serializedBytes(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.size();
  }

  private MapStatus[] register(int shuffle, IntFunction<BlockManagerId> location) {
    Random random = new Random(7);
    if (shuffle == OURS) {
      tracker.shuffleStatuses().put(shuffle, SparkApis.current().shuffleStatus(MAPS, PARTITIONS));
    } else {
      tracker.registerShuffle(shuffle, MAPS, 0);
    }
    MapStatus[] statuses = new MapStatus[MAPS];
    for (int map = 0; map < MAPS; map++) {
      long[] lengths = new long[PARTITIONS];
      for (int i = 0; i < PARTITIONS; i++) {
        lengths[i] = random.nextInt(10) == 0 ? 0 : 1000 + random.nextInt(1000);
      }
      statuses[map] = MapStatus$.MODULE$.apply(location.apply(map), lengths, map);
    }
    return statuses;
  }

  private static BlockManagerId executor(int map) {
    int number = map % EXECUTORS;
    return BlockManagerId$.MODULE$.apply(
        Integer.toString(number), "worker-" + number + ".example.com", 7337, Option.empty());
  }

  @Test
  void handleSizeDependsOnServersAndNotOnPartitions() throws IOException {
    int few = serializedBytes(assignment(9));
    int many = serializedBytes(assignment(200));
    System.out.printf(
        Locale.ROOT,
        "assignment in each task: %,d bytes with 9 servers, %,d with 200%n",
        few,
        many);

    assertThat(few).isLessThan(9 * 100 + 500);
    assertThat(many).isLessThan(200 * 100 + 500);
  }

  @Test
  void mapStatusesCostAsMuchAsThoseOfTheBuiltInShuffle() throws IOException {
    MapStatus[] own = register(0, DriverCostTest::executor);
    MapStatus[] ours =
        register(OURS, map -> MapLocation.atServers(map, Integer.toString(map % EXECUTORS)));
    long ownNanos = registering(0, own);
    long oursNanos = registering(OURS, ours);
    int ownBytes = serializedBytes(own);
    int oursBytes = serializedBytes(ours);
    System.out.printf(
        Locale.ROOT,
        "map statuses, %,d maps x %,d partitions: %,d bytes each (built-in %,d);"
            + " registering all %.1f ms (%.1f)%n",
        MAPS,
        PARTITIONS,
        oursBytes / MAPS,
        ownBytes / MAPS,
        oursNanos / 1e6,
        ownNanos / 1e6);

    assertThat(oursBytes).isLessThan(ownBytes + MAPS * 64);
  }

  private long registering(int shuffle, MapStatus[] statuses) {
    long begun = System.nanoTime();
    for (int map = 0; map < MAPS; map++) {
      tracker.registerMapOutput(shuffle, map, statuses[map]);
    }
    return System.nanoTime() - begun;
  }

  @Test
  void findingMapsCostsAReduceTaskAboutAsMuchAsSparksList() throws IOException {
    registering(0, register(0, DriverCostTest::executor));
    registering(
        OURS, register(OURS, map -> MapLocation.atServers(map, Integer.toString(map % EXECUTORS))));
    ShuffleAssignment assignment = assignment(9);
    for (int partitions : new int[] {1, Math.min(COALESCED, PARTITIONS)}) {
      Cost own =
          cost(
              () -> {
                var found =
                    tracker.getMapSizesByExecutorId(0, 0, Integer.MAX_VALUE, 5, 5 + partitions);
                int count = 0;
                while (found.hasNext()) {
                  count += found.next()._2().size();
                }
                return count;
              });
      Cost ours =
          cost(
              () ->
                  ExpectedMaps.of(tracker, OURS, 0, Integer.MAX_VALUE, 5, 5 + partitions)
                      .request(assignment)
                      .build());
      System.out.printf(
          Locale.ROOT,
          "a reduce task of %,d partitions finds its %,d maps: %.2f ms of CPU, %,d bytes allocated;"
              + " Spark's list alone %.2f ms, %,d bytes%n",
          partitions,
          MAPS,
          ours.nanos / 1e6,
          ours.bytes,
          own.nanos / 1e6,
          own.bytes);

      // A location per attempt, and the attempts of each partition.
      long pieces = (long) MAPS * partitions;
      assertThat(ours.bytes).isLessThan(own.bytes + MAPS * 600L + pieces * 120 + 100_000);
    }
  }

  /** CPU time, which does not depend on other processes, and bytes allocated. */
  private record Cost(long nanos, long bytes) {}

  /** The minimum of a few runs. */
  private Cost cost(Supplier<Object> work) {
    long nanos = Long.MAX_VALUE;
    long bytes = Long.MAX_VALUE;
    long thread = Thread.currentThread().getId();
    for (int i = 0; i < REPEATS; i++) {
      long bytesBefore = threads.getThreadAllocatedBytes(thread);
      long begun = threads.getCurrentThreadCpuTime();
      assertThat(work.get()).isNotNull();
      nanos = Math.min(nanos, threads.getCurrentThreadCpuTime() - begun);
      bytes = Math.min(bytes, threads.getThreadAllocatedBytes(thread) - bytesBefore);
    }
    return new Cost(nanos, bytes);
  }
}
