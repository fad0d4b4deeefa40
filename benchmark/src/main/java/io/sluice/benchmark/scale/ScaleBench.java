package io.sluice.benchmark.scale;

import io.grpc.ManagedChannel;
import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.cli.bench.BenchTable;
import io.sluice.common.net.DirectChannel;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorFutureStub;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Sends the calls of all servers and drivers of a large cluster to one coordinator. Servers send
 * heartbeats at the interval of the cluster during all other calls. Used by one thread.
 */
final class ScaleBench implements AutoCloseable {
  private static final long TIMEOUT_MS = 60_000;
  private static final int USERS = 100;

  private final Size size;
  private final ProcessMeter coordinator;
  private final Path log;
  private final CallLoad load;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<CoordinatorFutureStub> stubs = new ArrayList<>();
  private final SimulatedServers servers;
  private final AtomicInteger nextHeartbeat = new AtomicInteger();
  private final AtomicInteger failedHeartbeats = new AtomicInteger();
  private final ScaleTable table = new ScaleTable();

  /**
   * Size of the simulated cluster.
   *
   * @param partitions number of partitions of each shuffle
   * @param connections number of connections, which servers and drivers share
   * @param inFlight maximum number of calls without a reply
   * @param heartbeatMs interval of the heartbeats of a server
   */
  record Size(
      int servers,
      int applications,
      int partitions,
      int connections,
      int inFlight,
      long heartbeatMs) {}

  /**
   * Opens no connection yet.
   *
   * @param log directory of the metadata log
   */
  ScaleBench(Size size, String host, int port, ProcessMeter coordinator, Path log, long epoch) {
    this.size = size;
    this.coordinator = coordinator;
    this.log = log;
    load = new CallLoad(size.inFlight(), System::nanoTime, TIMEOUT_MS);
    for (int i = 0; i < size.connections(); i++) {
      ManagedChannel channel = DirectChannel.to(host, port).usePlaintext().build();
      channels.add(channel);
      stubs.add(CoordinatorGrpc.newFutureStub(channel));
    }
    servers = new SimulatedServers(stubs, size.servers(), epoch);
  }

  /** Makes all calls; {@code scheduler} is borrowed. */
  List<BenchTable> run(ScheduledExecutorService scheduler)
      throws IOException, InterruptedException {
    measure("first heartbeat", size.servers(), servers::heartbeat, heartbeatReply());
    memory("the first heartbeats");
    long pauseMicros =
        Math.max(1, TimeUnit.MILLISECONDS.toMicros(size.heartbeatMs()) / size.servers());
    // Ends with the scheduler.
    var unused =
        scheduler.scheduleAtFixedRate(
            this::sendHeartbeat, pauseMicros, pauseMicros, TimeUnit.MICROSECONDS);
    int count = size.applications();
    measure(
        "register an application",
        count,
        index -> stub(index).registerApplication(registration(index)),
        (index, reply) -> check("register an application", reply.getStatus(), reply.getMessage()));
    memory("registrations");
    measure(
        "assign a shuffle",
        count,
        index -> stub(index).registerShuffle(shuffle(index)),
        this::assigned);
    memory("assignments");
    measure(
        "renew a lease",
        count,
        index ->
            stub(index)
                .renewLease(
                    RenewLeaseRequest.newBuilder().setApplication(application(index)).build()),
        (index, reply) -> check("renew a lease", reply.getStatus(), reply.getMessage()));
    measure("heartbeat, without pause", 5 * size.servers(), servers::heartbeat, heartbeatReply());
    measure(
        "unregister an application",
        count,
        index ->
            stub(index)
                .unregisterApplication(
                    UnregisterApplicationRequest.newBuilder()
                        .setApplication(application(index))
                        .build()),
        (index, reply) ->
            check("unregister an application", reply.getStatus(), reply.getMessage()));
    memory("the end of all applications");
    if (failedHeartbeats.get() > 0) {
      throw new IOException(failedHeartbeats.get() + " heartbeats failed");
    }
    return table.tables();
  }

  /** Number of pairs of server and application that heartbeats report. */
  long assignments() {
    return servers.assignments();
  }

  private <R> void measure(String name, int count, CallLoad.Call<R> call, CallLoad.Reply<R> reply)
      throws IOException, InterruptedException {
    double cpu = coordinator.cpuSeconds();
    CallLoad.Result result = load.run(count, call, reply);
    table.call(name, result, coordinator.cpuSeconds() - cpu);
  }

  private void memory(String after) throws IOException {
    table.memory(after, coordinator.residentBytes(), bytes(log));
  }

  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      long bytes = 0;
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  private CallLoad.Reply<HeartbeatReply> heartbeatReply() {
    return (index, reply) -> check("send a heartbeat", reply.getStatus(), reply.getMessage());
  }

  /** Sends a heartbeat of the next server, at the interval of the cluster. */
  private void sendHeartbeat() {
    var sent = servers.heartbeat(nextHeartbeat.getAndUpdate(at -> (at + 1) % size.servers()));
    sent.addListener(
        () -> {
          try {
            if (sent.get().getStatus() != Status.OK) {
              failedHeartbeats.incrementAndGet();
            }
          } catch (InterruptedException | ExecutionException failed) {
            failedHeartbeats.incrementAndGet();
          }
        },
        Runnable::run);
  }

  private void assigned(int index, RegisterShuffleReply reply) throws IOException {
    check("assign a shuffle", reply.getStatus(), reply.getMessage());
    for (ServerId server : reply.getServersList()) {
      servers.assign(server.getName(), application(index));
    }
  }

  private static void check(String call, Status status, String message) throws IOException {
    if (status != Status.OK) {
      throw new IOException("coordinator refused to " + call + ": " + status + " " + message);
    }
  }

  private CoordinatorFutureStub stub(int index) {
    return stubs.get(index % stubs.size());
  }

  private static String application(int index) {
    return "application_1700000000000_" + index;
  }

  private static RegisterApplicationRequest registration(int index) {
    return RegisterApplicationRequest.newBuilder()
        .setApplication(application(index))
        .setUser("user-" + index % USERS)
        .setClientVersion("bench")
        .build();
  }

  private RegisterShuffleRequest shuffle(int index) {
    return RegisterShuffleRequest.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(application(index)).setShuffle(0))
        .setPartitionCount(size.partitions())
        .setReplicas(1)
        .build();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
