package io.sluice.cli.bench;

import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.control.OptionTypes;
import io.sluice.client.TransportKind;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.DataSize;
import io.sluice.common.net.IoMode;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.GrpcDataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameLimits;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of a load: what is pushed and fetched, and how. */
public final class BenchOptions {

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--connections",
      defaultValue = "8",
      paramLabel = "N",
      description = "Connections, shared out among the servers; default ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--block-size",
      defaultValue = "100k",
      paramLabel = "SIZE",
      description = "Payload of a block; default ${DEFAULT-VALUE}.")
  private DataSize blockSize;

  @Option(
      names = "--total",
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = "Payload to push in all; default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--partitions",
      defaultValue = "100",
      paramLabel = "N",
      description = "Reduce partitions of the shuffle; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--frame-size",
      defaultValue = "1m",
      paramLabel = "SIZE",
      description =
          "Blocks are pushed together up to this size, fetched slices are about as large; default"
              + " ${DEFAULT-VALUE}.")
  private DataSize frameSize;

  @Option(
      names = "--transport",
      defaultValue = "GRPC_NETTY",
      paramLabel = "KIND",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private TransportKind transport;

  @Option(
      names = "--io-mode",
      defaultValue = "EPOLL",
      paramLabel = "MODE",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private IoMode ioMode;

  @Option(
      names = "--threads",
      defaultValue = "2",
      paramLabel = "N",
      description = "Event loops of the client, for all connections; default ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--in-flight",
      defaultValue = "2",
      paramLabel = "N",
      description = "Requests under way on one connection; default ${DEFAULT-VALUE}.")
  private int inFlight;

  @Option(
      names = "--client-memory",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description = "Frames under way on all connections together; default ${DEFAULT-VALUE}.")
  private DataSize clientMemory;

  @Option(
      names = "--request-timeout",
      defaultValue = "120s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Patience with one push or fetch; default ${DEFAULT-VALUE}.")
  private long requestTimeoutMs;

  /**
   * Checks what no single option can say.
   *
   * @throws ParameterException with one line
   */
  public void check() {
    demand(connections >= 1, "--connections must be at least 1");
    demand(partitions >= 1 && partitions < 1 << 24, "--partitions must be 1 to 16777215");
    demand(threads >= 1, "--threads must be at least 1");
    demand(inFlight >= 1, "--in-flight must be at least 1");
    demand(
        requestTimeoutMs >= 1 && requestTimeoutMs <= Integer.MAX_VALUE,
        "--request-timeout must be 1ms to 24d");
    int frameMax = FrameLimits.DEFAULT.maxBodyLength();
    demand(
        blockSize.bytes() >= 1 && blockSize.bytes() <= frameMax - BlockHeader.LENGTH,
        "--block-size must be 1 to " + (frameMax - BlockHeader.LENGTH) + " bytes");
    demand(
        frameSize.bytes() >= 1 && frameSize.bytes() <= frameMax,
        "--frame-size must be 1 to " + frameMax + " bytes");
    demand(total.bytes() >= 1, "--total must be at least 1");
    demand(
        clientMemory.bytes() >= Math.max(frameSize.bytes(), blockSize.bytes()),
        "--client-memory must hold at least one frame");
  }

  private void demand(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  public CommandSpec spec() {
    return spec;
  }

  int connections() {
    return connections;
  }

  public int partitions() {
    return partitions;
  }

  int inFlight() {
    return inFlight;
  }

  long frameBytes() {
    return frameSize.bytes();
  }

  long requestTimeoutMs() {
    return requestTimeoutMs;
  }

  /** What is pushed, shared out over the connections. */
  PushBenchPlan pushPlan() {
    long blocks = (total.bytes() + blockSize.bytes() - 1) / blockSize.bytes();
    return new PushBenchPlan(blocks, (int) blockSize.bytes(), blocksPerFrame());
  }

  private int blocksPerFrame() {
    return (int) Math.max(1, frameSize.bytes() / (blockSize.bytes() + BlockHeader.LENGTH));
  }

  /** Requests under way on all connections together. */
  int requestsInFlight() {
    long frame = Math.max(frameSize.bytes(), blockSize.bytes() + BlockHeader.LENGTH);
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, clientMemory.bytes() / frame));
  }

  /**
   * Returns owned.
   *
   * @throws IOException one line: why nobody can be connected to by {@code identity}
   */
  DataTransport newTransport(ControlIdentity identity) throws IOException {
    if (identity.problem().isPresent()) {
      throw new IOException(identity.problem().get());
    }
    TransportConfig config =
        new TransportConfig(
            (int) Math.min(requestTimeoutMs, TransportConfig.DEFAULT.connectTimeoutMs()),
            (int) requestTimeoutMs,
            ioMode,
            threads,
            FrameLimits.DEFAULT);
    return switch (transport) {
      case GRPC ->
          new GrpcDataTransport(config, identity.credentials(), identity.tls(), System::nanoTime);
      case GRPC_NETTY ->
          new NettyDataTransport(config, identity.credentials(), identity.tls(), System::nanoTime);
    };
  }

  public String describe() {
    return transport
        + " "
        + ioMode
        + ", "
        + connections
        + " connections, "
        + partitions
        + " partitions, blocks of "
        + blockSize;
  }
}
