package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Fetch;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.model.ServerSetup;
import io.sluice.server.model.SimulatedServer;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A server with a disk of little bandwidth, and applications that push to it and read from it.
 * Belongs to a simulation.
 */
final class ThrottledServer implements AutoCloseable {
  static final long DISK_BYTES_PER_SECOND = 4 << 20;

  private static final int SLABS = 1024;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int PARTITIONS = 64;
  private static final long REPLY_SECONDS = 60;

  private final SimulatedThreads time;
  private final Random random;
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true, true);
  private final List<Application> applications = new ArrayList<>();

  ThrottledServer(long seed, Executor carriers) throws Exception {
    random = new FastRandom(seed);
    time = new SimulatedThreads(carriers);
    network = new SimulatedNetwork(time, new FastRandom(random.nextLong()), allocator);
    cluster =
        new SimulatedCluster(
            time,
            network,
            new FastRandom(random.nextLong()),
            1,
            Workload.USUAL.heartbeatMs(),
            List.of(
                new ServerSetup(
                    List.of(StorageKind.SSD),
                    1L << 40,
                    SLABS,
                    Fsync.NEVER,
                    0,
                    DISK_BYTES_PER_SECOND,
                    Workload.USUAL.heartbeatMs())),
            Optional.empty());
    time.advance(WARM_UP_NANOS);
  }

  /** Lets time pass. */
  void advance(long seconds) {
    time.advance(TimeUnit.SECONDS.toNanos(seconds));
  }

  /** Registers an application. */
  Application application(String name) {
    Application application = new Application(name);
    applications.add(application);
    return application;
  }

  @Override
  public void close() {
    applications.forEach(Application::close);
    cluster.close();
    time.close();
  }

  /** The latencies of requests in a part of the run. */
  static final class Latencies {
    private final List<Long> nanos = new ArrayList<>();

    /** The 99th percentile in nanoseconds. */
    long p99() {
      List<Long> sorted = new ArrayList<>(nanos);
      Collections.sort(sorted);
      assertThat(sorted).as("requests").hasSizeGreaterThan(100);
      return sorted.get(sorted.size() * 99 / 100);
    }
  }

  /**
   * A kind of load.
   *
   * @param connections number of connections, each with one request at a time
   * @param bytes bytes of a request
   * @param maxPauseMs maximum time between a reply and the next request; 0: none
   */
  record Load(int connections, int bytes, int maxPauseMs) {}

  /** An application with one shuffle. */
  final class Application {
    private final String name;
    private final SimulatedDriver driver;
    private final DataTransport transport;
    private final ShuffleId shuffle;
    private Latencies latencies = new Latencies();
    private long attempts;
    private boolean ended;

    private Application(String name) {
      this.name = name;
      driver = new SimulatedDriver(time, network, cluster, name, 1);
      transport = network.transport(name);
      shuffle = driver.register(0, PARTITIONS).shuffle();
    }

    /** Starts to record latencies. */
    Latencies record() {
      latencies = new Latencies();
      return latencies;
    }

    /** Pushes a number of frames to each of the first partitions, and waits for the replies. */
    void fill(int partitions, int bytes, int frames) {
      for (int partition = 0; partition < partitions; partition++) {
        pushAll(new Load(1, bytes, 0), partition, frames);
      }
    }

    /**
     * Reads on each connection until the application ends.
     *
     * @param partitions number of partitions that were filled
     * @param filledBytes bytes of each of them that are in files
     */
    void read(Load load, int partitions, long filledBytes) {
      for (int i = 0; i < load.connections(); i++) {
        int partition = i % partitions;
        start("read", () -> readAll(load, partition, filledBytes));
      }
    }

    /** Pushes on each connection, each to a partition of its own, until the application ends. */
    void push(Load load) {
      for (int i = 0; i < load.connections(); i++) {
        int partition = i;
        start("push", () -> pushAll(load, partition, Integer.MAX_VALUE));
      }
    }

    private void start(String what, Runnable task) {
      SimulatedThreads.Task unused = time.start(name + " " + what, task);
    }

    private DataConnection connect() {
      SimulatedServer server = cluster.servers().get(0);
      return await(transport.connect(server.id(), name, "task"));
    }

    private void pushAll(Load load, int partition, int frames) {
      DataConnection connection = connect();
      Push head = Push.newBuilder().setShuffle(shuffle).setEpoch(connection.epoch()).build();
      long attempt = attempts++;
      for (int sequence = 0; sequence < frames && !ended; sequence++) {
        long begunNanos = time.nanoTime();
        Object unused =
            await(connection.push(head, frame(attempt, partition, sequence, load.bytes())));
        replied(load, begunNanos);
      }
      connection.close();
    }

    private ByteBuf frame(long attempt, int partition, int sequence, int bytes) {
      int length = bytes - BlockHeader.LENGTH;
      ByteBuf frame = allocator.directBuffer(bytes, bytes);
      byte[] payload = new byte[length];
      random.nextBytes(payload);
      frame.writerIndex(BlockHeader.LENGTH);
      frame.writeBytes(payload);
      BlockFormat.seal(
          frame,
          0,
          new BlockHeader(
              attempt, (int) attempt, partition, sequence, 1, length, length, BlockCodec.NONE, 0));
      return frame;
    }

    private void readAll(Load load, int partition, long filledBytes) {
      DataConnection connection = connect();
      for (long offset = 0; !ended; offset += load.bytes()) {
        if (offset + load.bytes() > filledBytes) {
          offset = 0;
        }
        Fetch fetch =
            Fetch.newBuilder()
                .setShuffle(shuffle)
                .setEpoch(connection.epoch())
                .addRanges(
                    Range.newBuilder()
                        .setPartition(partition)
                        .setOffset(offset)
                        .setLength(load.bytes()))
                .build();
        long begunNanos = time.nanoTime();
        try (FetchedBody body = await(connection.fetch(fetch))) {
          assertThat(body.bytes().readableBytes()).isEqualTo(load.bytes());
          assertThat(body.head().getFromMemory()).as("bytes from memory").isZero();
        }
        replied(load, begunNanos);
      }
      connection.close();
    }

    private void replied(Load load, long begunNanos) {
      latencies.nanos.add(time.nanoTime() - begunNanos);
      if (load.maxPauseMs() > 0) {
        time.advance(TimeUnit.MILLISECONDS.toNanos(random.nextInt(load.maxPauseMs())));
      }
    }

    private <T> T await(CompletableFuture<T> reply) {
      try {
        return reply.get(REPLY_SECONDS, TimeUnit.SECONDS);
      } catch (Exception e) {
        if (ended) {
          throw new SimulatedThreads.SimulationEnded();
        }
        throw new AssertionError("a request of " + name + " failed", e);
      }
    }

    /** Ends its requests, and the application. */
    void close() {
      if (!ended) {
        ended = true;
        transport.close();
        driver.close();
      }
    }
  }
}
