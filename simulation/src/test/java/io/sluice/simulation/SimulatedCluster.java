package io.sluice.simulation;

import io.grpc.BindableService;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.util.MutableHandlerRegistry;
import io.sluice.client.coordinator.CoordinatorClient;
import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.coordinator.DriverEnvironment;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.fake.VirtualExecutor;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.config.HostPort;
import io.sluice.coordinator.SimulatedCoordinator;
import io.sluice.server.model.ModelClock;
import io.sluice.server.model.SimulatedServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A coordinator and servers, whose processes end and start again in virtual time. Belongs to one
 * thread.
 */
final class SimulatedCluster implements AutoCloseable {
  private static final HostPort COORDINATOR = new HostPort("coordinator", 19999);
  private static final int FIRST_PORT = 20_000;
  private static final Map<String, String> SETTINGS =
      Map.of(
          "rss.coordinator.server.heartbeat.interval", "500ms",
          "rss.coordinator.server.heartbeat.timeout", "3s",
          "rss.coordinator.app.expired", "20s");

  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final SimulatedCoordinator coordinator;
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final Map<String, Port> ports = new HashMap<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private int crashes;

  /** A control port, which outlives its process as an address does. */
  private record Port(String name, Server server, MutableHandlerRegistry services) {
    static Port open() throws IOException {
      MutableHandlerRegistry services = new MutableHandlerRegistry();
      String name = InProcessServerBuilder.generateName();
      Server server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .fallbackHandlerRegistry(services)
              .build()
              .start();
      return new Port(name, server, services);
    }

    void serve(BindableService service) {
      services.addService(service);
    }
  }

  /** Virtual time as servers and coordinators read it. */
  private static final class ProcessClock extends ModelClock {
    private final VirtualTime time;

    ProcessClock(VirtualTime time) {
      this.time = time;
    }

    @Override
    protected long elapsedMs() {
      return TimeUnit.NANOSECONDS.toMillis(time.nanoTime());
    }
  }

  SimulatedCluster(VirtualTime time, Random random, SimulatedNetwork network, int serverCount)
      throws Exception {
    this.time = time;
    this.network = network;
    ModelClock clock = new ProcessClock(time);
    coordinator = new SimulatedCoordinator(SETTINGS, clock, clock, random);
    ports.put(COORDINATOR.host(), Port.open());
    startCoordinator();
    for (int i = 0; i < serverCount; i++) {
      SimulatedServer server =
          new SimulatedServer(
              "server-" + i,
              FIRST_PORT + i,
              clock,
              random,
              () -> new VirtualExecutor(time),
              List.of(COORDINATOR),
              address -> channel(address.host(), List.of(), false));
      servers.add(server);
      network.add(server);
      ports.put(server.name(), Port.open());
      start(server);
    }
  }

  List<SimulatedServer> servers() {
    return servers;
  }

  SimulatedCoordinator coordinator() {
    return coordinator;
  }

  /** Crashes of servers so far: after one, acknowledged data can be missing. */
  int crashes() {
    return crashes;
  }

  /** Crashes a server; it starts again after a while. */
  void crash(SimulatedServer server, long downMs) {
    if (server.isRunning()) {
      crashes++;
      server.crash();
      network.cut(server);
      later(downMs, () -> start(server));
    }
  }

  /** Stops a server; it starts again after a while. */
  void restart(SimulatedServer server, long downMs) throws Exception {
    if (server.isRunning()) {
      server.stop();
      network.cut(server);
      later(downMs, () -> start(server));
    }
  }

  /** Ends the coordinator's process; it starts again after a while. */
  void crashCoordinator(long downMs) {
    if (coordinator.isRunning()) {
      coordinator.crash();
      later(downMs, this::startCoordinator);
    }
  }

  private interface Start {
    void start() throws Exception;
  }

  private void later(long afterMs, Start start) {
    time.schedule(
        TimeUnit.MILLISECONDS.toNanos(afterMs),
        () -> {
          try {
            start.start();
          } catch (Exception e) {
            throw new AssertionError("a process does not start", e);
          }
        });
  }

  private void start(SimulatedServer server) throws Exception {
    server.start();
    ports.get(server.name()).serve(server.control());
  }

  private void startCoordinator() throws IOException {
    coordinator.start();
    ports.get(COORDINATOR.host()).serve(coordinator.service());
  }

  /** A driver's session of an application. */
  LeasedApplicationSession session(String application, int replicas) {
    CoordinatorClientConfig config =
        new CoordinatorClientConfig(
            List.of(COORDINATOR), 1_000, 10_000, 1_000, 2_000, replicas, 0, List.of(), false);
    DriverEnvironment environment =
        new DriverEnvironment(
            time::nanoTime,
            milliseconds -> time.advance(TimeUnit.MILLISECONDS.toNanos(milliseconds)),
            () -> new VirtualExecutor(time),
            (host, port, proofs) -> channel(host, proofs, true));
    ClientIdentity identity = ClientIdentity.ofTask(new ApplicationCredentials());
    return new LeasedApplicationSession(
        application,
        "user",
        "simulation",
        config,
        new CoordinatorClient(config, identity.userProofs(), environment),
        identity,
        environment);
  }

  private ManagedChannel channel(String host, List<ClientInterceptor> proofs, boolean blocking) {
    boolean toCoordinator = host.equals(COORDINATOR.host());
    BooleanSupplier running =
        toCoordinator
            ? coordinator::isRunning
            : servers.stream().filter(one -> one.name().equals(host)).findAny().orElseThrow()
                ::isRunning;
    ManagedChannel channel =
        InProcessChannelBuilder.forName(ports.get(host).name())
            .directExecutor()
            .intercept(
                new SimulatedCalls(
                    time,
                    network,
                    running,
                    toCoordinator ? coordinator::runPending : () -> {},
                    blocking))
            .intercept(proofs)
            .build();
    channels.add(channel);
    return channel;
  }

  /** Ends everything. */
  @Override
  public void close() {
    servers.stream().filter(SimulatedServer::isRunning).forEach(SimulatedServer::crash);
    channels.forEach(ManagedChannel::shutdownNow);
    ports.values().forEach(port -> port.server().shutdownNow());
  }
}
