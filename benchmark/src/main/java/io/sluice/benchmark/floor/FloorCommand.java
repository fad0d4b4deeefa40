package io.sluice.benchmark.floor;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.FreePages;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.cli.control.OptionTypes;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench floor}. */
@Command(
    name = "floor",
    description =
        "Compare the CPU time of servers with that of a minimal program that receives frames, "
            + "appends them to a file and sends them with sendfile, in the same run.")
public final class FloorCommand implements Callable<Integer> {
  private static final int MAX_FRAME = FloorRequest.MAX_FRAME_LENGTH;
  private static final long MIN_TOTAL = 1 << 20;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Option(
      names = "--total",
      defaultValue = "2g",
      paramLabel = "SIZE",
      description =
          "Payload bytes of each operation; CPU time is measured in steps of 10 ms. Default "
              + "${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--connections",
      defaultValue = "8",
      paramLabel = "N",
      description = "Number of connections; default ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--block-size",
      defaultValue = "100k",
      paramLabel = "SIZE",
      description = "Payload bytes of a block; default ${DEFAULT-VALUE}.")
  private DataSize blockSize;

  @Option(
      names = "--frame-size",
      defaultValue = "1m",
      paramLabel = "SIZE",
      description = "Maximum size of a frame of all servers; default ${DEFAULT-VALUE}.")
  private DataSize frameSize;

  @Option(
      names = "--memory",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description =
          "rss.server.buffer.capacity of the servers that spill; default ${DEFAULT-VALUE}.")
  private DataSize memory;

  @Option(
      names = "--first",
      defaultValue = "60s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description =
          "Time after the start of the servers in which rounds are listed separately; default "
              + "${DEFAULT-VALUE}.")
  private long firstMs;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Number of rounds after that time; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Directory for the files of the servers; default: a temporary directory.")
  private Path parent;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1
        || connections < 1
        || total.bytes() < MIN_TOTAL
        || memory.bytes() < 16L << 20
        || frameSize.bytes() < 1
        || frameSize.bytes() > MAX_FRAME
        || blockSize.bytes() < 1
        || blockSize.bytes() > frameSize.bytes()) {
      throw new ParameterException(
          spec.commandLine(),
          "expected --rounds and --connections of at least 1, --total of at least 1m, --memory of"
              + " at least 16m, --frame-size of at most 64m, and --block-size of at most"
              + " --frame-size");
    }
    BenchLoad load =
        BenchLoad.of(connections, (int) blockSize.bytes(), total.bytes(), frameSize.bytes());
    // Blocks have headers, and spilling starts at 75 % of the memory.
    long enough = total.bytes() * 2 + (64L << 20);
    try (BenchDirectory directory = BenchDirectory.make(parent, "sluice-bench-floor");
        FloorProcess floor = FloorProcess.start(subdirectory(directory, "floor"));
        ProtectedCluster memoryOnly = cluster(directory, "memory", Protection.NONE, enough);
        ProtectedCluster files = cluster(directory, "files", Protection.NONE, memory.bytes());
        ProtectedCluster tls = cluster(directory, "tls", Protection.TLS, memory.bytes())) {
      CipherMeter cipher = CipherMeter.create(subdirectory(directory, "cipher"));
      FloorBench bench =
          new FloorBench(
              load,
              BenchNames.progress(spec),
              new FloorBench.Subjects(floor, cipher, memoryOnly, files, tls),
              new FreePages(directory.path(), total.bytes()));
      List<FloorRound> measured = bench.run(firstMs, rounds);
      results.publish(
          List.of(FloorTable.ratios(measured, firstMs), FloorTable.costs(measured, firstMs)),
          List.of(
              "Medians of " + rounds + " warm rounds; " + load.describe() + ".",
              "A ratio is that of one round, in which all operations follow each other.",
              "Cipher: " + cipher.cipherSuite() + "."));
    }
    return 0;
  }

  private static ProtectedCluster cluster(
      BenchDirectory directory, String name, Protection protection, long bufferBytes)
      throws IOException, InterruptedException {
    return ProtectedCluster.start(
        protection,
        subdirectory(directory, name),
        // The minimal server writes the bytes once, too.
        ServerShape.ofBuffer(bufferBytes).with("rss.server.merge.hdd.policy", "OFF"));
  }

  private static Path subdirectory(BenchDirectory directory, String name) throws IOException {
    return Files.createDirectory(directory.path().resolve(name));
  }
}
