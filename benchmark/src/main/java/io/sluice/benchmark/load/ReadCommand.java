package io.sluice.benchmark.load;

import io.sluice.cli.TextTable;
import io.sluice.cli.bench.BenchCluster;
import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.CpuClock;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.DataSize;
import io.sluice.proto.GetStatusReply;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench read}: pushes and reads a shuffle with the client library, as tasks do. Each
 * read verifies all blocks and their completeness.
 */
@Command(
    name = "read",
    description =
        "Push a shuffle, and read it as reduce tasks do, with and without short-circuit reads.")
public final class ReadCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final long PREPARE_SECONDS = 60;

  @Mixin private QuorumOptions quorum;

  @Option(
      names = "--total",
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = "Bytes to push in total; default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--partitions",
      defaultValue = "50",
      paramLabel = "N",
      description = "Number of reduce partitions; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--records-size",
      defaultValue = "100k",
      paramLabel = "SIZE",
      description = "Bytes of one map task for one partition; default ${DEFAULT-VALUE}.")
  private DataSize contentSize;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description =
          "Number of rounds; each reads the shuffle once with and once without short "
              + "circuit. Default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--transport",
      defaultValue = "GRPC_NETTY",
      paramLabel = "KIND",
      description = "Data transport: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private TransportKind transport;

  @Option(
      names = "--prepare",
      paramLabel = "COMMAND",
      description =
          "Shell command to run before each read, outside the measurement, such as "
              + "dropping the page cache; default: none.")
  private String prepare;

  @Spec private CommandSpec spec;

  private final CpuClock cpu = new CpuClock();

  @Override
  public Integer call() throws Exception {
    ControlIdentity user = ControlIdentity.ofEnvironment();
    String application = user.applicationName(BenchNames.fresh());
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    try (SluiceClient fetching = client(application, user, false);
        SluiceClient shortCircuit = client(application, user, true)) {
      ControlIdentity identity = ControlIdentity.ofEnvironment(shortCircuit.credentials());
      try (BenchCluster cluster =
          new BenchCluster(
              quorum.connect(identity), scheduler, quorum.timeoutMs(), identity, application)) {
        compare(fetching, shortCircuit, cluster);
      }
    } finally {
      scheduler.shutdownNow();
    }
    return 0;
  }

  private void compare(SluiceClient fetching, SluiceClient shortCircuit, BenchCluster cluster)
      throws IOException, InterruptedException {
    ShuffleAssignment assignment = register(shortCircuit);
    // Both clients are the same application; only one registers it.
    shortCircuit.credentials().newest().ifPresent(fetching.credentials()::update);
    int maps = maps();
    push(shortCircuit, assignment, maps);
    List<Share> servers =
        assignment.servers().stream().map(server -> new Share(server, new int[0])).toList();
    TextTable table =
        new TextTable(
            "read", ">seconds", ">GiB/s", ">from files", ">client CPU s/GiB", ">server CPU s/GiB");
    for (int round = 0; round < rounds; round++) {
      table.row(read("fetch", fetching, assignment, maps, cluster, servers));
      table.row(read("short circuit", shortCircuit, assignment, maps, cluster, servers));
    }
    BenchNames.print(spec, table.toString());
  }

  private int maps() {
    return (int) Math.max(1, total.bytes() / (partitions * contentSize.bytes()));
  }

  private SluiceClient client(String application, ControlIdentity user, boolean shortCircuit) {
    Map<String, String> settings = user.clientSettings();
    settings.put("rss.coordinator.quorum", quorum.text());
    settings.put("rss.client.type", transport.name());
    settings.put("rss.client.io.compression.codec", "NONE");
    settings.put("rss.client.read.shortcircuit.enabled", Boolean.toString(shortCircuit));
    return SluiceClient.start(
        ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, settings)), application, "bench");
  }

  private ShuffleAssignment register(SluiceClient client) throws IOException {
    ShuffleRegistration outcome =
        client
            .applicationSession(System.getProperty("user.name", "unknown"))
            .registerShuffle(0, partitions);
    if (outcome instanceof Assigned assigned) {
      return assigned.assignment();
    }
    throw new IOException("the shuffle was not assigned to servers: " + outcome);
  }

  private void push(SluiceClient client, ShuffleAssignment assignment, int maps)
      throws IOException {
    byte[] records = new byte[(int) contentSize.bytes()];
    // Random bytes: only their checksum is computed.
    RandomGenerator.of("L64X128MixRandom").nextBytes(records);
    for (int map = 0; map < maps; map++) {
      try (PushSession session = client.pushSession(assignment, new MapAttempt(map, map))) {
        session.beginFinalPass();
        for (int partition = 0; partition < partitions; partition++) {
          session.add(partition, records, 0, records.length, 1);
        }
        session.finish();
      }
    }
  }

  /** Reads all partitions, as one task each, and returns a row of the table. */
  private Object[] read(
      String way,
      SluiceClient client,
      ShuffleAssignment assignment,
      int maps,
      BenchCluster cluster,
      List<Share> servers)
      throws IOException, InterruptedException {
    prepare();
    Map<String, GetStatusReply> before = cluster.statuses(servers);
    long cpuBefore = cpu.nanos();
    long began = System.nanoTime();
    ReadCounters all = ReadCounters.ZERO;
    for (int partition = 0; partition < partitions; partition++) {
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      for (int map = 0; map < maps; map++) {
        request.expect(partition, map, map);
      }
      try (ShuffleRead read = client.read(request.build())) {
        while (read.next() != null) {
          // Only the counters are used.
        }
        all = all.plus(read.counters());
      }
    }
    double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
    double clientCpu = (cpu.nanos() - cpuBefore) / NANOS_PER_SECOND;
    double serverCpu = 0;
    Map<String, GetStatusReply> after = cluster.statuses(servers);
    for (Map.Entry<String, GetStatusReply> server : after.entrySet()) {
      serverCpu +=
          (server.getValue().getProcessCpuNanos()
                  - before.get(server.getKey()).getProcessCpuNanos())
              / NANOS_PER_SECOND;
    }
    double gib = all.bytes() / BYTES_PER_GIB;
    return new Object[] {
      way,
      text("%.2f", seconds),
      text("%.2f", gib / seconds),
      new DataSize(all.files().bytes()).toRoundedText()
          + " of "
          + new DataSize(all.bytes()).toRoundedText(),
      text("%.3f", clientCpu / gib),
      text("%.3f", serverCpu / gib)
    };
  }

  private void prepare() throws IOException, InterruptedException {
    if (prepare == null) {
      return;
    }
    Process process = new ProcessBuilder("sh", "-c", prepare).inheritIO().start();
    try {
      if (!process.waitFor(PREPARE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            "--prepare command was killed after " + PREPARE_SECONDS + " s: " + prepare);
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "--prepare command failed with exit code " + process.exitValue() + ": " + prepare);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static String text(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
