package io.sluice.benchmark.published;

import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.CpuClock;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Pushes a shuffle and reads it with the client library, as reduce tasks do, with slices of several
 * lengths. Each read verifies all blocks and their completeness, and deserializes all records. Used
 * by one thread.
 */
final class ReadLengthBench {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ProtectedCluster cluster;
  private final Shape shape;
  private final TransportKind transport;
  private final Preparation preparation;
  private final CpuClock cpu = new CpuClock();
  private final ControlIdentity user;
  private final String application;

  /**
   * The shuffle.
   *
   * @param maps number of map tasks
   * @param partitions number of reduce tasks
   * @param records records of a map task for a partition
   */
  record Shape(int maps, int partitions, int records) {}

  /** Work before each read, outside the measurement. */
  interface Preparation {
    void run() throws IOException, InterruptedException;
  }

  ReadLengthBench(
      ProtectedCluster cluster, Shape shape, TransportKind transport, Preparation preparation) {
    this.cluster = cluster;
    this.shape = shape;
    this.transport = transport;
    this.preparation = preparation;
    user = cluster.identity().ofAnotherApplication();
    application = user.applicationName(BenchNames.fresh());
  }

  /**
   * Reads the shuffle with each length over both methods, in alternating order.
   *
   * @param lengths maximum bytes of a slice
   * @param rounds number of measured rounds, after one that is not
   */
  List<ReadLengthRound> run(List<Integer> lengths, int rounds)
      throws IOException, InterruptedException {
    List<ReadLengthRound> measured = new ArrayList<>();
    try (SluiceClient owner = client(lengths.get(0), false)) {
      ShuffleAssignment assignment = register(owner);
      push(owner, assignment);
      for (int round = 0; round <= rounds; round++) {
        List<Integer> order = new ArrayList<>(lengths);
        if (round % 2 == 1) {
          Collections.reverse(order);
        }
        for (int length : order) {
          for (boolean isShortCircuit : new boolean[] {false, true}) {
            ReadLengthRound result = round(owner, assignment, length, isShortCircuit);
            if (round > 0) {
              measured.add(result);
            }
          }
        }
      }
    }
    return measured;
  }

  private SluiceClient client(int length, boolean isShortCircuit) {
    Map<String, String> settings = user.clientSettings();
    settings.put("rss.coordinator.quorum", cluster.coordinator().toString());
    settings.put("rss.client.type", transport.name());
    settings.put("rss.client.io.compression.codec", "NONE");
    settings.put("rss.client.read.buffer.size", Integer.toString(length));
    settings.put("rss.client.read.shortcircuit.enabled", Boolean.toString(isShortCircuit));
    return SluiceClient.start(
        ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, settings)), application, "bench");
  }

  private ShuffleAssignment register(SluiceClient client) throws IOException {
    ShuffleRegistration outcome =
        client
            .applicationSession(System.getProperty("user.name", "unknown"))
            .registerShuffle(0, shape.partitions());
    if (outcome instanceof Assigned assigned) {
      return assigned.assignment();
    }
    throw new IOException("the shuffle was not assigned to servers: " + outcome);
  }

  private void push(SluiceClient client, ShuffleAssignment assignment) throws IOException {
    byte[] records = KeyedRecords.random(shape.records(), RandomGenerator.of("L64X128MixRandom"));
    for (int map = 0; map < shape.maps(); map++) {
      try (PushSession session = client.pushSession(assignment, new MapAttempt(map, map))) {
        session.beginFinalPass();
        for (int partition = 0; partition < shape.partitions(); partition++) {
          session.add(partition, records, 0, records.length, shape.records());
        }
        session.finish();
      }
    }
  }

  /** Reads all partitions, as one task each. */
  private ReadLengthRound round(
      SluiceClient owner, ShuffleAssignment assignment, int length, boolean isShortCircuit)
      throws IOException, InterruptedException {
    preparation.run();
    try (SluiceClient reader = client(length, isShortCircuit)) {
      // Both clients are the same application, which only the owner registers.
      owner.credentials().newest().ifPresent(reader.credentials()::update);
      ProcessMeter server = cluster.server();
      double serverCpu = server.cpuSeconds();
      long clientCpu = cpu.nanos();
      long start = System.nanoTime();
      ReadCounters all = ReadCounters.ZERO;
      Deserialization deserialization = new Deserialization();
      for (int partition = 0; partition < shape.partitions(); partition++) {
        all = all.plus(read(reader, assignment, partition, deserialization));
      }
      double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
      deserialization.check((long) shape.maps() * shape.partitions() * shape.records());
      return new ReadLengthRound(
          length,
          isShortCircuit,
          seconds,
          deserialization.nanos / NANOS_PER_SECOND,
          (cpu.nanos() - clientCpu) / NANOS_PER_SECOND,
          server.cpuSeconds() - serverCpu,
          all);
    }
  }

  /** Deserializes records, and adds up the time. */
  private static final class Deserialization {
    private final KeyedRecords records = new KeyedRecords();
    private long nanos;

    void read(ByteBuffer content) {
      long start = System.nanoTime();
      records.read(content);
      nanos += System.nanoTime() - start;
    }

    void check(long expected) throws IOException {
      if (records.count() != expected) {
        throw new IOException(expected + " records were pushed, " + records.count() + " were read");
      }
    }
  }

  private ReadCounters read(
      SluiceClient reader,
      ShuffleAssignment assignment,
      int partition,
      Deserialization deserialization)
      throws IOException, InterruptedException {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < shape.maps(); map++) {
      request.expect(partition, map, map);
    }
    try (ShuffleRead read = reader.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        deserialization.read(block.content());
      }
      return read.counters();
    }
  }
}
