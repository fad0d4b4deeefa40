package io.sluice.benchmark.published;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.FreePages;
import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.cluster.RoundsOption;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.client.TransportKind;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench magnet}: the experiment of Figures 8 and 9 of the Magnet paper (VLDB 2020),
 * scaled to one machine, and the limit of the server's memory.
 */
@Command(
    name = "magnet",
    description =
        "Push and fetch blocks of several sizes over many connections, as in the Magnet paper, "
            + "and check the resident memory of the server.")
public final class MagnetCommand implements Callable<Integer> {
  private static final int MAX_BLOCK = 8 << 20;

  // Defaults of clients.
  private static final long FRAME = 2 << 20;
  private static final long SLICE = 4 << 20;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("256m");
  @Mixin private RoundsOption rounds = new RoundsOption(3);

  @Option(
      names = "--block-sizes",
      split = ",",
      defaultValue = "10k,100k,1000k",
      paramLabel = "SIZE",
      description = "Payload bytes of a block; default ${DEFAULT-VALUE}.")
  private List<DataSize> blockSizes;

  @Option(
      names = "--connections",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Number of connections; default ${DEFAULT-VALUE}, 200 mappers with 5 each.")
  private int connections;

  @Option(
      names = "--total",
      defaultValue = "4g",
      paramLabel = "SIZE",
      description = "Payload bytes for each block size; default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--transport",
      defaultValue = "GRPC_NETTY",
      paramLabel = "KIND",
      description = "Data transport: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private TransportKind transport;

  @Option(
      names = "--heap",
      defaultValue = "512m",
      paramLabel = "SIZE",
      description =
          "Size of the server's heap, all of which is resident; default ${DEFAULT-VALUE}.")
  private DataSize heap;

  @Option(
      names = "--max-rest",
      defaultValue = "286m",
      paramLabel = "SIZE",
      description =
          "Maximum resident memory of the server besides buffer and heap; the command fails if it "
              + "is more. Default ${DEFAULT-VALUE}, which is 300 MB.")
  private DataSize maxRest;

  @Option(
      names = "--protection",
      defaultValue = "none",
      converter = Protection.Converter.class,
      paramLabel = "KIND",
      description = "Protection of the connections: none, auth or tls; default ${DEFAULT-VALUE}.")
  private Protection protection;

  @Override
  public Integer call() throws IOException, InterruptedException {
    for (DataSize size : blockSizes) {
      check(size.bytes() >= 1 && size.bytes() <= MAX_BLOCK, "--block-sizes must be 1 to 8m");
    }
    check(connections >= 1 && rounds.count() >= 1, "--connections and --rounds must be at least 1");
    check(total.bytes() >= 1, "--total must be at least 1");
    check(servers.memoryBytes() >= 16L << 20, "--memory must be at least 16m");
    check(heap.bytes() >= 64L << 20, "--heap must be at least 64m");
    // The whole heap is resident from the start, so that the rest contains nothing of it.
    ServerShape shape =
        new ServerShape(
            servers.memoryBytes(),
            heap.bytes(),
            // Data in the page cache is read without seeks, so a merge is cost without a use.
            Map.of("rss.server.merge.hdd.policy", "OFF"),
            List.of("-Xms" + heap.bytes(), "-XX:+AlwaysPreTouch"));
    Map<Integer, List<MagnetRound>> measured;
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-magnet");
        ProtectedCluster cluster = ProtectedCluster.start(protection, directory.path(), shape)) {
      measured = measure(cluster, new FreePages(directory.path(), total.bytes()));
    }
    List<String> notes = new ArrayList<>();
    notes.add(
        "Medians of "
            + rounds.count()
            + " rounds; "
            + transport
            + ", protection: "
            + protection.label()
            + ", "
            + connections
            + " connections.");
    notes.add("The heap is resident as a whole from the start of the server.");
    results.publish(
        List.of(
            MagnetTable.costs("magnet-push", "Pushes by block size", measured, MagnetRound::push),
            MagnetTable.costs(
                "magnet-fetch", "Fetches by block size", measured, MagnetRound::fetch),
            MagnetTable.memory(measured, shape, maxRest)),
        notes);
    return checkMemory(measured, shape);
  }

  private int checkMemory(Map<Integer, List<MagnetRound>> measured, ServerShape shape) {
    int code = 0;
    for (Map.Entry<Integer, List<MagnetRound>> size : measured.entrySet()) {
      long rest = MagnetTable.rest(size.getValue(), shape);
      if (rest > maxRest.bytes()) {
        spec.commandLine()
            .getErr()
            .println(
                spec.qualifiedName()
                    + ": resident memory besides buffer and heap exceeds --max-rest: block="
                    + new DataSize(size.getKey())
                    + " rest="
                    + new DataSize(rest).toRoundedText()
                    + " max="
                    + maxRest);
        code = 1;
      }
    }
    return code;
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  /** Measures the sizes in alternating order, so that other load affects all of them. */
  private Map<Integer, List<MagnetRound>> measure(ProtectedCluster cluster, FreePages freePages)
      throws IOException, InterruptedException {
    Map<Integer, List<MagnetRound>> measured = new TreeMap<>();
    blockSizes.forEach(size -> measured.put((int) size.bytes(), new ArrayList<>()));
    for (int round = 0; round <= rounds.count(); round++) {
      List<Integer> order = new ArrayList<>(measured.keySet());
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (int size : order) {
        freePages.use();
        MagnetRound result = round(cluster, size);
        if (round > 0) {
          measured.get(size).add(result);
        }
      }
    }
    return measured;
  }

  private MagnetRound round(ProtectedCluster cluster, int blockBytes)
      throws IOException, InterruptedException {
    ProgressLine.Factory progress = BenchNames.progress(spec);
    BenchRun.Target target = cluster.target();
    String application = target.freshApplication();
    ProcessMeter server = cluster.server();
    server.resetResidentPeak();
    BenchLoad push = load(blockBytes, FRAME);
    BenchLoad fetch = load(blockBytes, SLICE);
    try (BenchRun pushes = BenchRun.start(push, target, progress, application);
        BenchRun fetches = BenchRun.start(fetch, target, progress, application)) {
      try {
        BenchReport pushed = pushes.push();
        BenchReport fetched =
            fetches.fetch(
                fetches.cluster().allPartitionsOnEveryServer(fetch.partitions()), pushed.blocks());
        return new MagnetRound(pushed, fetched, server.residentPeakBytes());
      } finally {
        pushes.cluster().forget();
      }
    }
  }

  private BenchLoad load(int blockBytes, long frameBytes) {
    return BenchLoad.of(connections, blockBytes, total.bytes(), frameBytes)
        .withTransport(transport);
  }
}
