package io.sluice.cli.bench;

import io.sluice.cli.control.ControlIdentity;
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

/**
 * Load of a benchmark: blocks of one size, pushed and fetched over a number of connections.
 *
 * @param connections number of connections, distributed over the servers
 * @param blockBytes payload of a block
 * @param totalBytes payload of all blocks
 * @param partitions number of reduce partitions
 * @param frameBytes maximum size of a push frame, and approximate size of a fetched slice
 * @param threads number of event loops of the client
 * @param inFlight maximum number of requests in flight per connection
 * @param clientMemoryBytes maximum bytes of frames in flight on all connections
 * @param requestTimeoutMs timeout of one push or fetch
 */
public record BenchLoad(
    int connections,
    int blockBytes,
    long totalBytes,
    int partitions,
    long frameBytes,
    TransportKind transport,
    IoMode ioMode,
    int threads,
    int inFlight,
    long clientMemoryBytes,
    long requestTimeoutMs) {

  private static final int PARTITIONS = 100;
  private static final int THREADS = 2;
  private static final int IN_FLIGHT = 2;
  private static final long CLIENT_MEMORY = 256L << 20;
  private static final long REQUEST_TIMEOUT_MS = 120_000;

  /** A load over framed TCP with the defaults of {@code bench push} for the rest. */
  public static BenchLoad of(int connections, int blockBytes, long totalBytes, long frameBytes) {
    return new BenchLoad(
        connections,
        blockBytes,
        totalBytes,
        PARTITIONS,
        frameBytes,
        TransportKind.GRPC_NETTY,
        IoMode.EPOLL,
        THREADS,
        IN_FLIGHT,
        CLIENT_MEMORY,
        REQUEST_TIMEOUT_MS);
  }

  /** The same load with blocks of another size. */
  public BenchLoad withBlockBytes(int bytes) {
    return new BenchLoad(
        connections,
        bytes,
        totalBytes,
        partitions,
        frameBytes,
        transport,
        ioMode,
        threads,
        inFlight,
        clientMemoryBytes,
        requestTimeoutMs);
  }

  /** The same load over another transport. */
  public BenchLoad withTransport(TransportKind kind) {
    return new BenchLoad(
        connections,
        blockBytes,
        totalBytes,
        partitions,
        frameBytes,
        kind,
        ioMode,
        threads,
        inFlight,
        clientMemoryBytes,
        requestTimeoutMs);
  }

  /** Blocks to push. */
  PushBenchPlan pushPlan() {
    long blocks = (totalBytes + blockBytes - 1) / blockBytes;
    return new PushBenchPlan(blocks, blockBytes, blocksPerFrame());
  }

  private int blocksPerFrame() {
    return (int) Math.max(1, frameBytes / (blockBytes + BlockHeader.LENGTH));
  }

  /** Maximum number of requests in flight on all connections. */
  int requestsInFlight() {
    long frame = Math.max(frameBytes, blockBytes + BlockHeader.LENGTH);
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, clientMemoryBytes / frame));
  }

  /**
   * Returns owned a transport for the load.
   *
   * @throws IOException if the identity is not usable, with a message of one line
   */
  DataTransport newTransport(BenchRun.Target target) throws IOException {
    ControlIdentity identity = target.identity();
    if (identity.problem().isPresent()) {
      throw new IOException(identity.problem().get());
    }
    TransportConfig anyAddress =
        new TransportConfig(
            (int) Math.min(requestTimeoutMs, TransportConfig.DEFAULT.connectTimeoutMs()),
            (int) requestTimeoutMs,
            ioMode,
            threads,
            FrameLimits.DEFAULT);
    TransportConfig config =
        target.localAddress().map(anyAddress::withLocalAddress).orElse(anyAddress);
    return switch (transport) {
      case GRPC ->
          new GrpcDataTransport(config, identity.credentials(), identity.tls(), System::nanoTime);
      case GRPC_NETTY ->
          new NettyDataTransport(config, identity.credentials(), identity.tls(), System::nanoTime);
    };
  }

  /** The settings in one line. */
  public String describe() {
    return transport
        + " "
        + ioMode
        + ", "
        + connections
        + " connections, "
        + partitions
        + " partitions, blocks of "
        + new DataSize(blockBytes);
  }
}
