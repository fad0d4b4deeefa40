package io.sluice.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.coordinator.SimulatedCoordinator;
import io.sluice.coordinator.api.LeaderCalls;
import io.sluice.coordinator.explain.Finding;
import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.server.model.ModelClock;
import io.sluice.server.model.ServerSetup;
import io.sluice.server.model.SharedTier;
import io.sluice.server.model.SimulatedServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Coordinators and servers, whose processes end, pause and start again in virtual time, each with
 * clocks of its own. Belongs to a simulation.
 */
final class SimulatedCluster {
  private static final int COORDINATOR_PORT = 19_999;
  private static final int FIRST_PORT = 20_000;
  private static final int MAX_SKEW_MS = 600_000;
  private static final int MAX_DRIFT_PER_MILLION = 5_000;

  /** Time for which a lost machine is down, so that its data on the remote tier is adopted. */
  private static final long LOST_MS = 5_000;

  /** Factor on the time for which a server is cut off until it is lost. */
  private static final int LOST_FACTOR = 4;

  private static final long EXIT_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final SimulatedThreads time;
  private final SimulatedNetwork network;
  private final Random random;
  private final Map<String, String> settings;
  private final Map<String, CoordinatorMachine> coordinators = new LinkedHashMap<>();
  private final List<HostPort> addresses = new ArrayList<>();
  private final SimulatedQuorum quorum;
  private final Optional<SharedTier> tier;
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final Map<String, SimulatedChannel.Called> processes = new LinkedHashMap<>();
  private Consumer<SimulatedServer> onLeave = server -> {};
  private int starting;

  /** Clocks of one process: the wall clock is wrong, and both are slightly fast or slow. */
  private static final class SkewedClock extends ModelClock {
    private final SimulatedThreads time;
    private final long skewMs;
    private final long driftPerMillion;

    SkewedClock(SimulatedThreads time, Random random) {
      this.time = time;
      this.skewMs = (long) random.nextInt(2 * MAX_SKEW_MS) - MAX_SKEW_MS;
      this.driftPerMillion =
          (long) random.nextInt(2 * MAX_DRIFT_PER_MILLION) - MAX_DRIFT_PER_MILLION;
    }

    @Override
    protected long elapsedMs() {
      long ms = TimeUnit.NANOSECONDS.toMillis(time.nanoTime());
      return ms + ms * driftPerMillion / 1_000_000;
    }

    @Override
    public long millis() {
      return super.millis() + skewMs;
    }
  }

  /** A coordinator with its pause. */
  private static final class CoordinatorMachine implements SimulatedChannel.Called {
    private final String name;
    private final SimulatedCoordinator coordinator;
    private long pausedUntilNanos;
    private ServerServiceDefinition service;

    CoordinatorMachine(String name, SimulatedCoordinator coordinator) {
      this.name = name;
      this.coordinator = coordinator;
    }

    void start() throws IOException {
      pausedUntilNanos = 0;
      coordinator.start();
      service = coordinator.service().bindService();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isRunning() {
      return coordinator.isRunning();
    }

    @Override
    public long pausedUntilNanos() {
      return pausedUntilNanos;
    }

    @Override
    public ServerMethodDefinition<?, ?> method(String fullName) {
      return service.getMethod(fullName);
    }

    @Override
    public void runPending() {
      coordinator.runPending();
    }
  }

  /** The control port of a server. */
  private record ServerProcess(SimulatedServer server) implements SimulatedChannel.Called {
    @Override
    public String name() {
      return server.name();
    }

    @Override
    public boolean isRunning() {
      return server.isRunning();
    }

    @Override
    public long pausedUntilNanos() {
      return server.pausedUntilNanos();
    }

    @Override
    public ServerMethodDefinition<?, ?> method(String fullName) {
      BindableService control = server.control();
      return control.bindService().getMethod(fullName);
    }

    @Override
    public void runPending() {}
  }

  /**
   * @param coordinatorCount 1, or more that share their log
   * @param heartbeatMs interval of heartbeats that coordinators set, in milliseconds
   * @param setups one for each server
   * @param tier remote tier of all servers, if they have one
   */
  SimulatedCluster(
      SimulatedThreads time,
      SimulatedNetwork network,
      Random random,
      int coordinatorCount,
      long heartbeatMs,
      List<ServerSetup> setups,
      Optional<SharedTier> tier)
      throws Exception {
    this.tier = tier;
    this.time = time;
    this.network = network;
    this.random = random;
    this.settings =
        Map.of(
            "rss.coordinator.server.heartbeat.interval",
            heartbeatMs + "ms",
            "rss.coordinator.server.heartbeat.timeout",
            "3s",
            "rss.coordinator.app.expired",
            "9s");
    List<String> names = new ArrayList<>();
    for (int i = 0; i < coordinatorCount; i++) {
      names.add("coordinator-" + i);
      addresses.add(new HostPort(names.get(i), COORDINATOR_PORT + i));
    }
    quorum =
        coordinatorCount == 1
            ? null
            : new SimulatedQuorum(
                time, new FastRandom(random.nextLong()), names, this::isReachable);
    for (String name : names) {
      addCoordinator(name);
    }
    for (ServerSetup setup : setups) {
      addServer(setup);
    }
  }

  private void addCoordinator(String name) throws IOException {
    InMemoryMetadataLog single = InMemoryMetadataLog.keeping();
    Supplier<MetadataLog> log = quorum == null ? () -> single : () -> quorum.open(name);
    SkewedClock clock = new SkewedClock(time, random);
    CoordinatorMachine machine =
        new CoordinatorMachine(
            name,
            new SimulatedCoordinator(
                settings,
                clock,
                clock,
                new FastRandom(random.nextLong()),
                log,
                quorum == null ? LeaderCalls.NONE : (method, call) -> forward(name, method, call)));
    coordinators.put(name, machine);
    processes.put(name, machine);
    machine.start();
  }

  private boolean isReachable(String coordinator) {
    CoordinatorMachine machine = coordinators.get(coordinator);
    return machine != null
        && machine.isRunning()
        && machine.pausedUntilNanos <= time.nanoTime()
        && !network.isIsolated(coordinator);
  }

  /** Executes a call on the coordinator that leads. */
  private CompletableFuture<ByteString> forward(String from, String method, ByteString request) {
    CompletableFuture<ByteString> answer = new CompletableFuture<>();
    String leader = quorum.leader();
    if (leader == null || leader.equals(from)) {
      answer.completeExceptionally(new IOException("no coordinator leads"));
      return answer;
    }
    forward(
        new SimulatedChannel(time, network, from, processes.get(leader), false, List.of()),
        CoordinatorGrpc.getServiceDescriptor().getMethods().stream()
            .filter(one -> method.equals(one.getBareMethodName()))
            .findAny()
            .orElseThrow(),
        request,
        answer);
    return answer;
  }

  private static <Q, R> void forward(
      ManagedChannel channel,
      MethodDescriptor<Q, R> method,
      ByteString request,
      CompletableFuture<ByteString> answer) {
    ClientCalls.asyncUnaryCall(
        channel.newCall(method, CallOptions.DEFAULT),
        method.parseRequest(request.newInput()),
        new StreamObserver<R>() {
          @Override
          public void onNext(R reply) {
            answer.complete(((MessageLite) reply).toByteString());
          }

          @Override
          public void onError(Throwable fault) {
            answer.completeExceptionally(fault);
          }

          @Override
          public void onCompleted() {}
        });
  }

  private void addServer(ServerSetup setup) throws Exception {
    String name = "server-" + servers.size();
    SimulatedServer[] added = new SimulatedServer[1];
    SimulatedServer server =
        new SimulatedServer(
            name,
            FIRST_PORT + servers.size(),
            setup,
            new SkewedClock(time, random),
            new FastRandom(random.nextLong()),
            () ->
                new SimulatedMachine(
                    time,
                    network,
                    name,
                    () -> added[0].pausedUntilNanos(),
                    setup.takesTime(),
                    (address, blocking) -> channel(name, address.host(), blocking, List.of())),
            addresses,
            tier);
    added[0] = server;
    servers.add(server);
    network.add(server);
    processes.put(name, new ServerProcess(server));
    server.start();
  }

  /** Opens a channel from a process to another one. */
  ManagedChannel channel(String from, String to, boolean blocking, List<ClientInterceptor> proofs) {
    return new SimulatedChannel(time, network, from, processes.get(to), blocking, proofs);
  }

  List<HostPort> coordinatorAddresses() {
    return addresses;
  }

  List<String> coordinatorNames() {
    return List.copyOf(coordinators.keySet());
  }

  List<SimulatedServer> servers() {
    return servers;
  }

  SimulatedServer server(String name) {
    return servers.stream().filter(one -> one.name().equals(name)).findAny().orElseThrow();
  }

  /** Causes of delays of an application, from the first coordinator. */
  List<Finding> explain(String application) {
    return coordinators.values().iterator().next().coordinator.explain(application);
  }

  /** Elections of a coordinator so far; 0 if there is one only. */
  int elections() {
    return quorum == null ? 0 : quorum.elections();
  }

  /** Faults of coordinators end. */
  void endFaults() {
    if (quorum != null) {
      quorum.endFaults();
    }
    servers.forEach(SimulatedServer::endDiskFaults);
  }

  /** Whether every process runs and can be reached. */
  boolean allRun() {
    return starting == 0
        && !network.isAnyIsolated()
        && servers.stream().allMatch(SimulatedServer::isRunning)
        && coordinators.values().stream().allMatch(CoordinatorMachine::isRunning);
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Ends a process, and starts it again after a while, on a thread that may wait. */
  private void restart(String what, Step end, long downMs, Step start) {
    starting++;
    SimulatedThreads.Task unused =
        time.start(
            what,
            () -> {
              try {
                end.run();
                time.advance(TimeUnit.MILLISECONDS.toNanos(downMs));
                start.run();
                starting--;
              } catch (Exception e) {
                throw new AssertionError(what + " failed", e);
              }
            });
  }

  /**
   * Crashes a server's process; it starts again after a while. If servers have a remote tier, a
   * machine that crashes returns with new disks.
   */
  void crash(SimulatedServer server, long downMs, boolean wholeMachine) {
    boolean isLost = wholeMachine && tier.isPresent();
    if (server.isRunning()) {
      network.cut(server);
      restart(
          "crash of " + server.name(),
          () -> {
            if (server.isRunning() && wholeMachine) {
              server.crashMachine();
            } else if (server.isRunning()) {
              server.crash();
            }
          },
          isLost ? LOST_MS + downMs : downMs,
          () -> startIfDown(server, isLost ? server::replaceDisks : () -> {}));
    }
  }

  /**
   * Cuts a server off for a while.
   *
   * @param untilLost whether it is cut off for so long that others adopt its data on the remote
   *     tier, if they have one; often for longer than a lease
   */
  void isolate(SimulatedServer server, long ms, boolean untilLost) {
    if (untilLost && tier.isPresent()) {
      network.isolateBeyondFaults(
          server.name(), TimeUnit.MILLISECONDS.toNanos(LOST_MS + LOST_FACTOR * ms));
    } else {
      network.isolate(server.name(), TimeUnit.MILLISECONDS.toNanos(ms));
    }
  }

  /** Stops a server; it starts again after a while. */
  void stop(SimulatedServer server, long downMs) {
    stop(server, downMs, () -> {});
  }

  private void stop(SimulatedServer server, long downMs, Step beforeStart) {
    if (server.isRunning()) {
      restart(
          "restart of " + server.name(),
          () -> {
            if (server.isRunning()) {
              server.stop(() -> network.cut(server));
            }
          },
          downMs,
          () -> startIfDown(server, beforeStart));
    }
  }

  private static void startIfDown(SimulatedServer server, Step beforeStart) throws Exception {
    if (!server.isRunning() && !server.isEnding()) {
      beforeStart.run();
      server.start();
    }
  }

  /** Ends a coordinator's process; it starts again after a while. */
  void crashCoordinator(String name, long downMs) {
    CoordinatorMachine machine = coordinators.get(name);
    if (machine.isRunning()) {
      restart(
          "crash of " + name,
          machine.coordinator::crash,
          downMs,
          () -> {
            if (!machine.isRunning()) {
              machine.start();
            }
          });
    }
  }

  void pauseCoordinator(String name, long nanos) {
    CoordinatorMachine machine = coordinators.get(name);
    machine.pausedUntilNanos = Math.max(machine.pausedUntilNanos, time.nanoTime() + nanos);
  }

  /** Orders a decommission with a move of all data; the server returns with new disks. */
  void decommission(SimulatedServer server, long downMs) {
    if (server.isRunning()) {
      server.decommission();
      time.schedule(
          EXIT_CHECK_NANOS, () -> exitIfDecommissioned(server, server.id().getEpoch(), downMs));
    }
  }

  private void exitIfDecommissioned(SimulatedServer server, long epoch, long downMs) {
    if (!server.isRunning() || server.id().getEpoch() != epoch) {
      return;
    }
    if (server.isDecommissioned()) {
      onLeave.accept(server);
      stop(server, downMs, server::replaceDisks);
    } else {
      time.schedule(EXIT_CHECK_NANOS, () -> exitIfDecommissioned(server, epoch, downMs));
    }
  }

  /** Sets a listener for servers that have moved all data, before they exit. */
  void onLeave(Consumer<SimulatedServer> listener) {
    onLeave = listener;
  }

  /** Live applications at the coordinator that leads. */
  int applications() {
    return coordinators.values().stream()
        .filter(CoordinatorMachine::isRunning)
        .filter(one -> quorum == null || one.coordinator.leads())
        .mapToInt(one -> one.coordinator.applications())
        .max()
        .orElse(Integer.MAX_VALUE);
  }

  /** Ends all servers. */
  void close() {
    servers.stream().filter(SimulatedServer::isRunning).forEach(SimulatedServer::crash);
  }
}
