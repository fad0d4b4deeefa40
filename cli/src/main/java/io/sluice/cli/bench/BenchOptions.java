package io.sluice.cli.bench;

import io.sluice.cli.control.OptionTypes;
import io.sluice.client.TransportKind;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.DataSize;
import io.sluice.common.net.IoMode;
import io.sluice.transport.protocol.FrameLimits;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of a benchmark load. */
public final class BenchOptions {

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--connections",
      defaultValue = "8",
      paramLabel = "N",
      description =
          "Number of connections, distributed over the servers; default ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--block-size",
      defaultValue = "100k",
      paramLabel = "SIZE",
      description = "Payload bytes of a block; default ${DEFAULT-VALUE}.")
  private DataSize blockSize;

  @Option(
      names = "--total",
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = "Payload bytes to push in total; default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--partitions",
      defaultValue = "100",
      paramLabel = "N",
      description = "Number of reduce partitions of the shuffle; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--frame-size",
      defaultValue = "1m",
      paramLabel = "SIZE",
      description =
          "Maximum size of a push frame, and approximate size of a fetched slice; default "
              + "${DEFAULT-VALUE}.")
  private DataSize frameSize;

  @Option(
      names = "--transport",
      defaultValue = "GRPC_NETTY",
      paramLabel = "KIND",
      description = "Data transport: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private TransportKind transport;

  @Option(
      names = "--io-mode",
      defaultValue = "EPOLL",
      paramLabel = "MODE",
      description = "Netty I/O mode: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private IoMode ioMode;

  @Option(
      names = "--threads",
      defaultValue = "2",
      paramLabel = "N",
      description =
          "Number of event loops of the client, shared by all connections; default "
              + "${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--in-flight",
      defaultValue = "2",
      paramLabel = "N",
      description =
          "Maximum number of requests in flight per connection; default ${DEFAULT-VALUE}.")
  private int inFlight;

  @Option(
      names = "--client-memory",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description =
          "Maximum bytes of frames in flight on all connections; default ${DEFAULT-VALUE}.")
  private DataSize clientMemory;

  @Option(
      names = "--request-timeout",
      defaultValue = "120s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Timeout of one push or fetch; default ${DEFAULT-VALUE}.")
  private long requestTimeoutMs;

  /**
   * Checks ranges and combinations of options.
   *
   * @throws ParameterException with a message of one line
   */
  public void check() {
    check(connections >= 1, "--connections must be at least 1");
    check(partitions >= 1 && partitions < 1 << 24, "--partitions must be 1 to 16777215");
    check(threads >= 1, "--threads must be at least 1");
    check(inFlight >= 1, "--in-flight must be at least 1");
    check(
        requestTimeoutMs >= 1 && requestTimeoutMs <= Integer.MAX_VALUE,
        "--request-timeout must be 1ms to 24d");
    int frameMax = FrameLimits.DEFAULT.maxBodyLength();
    check(
        blockSize.bytes() >= 1 && blockSize.bytes() <= frameMax - BlockHeader.LENGTH,
        "--block-size must be 1 to " + (frameMax - BlockHeader.LENGTH) + " bytes");
    check(
        frameSize.bytes() >= 1 && frameSize.bytes() <= frameMax,
        "--frame-size must be 1 to " + frameMax + " bytes");
    check(total.bytes() >= 1, "--total must be at least 1");
    check(
        clientMemory.bytes() >= Math.max(frameSize.bytes(), blockSize.bytes()),
        "--client-memory must be at least --frame-size and --block-size");
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  public CommandSpec spec() {
    return spec;
  }

  /** The load of the options. */
  public BenchLoad load() {
    return new BenchLoad(
        connections,
        (int) blockSize.bytes(),
        total.bytes(),
        partitions,
        frameSize.bytes(),
        transport,
        ioMode,
        threads,
        inFlight,
        clientMemory.bytes(),
        requestTimeoutMs);
  }
}
