package io.sluice.coordinator;

import io.grpc.BindableService;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.auth.CertificateExpiry;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.HandshakeThreads;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiAccess;
import io.sluice.coordinator.api.ApiCall;
import io.sluice.coordinator.api.ApiRoutes;
import io.sluice.coordinator.api.ClusterAdminOperations;
import io.sluice.coordinator.api.ClusterApi;
import io.sluice.coordinator.api.LeaderCalls;
import io.sluice.coordinator.api.Membership;
import io.sluice.coordinator.api.ProcessInspection;
import io.sluice.coordinator.api.ServerControl;
import io.sluice.coordinator.api.TokenRevocations;
import io.sluice.coordinator.http.CoordinatorHttp;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.coordinator.raft.CoordinatorGroup;
import io.sluice.coordinator.service.AdminService;
import io.sluice.coordinator.service.Backups;
import io.sluice.coordinator.service.ConsensusService;
import io.sluice.coordinator.service.CoordinatorService;
import io.sluice.coordinator.service.GrpcPeers;
import io.sluice.coordinator.state.StateCopies;
import io.sluice.metrics.ThreadDump;
import io.sluice.metrics.http.HttpTimeouts;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running coordinator. {@link #start} returns once calls are accepted; {@link #close} completes
 * the calls in progress and stops every thread.
 *
 * <p>Thread-safe.
 */
public final class CoordinatorProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorProcess.class);

  private static final long RELOAD_IDLE_SECONDS = 10;
  private static final int MAX_RELOADS_WAITING = 16;

  private final int rpcPort;
  private final int httpPort;
  private final Api api;
  private final Deque<Runnable> closers;
  private final AtomicBoolean closed = new AtomicBoolean();

  private CoordinatorProcess(int rpcPort, int httpPort, Api api, Deque<Runnable> closers) {
    this.rpcPort = rpcPort;
    this.httpPort = httpPort;
    this.api = api;
    this.closers = closers;
  }

  /**
   * Starts a coordinator that cannot reload its configuration.
   *
   * @param set of {@link CoordinatorConfig#SCHEMA}
   * @throws IOException if a port cannot be bound; the message is one line with the port and the
   *     reason
   */
  public static CoordinatorProcess start(ConfigSet set) throws IOException {
    return start(
        set,
        () -> {
          throw new ConfigException(
              "this coordinator was started without a configuration source, so it cannot reload");
        });
  }

  /**
   * Starts a coordinator.
   *
   * @param source reads the configuration again when an operator requests a reload
   */
  public static CoordinatorProcess start(ConfigSet set, Supplier<ConfigSet> source)
      throws IOException {
    return start(
        new Inputs(
            set,
            source,
            Clock.systemUTC(),
            System::nanoTime,
            RandomGenerator.of("L64X128MixRandom"),
            HttpTimeouts.DEFAULT));
  }

  /** Starts a coordinator with clocks and random numbers from the caller. */
  static CoordinatorProcess start(Inputs inputs) throws IOException {
    Deque<Runnable> closers = new ArrayDeque<>();
    CoordinatorConfig config = CoordinatorConfig.from(inputs.set());
    try {
      CoordinatorProcess process = assemble(config, inputs, closers);
      log.info("coordinator started rpcPort={} httpPort={}", process.rpcPort, process.httpPort);
      return process;
    } catch (IOException | RuntimeException e) {
      closers.forEach(Runnable::run);
      throw e;
    }
  }

  private static CoordinatorProcess assemble(
      CoordinatorConfig config, Inputs inputs, Deque<Runnable> closers) throws IOException {
    ClusterSecurity security =
        ClusterSecurity.of(
            config.security(),
            ProcessRole.COORDINATOR,
            inputs.clock(),
            new SecureRandom(),
            inputs.nanoTime());
    ExecutorService signatures = HandshakeThreads.create("coordinator-proofs");
    closers.push(signatures::shutdownNow);
    PortLimits admission = PortLimits.of(config.ports(), inputs.nanoTime());
    CoordinatorMetrics metrics = admission.metrics();
    metrics.observeProcess();
    CoordinatorPorts ports = new CoordinatorPorts(config.ports(), security, admission, closers);
    GrpcPeers peers = new GrpcPeers(ports.loops(), security);
    closers.push(peers::close);
    Optional<CoordinatorGroup> group = group(config, peers, inputs);
    LeaderCalls leader =
        group.<LeaderCalls>map(shared -> shared::toLeader).orElse(LeaderCalls.NONE);
    StateParts state =
        StateParts.start(
            config, inputs, metrics, admission.audit(), security.revocations(), group, closers);
    CoordinatorService service =
        new CoordinatorService(
            state.owner(),
            leader,
            state.decisions(),
            state.clientSettings()::get,
            metrics,
            security.grants(),
            signatures,
            inputs.nanoTime(),
            inputs.seeds());
    CertificateExpiry certificates = security.certificateExpiry(inputs.clock());
    metrics.observe(certificates);
    Future<?> unused =
        ports.loops().scheduleWithFixedDelay(certificates::warn, 0, 1, TimeUnit.DAYS);
    Api api = api(state, inputs, security, admission, ports.loops(), leader, closers);
    AdminService admin =
        new AdminService(
            api,
            new Backups(
                new StateCopies(state.owner(), state.history()),
                group.map(CoordinatorGroup::self).orElse(""),
                inputs.clock(),
                admission.audit()));
    closers.push(admin::close);
    List<BindableService> services = new ArrayList<>(List.of(service, admin));
    if (group.isPresent()) {
      ConsensusService consensus = new ConsensusService(group.get(), state.owner(), service, admin);
      closers.push(consensus::close);
      services.add(consensus);
    }
    int rpcPort = ports.startRpc(services, signatures);
    int httpPort =
        ports.startHttp(
            new CoordinatorHttp(
                config.ports().host(),
                security,
                admission.httpLimit(security.tls().isPresent()),
                inputs.httpTimeouts(),
                inputs.clock(),
                metrics.registry(),
                state.owner()::healthy,
                state::notReady,
                api,
                admission.httpCalls(),
                inputs.nanoTime()));
    security
        .warning(config.ports().address(rpcPort).getAddress(), CoordinatorPortsConfig.HOST.name())
        .ifPresent(log::warn);
    return new CoordinatorProcess(rpcPort, httpPort, api, closers);
  }

  private static Optional<CoordinatorGroup> group(
      CoordinatorConfig config, GrpcPeers peers, Inputs inputs) throws IOException {
    if (!config.group().isShared()) {
      return Optional.empty();
    }
    return Optional.of(
        new CoordinatorGroup(
            config.group().coordinators().stream().map(HostPort::toString).toList(),
            SelfAddress.find(config.group(), config.ports().rpcPort()).toString(),
            config.files().dataDirectory().orElseThrow().resolve(CoordinatorGroup.DIRECTORY),
            peers,
            inputs.nanoTime()));
  }

  private static Api api(
      StateParts state,
      Inputs inputs,
      ClusterSecurity security,
      PortLimits admission,
      EventLoopGroup loops,
      LeaderCalls leader,
      Deque<Runnable> closers) {
    Executor files = startReloadExecutor(closers);
    ServerControl servers = new ServerControl(loops, security);
    ClusterAdminOperations admin =
        new ClusterAdminOperations(
            state.owner(),
            state.decisions(),
            state.exclusions(),
            new TokenRevocations(
                state.owner(), state.decisions(), security.tokenLifetimeMs(), inputs.clock()),
            servers,
            state.reload(),
            files,
            state.durable(),
            inputs.clock());
    ClusterApi reads =
        new ClusterApi(
            state.owner(),
            state.history(),
            () -> state.decisions().get().serverPolicy(),
            () -> state.decisions().get().applicationPolicy(),
            state.quotas(),
            () -> state.notReady().isEmpty(),
            inputs.clock());
    return new Api(
        new ApiRoutes(
            reads,
            admin,
            new Membership(state.group(), files, inputs.clock()),
            new ProcessInspection(
                state.owner(),
                servers,
                state.reload(),
                ThreadDump.ofThisProcess()::take,
                files,
                inputs.clock()),
            inputs.clock()),
        new ApiAccess(security.required(), security.openReads(), security::knowsUsers),
        admission.audit(),
        Map.of(ApiCall.Port.CONTROL, admission.calls(), ApiCall.Port.HTTP, admission.httpCalls()),
        state.owner()::leads,
        leader);
  }

  /** One thread reads the configuration again or changes the members of the quorum, on request. */
  private static Executor startReloadExecutor(Deque<Runnable> closers) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            RELOAD_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_RELOADS_WAITING),
            new DefaultThreadFactory("coordinator-configuration", true));
    executor.allowCoreThreadTimeOut(true);
    closers.push(executor::shutdownNow);
    return executor;
  }

  /** Port of the gRPC service. */
  public int rpcPort() {
    return rpcPort;
  }

  /** Port of the web pages and the REST API. */
  public int httpPort() {
    return httpPort;
  }

  /** Methods and paths of the REST API in OpenAPI notation. */
  public Set<String> apiOperations() {
    return api.operations();
  }

  /**
   * Stops accepting calls, completes the calls in progress and stops every thread. Takes at most
   * some seconds; idempotent.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closers.forEach(Runnable::run);
      log.info("coordinator stopped rpcPort={}", rpcPort);
    }
  }
}
