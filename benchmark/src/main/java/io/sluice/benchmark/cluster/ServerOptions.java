package io.sluice.benchmark.cluster;

import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of benchmarks that start servers: their memory for blocks, and their directory. */
public final class ServerOptions {
  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "rss.server.buffer.capacity of each server; default ${DEFAULT-VALUE}.")
  private DataSize memory;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Directory for the files of the servers; default: a temporary directory.")
  private Path parent;

  /**
   * @param memory default of {@code --memory}
   */
  public ServerOptions(String memory) {
    this.memory = DataSize.parse(memory);
  }

  public long memoryBytes() {
    return memory.bytes();
  }

  /** Makes a directory for one run, which the caller closes. */
  public BenchDirectory makeDirectory(String name) throws IOException {
    return BenchDirectory.make(parent, name);
  }
}
