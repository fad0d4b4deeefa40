package io.sluice.benchmark.published;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.cluster.RoundsOption;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.client.TransportKind;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench read-length}: time, CPU and deserialization of reads by their length, over
 * TCP and from files of the same host, as in the paper "Deconstructing the Shuffle operation".
 */
@Command(
    name = "read-length",
    description =
        "Push a shuffle, and read it as reduce tasks do with reads of several lengths, with and "
            + "without short-circuit reads.")
public final class ReadLengthCommand implements Callable<Integer> {
  private static final long MIN_LENGTH = 4 << 10;
  private static final long MAX_LENGTH = 16 << 20;
  private static final long PREPARE_SECONDS = 60;
  private static final String DATA_VARIABLE = "SLUICE_DATA";

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("64m");
  @Mixin private RoundsOption rounds = new RoundsOption(3);

  @Option(
      names = "--lengths",
      split = ",",
      defaultValue = "16k,64k,256k,1m,4m,16m",
      paramLabel = "SIZE",
      description = "Maximum bytes of one read; default ${DEFAULT-VALUE}.")
  private List<DataSize> lengths;

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
      defaultValue = "16k",
      paramLabel = "SIZE",
      description =
          "Bytes of one map task for one partition, which a read does not divide, in records of "
              + KeyedRecords.BYTES
              + " bytes; default "
              + "${DEFAULT-VALUE}.")
  private DataSize recordSize;

  @Option(
      names = "--transport",
      defaultValue = "GRPC_NETTY",
      paramLabel = "KIND",
      description = "Data transport: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private TransportKind transport;

  @Option(
      names = "--security",
      defaultValue = "none",
      paramLabel = "KIND",
      converter = Protection.Converter.class,
      description = "Security of the cluster: none, auth, tls; default ${DEFAULT-VALUE}.")
  private Protection protection;

  @Option(
      names = "--prepare",
      paramLabel = "COMMAND",
      description =
          "Shell command to run before each read, outside the measurement, such as dropping the "
              + "page cache. $SLUICE_DATA is the directory of the server. Default: none.")
  private String prepare;

  @Override
  public Integer call() throws IOException, InterruptedException {
    for (DataSize length : lengths) {
      check(
          length.bytes() >= MIN_LENGTH && length.bytes() <= MAX_LENGTH,
          "--lengths must be 4k to 16m");
    }
    check(partitions >= 1 && rounds.count() >= 1, "--partitions and --rounds must be at least 1");
    check(
        recordSize.bytes() >= KeyedRecords.BYTES && recordSize.bytes() <= MAX_LENGTH,
        "--records-size must be " + KeyedRecords.BYTES + " to 16m");
    check(servers.memoryBytes() >= 16L << 20, "--memory must be at least 16m");
    int maps = (int) Math.max(1, total.bytes() / (partitions * recordSize.bytes()));
    List<ReadLengthRound> measured;
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-read-length");
        ProtectedCluster cluster =
            ProtectedCluster.start(
                protection,
                directory.path(),
                ServerShape.ofBuffer(servers.memoryBytes())
                    // The default path, below the server's directory, can be too long.
                    .with(
                        "rss.server.shortcircuit.socket",
                        directory.path().resolve("sluice.sock").toString()))) {
      ReadLengthBench bench =
          new ReadLengthBench(
              cluster,
              new ReadLengthBench.Shape(
                  maps, partitions, (int) recordSize.bytes() / KeyedRecords.BYTES),
              transport,
              () -> prepare(directory.path()));
      measured =
          bench.run(lengths.stream().map(length -> (int) length.bytes()).toList(), rounds.count());
    }
    results.publish(
        List.of(ReadLengthTable.of(measured)),
        List.of(
            "Medians of "
                + rounds.count()
                + " rounds; "
                + transport
                + ", "
                + maps
                + " map tasks, "
                + partitions
                + " partitions, one reduce task at a time, which verifies every block"
                + " and deserializes every record."));
    return 0;
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  private void prepare(Path data) throws IOException, InterruptedException {
    if (prepare == null) {
      return;
    }
    ProcessBuilder command = new ProcessBuilder("sh", "-c", prepare).inheritIO();
    command.environment().put(DATA_VARIABLE, data.toString());
    Process process = command.start();
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
}
