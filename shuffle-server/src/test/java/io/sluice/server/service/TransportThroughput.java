package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.net.IoMode;
import io.sluice.proto.Fetch;
import io.sluice.proto.PushAck;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.contract.FakeDataService;
import io.sluice.transport.contract.Loopback;
import io.sluice.transport.contract.TransportEnds;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.DataTransportConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Measures the transports over loopback, with both ends in this process and a service that does not
 * process the bytes: {@code TransportThroughput MiB NIO,EPOLL,IO_URING,GRPC 1,8}. Prints GiB per
 * second and GiB per CPU second of both ends together.
 */
final class TransportThroughput {
  private static final int BODY = 1 << 20;
  private static final int IN_FLIGHT = 8;
  private static final long MEMORY_BYTES = 64L << 20;

  private TransportThroughput() {}

  public static void main(String[] arguments) throws Exception {
    long totalBytes = Long.parseLong(arguments[0]) << 20;
    Path directory = Files.createTempDirectory("throughput");
    for (String transport : arguments[1].split(",")) {
      for (String connections : arguments[2].split(",")) {
        measure(transport, Integer.parseInt(connections), totalBytes, directory);
      }
    }
  }

  private static void measure(String transport, int connections, long totalBytes, Path directory)
      throws Exception {
    IoMode mode = transport.equals("GRPC") ? IoMode.EPOLL : IoMode.valueOf(transport);
    try (MemoryBudget memory =
            new MemoryBudget(new MemoryConfig(MEMORY_BYTES, 64 << 10, 75, 25), System::nanoTime);
        FakeDataService service = new FakeDataService(memory, FrameLimits.DEFAULT, directory);
        Loopback loopback =
            transport.equals("GRPC")
                ? Loopback.grpc(service, DataTransportConfig.DEFAULT)
                : Loopback.netty(service, DataTransportConfig.DEFAULT, mode);
        DataTransport client =
            loopback.newClient(new TransportConfig(5_000, 60_000, mode, 2, FrameLimits.DEFAULT))) {
      List<DataConnection> open = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        open.add(client.connect(loopback.server(), "app", "bench").get());
      }
      ByteBuf body = PooledByteBufAllocator.DEFAULT.directBuffer(BODY).writeZero(BODY);
      open.get(0).push(TransportEnds.pushOf(1), body.retainedSlice()).get();
      Fetch fetch = Fetch.newBuilder().addRanges(TransportEnds.range(1, 0, BODY)).build();
      service.keepBodies(false);

      Round push =
          connection ->
              connection
                  .push(TransportEnds.pushOf(1), body.retainedSlice())
                  .thenApply(PushAck::getEpoch);
      Round read =
          connection ->
              connection
                  .fetch(fetch)
                  .thenApply(
                      fetched -> {
                        try (FetchedBody whole = fetched) {
                          return whole.head().getEpoch();
                        }
                      });
      run(push, open, totalBytes / 4);
      report(transport, connections, "push", run(push, open, totalBytes), totalBytes);
      run(read, open, totalBytes / 4);
      report(transport, connections, "fetch memory", run(read, open, totalBytes), totalBytes);
      service.spill();
      run(read, open, totalBytes / 4);
      report(transport, connections, "fetch file", run(read, open, totalBytes), totalBytes);
      body.release();
      System.out.printf(
          Locale.ROOT,
          "%-8s %d connections paused %d times, most memory used %d MiB%n",
          transport,
          connections,
          loopback.counters().pauses(),
          memory.peakBytes() >> 20);
    }
  }

  private interface Round {
    CompletableFuture<Long> send(DataConnection connection);
  }

  private record Cost(long wallNanos, long cpuNanos) {}

  private static Cost run(Round round, List<DataConnection> connections, long totalBytes) {
    long wall = System.nanoTime();
    long cpu = cpuNanos();
    Deque<CompletableFuture<Long>> inFlight = new ArrayDeque<>();
    long count = totalBytes / BODY;
    for (long i = 0; i < count; i++) {
      inFlight.add(round.send(connections.get((int) (i % connections.size()))));
      if (inFlight.size() >= Math.max(IN_FLIGHT, connections.size())) {
        inFlight.remove().join();
      }
    }
    inFlight.forEach(CompletableFuture::join);
    return new Cost(System.nanoTime() - wall, cpuNanos() - cpu);
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static void report(
      String transport, int connections, String name, Cost cost, long totalBytes) {
    double gib = totalBytes / (double) (1 << 30);
    System.out.printf(
        Locale.ROOT,
        "%-8s %d connections %-12s %5.2f GiB/s %5.2f GiB per CPU second%n",
        transport,
        connections,
        name,
        gib * 1e9 / cost.wallNanos,
        gib * 1e9 / cost.cpuNanos);
  }
}
