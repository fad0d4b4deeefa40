package io.sluice.coordinator;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.audit.AuditCalls;
import io.sluice.common.audit.AuditLog;
import io.sluice.common.audit.ConnectionDenials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.coordinator.api.ApiRoutes;
import io.sluice.coordinator.api.ClusterApi;
import io.sluice.coordinator.app.ApplicationPolicy;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.clientconf.ClientSettings;
import io.sluice.coordinator.cluster.ExcludeFile;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.ServerPolicy;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.http.HttpEndpoint;
import io.sluice.coordinator.metrics.CoordinatorMetrics;
import io.sluice.coordinator.metrics.StateCollector;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.RuleFiles;
import io.sluice.coordinator.service.AuditedProbe;
import io.sluice.coordinator.service.CallRules;
import io.sluice.coordinator.service.CoordinatorService;
import io.sluice.coordinator.state.ApplicationDecisions;
import io.sluice.coordinator.state.Elapsed;
import io.sluice.coordinator.state.Listings;
import io.sluice.coordinator.state.QuotaWatch;
import io.sluice.coordinator.state.ServerDecisions;
import io.sluice.coordinator.state.ShuffleDecisions;
import io.sluice.coordinator.state.StateOwner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running coordinator. {@link #start} returns once calls are accepted; {@link #close} answers
 * what is under way and ends every thread.
 *
 * <p>Thread-safe.
 */
public final class CoordinatorProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorProcess.class);

  /**
   * Calls take microseconds and their handlers do not block: two loops are plenty for thousands of
   * servers.
   */
  private static final int EVENT_LOOPS = 2;

  private static final int MAX_CALLS_PER_CONNECTION = 256;

  /** Time for TLS and the first words of HTTP/2. */
  private static final long HANDSHAKE_TIMEOUT_SECONDS = 20;

  private static final int MAX_METADATA_LENGTH = 8 << 10;

  /**
   * A peer that vanished without a word is noticed after this and the timeout; peers may ask for a
   * sign of life this often too.
   */
  private static final long KEEP_ALIVE_SECONDS = 60;

  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 20;
  private static final long MIN_PEER_KEEP_ALIVE_SECONDS = 5;

  /** A client that renews its lease every twenty seconds is never idle for this long. */
  private static final long MAX_IDLE_MINUTES = 10;

  private static final long CLOSE_WAIT_SECONDS = 5;

  private final int rpcPort;
  private final int httpPort;
  private final ApiRoutes api;
  private final Deque<Runnable> closers;
  private final AtomicBoolean closed = new AtomicBoolean();

  private CoordinatorProcess(int rpcPort, int httpPort, ApiRoutes api, Deque<Runnable> closers) {
    this.rpcPort = rpcPort;
    this.httpPort = httpPort;
    this.api = api;
    this.closers = closers;
  }

  /**
   * Starts a coordinator.
   *
   * @param set of {@link CoordinatorConfig#SCHEMA}
   * @throws IOException if a port cannot be bound; the message is one line that says which and why
   */
  public static CoordinatorProcess start(ConfigSet set) throws IOException {
    return start(
        CoordinatorConfig.from(set),
        Clock.systemUTC(),
        System::nanoTime,
        RandomGenerator.of("L64X128MixRandom"));
  }

  /** As {@link #start(ConfigSet)}, with time and randomness from the caller. */
  static CoordinatorProcess start(
      CoordinatorConfig config, Clock clock, LongSupplier nanoTime, RandomGenerator seeds)
      throws IOException {
    Deque<Runnable> closers = new ArrayDeque<>();
    try {
      CoordinatorProcess process = assemble(config, clock, nanoTime, seeds, closers);
      log.info(
          "coordinator started rpcPort={} httpPort={} strategy={}",
          process.rpcPort,
          process.httpPort,
          config.assignment().strategy());
      return process;
    } catch (IOException | RuntimeException e) {
      closers.forEach(Runnable::run);
      throw e;
    }
  }

  private static CoordinatorProcess assemble(
      CoordinatorConfig config,
      Clock clock,
      LongSupplier nanoTime,
      RandomGenerator seeds,
      Deque<Runnable> closers)
      throws IOException {
    ClusterSecurity security =
        ClusterSecurity.of(
            config.security(), System.getenv(), Clock.systemUTC(), new SecureRandom(), nanoTime);
    ServerPolicy servers = config.servers();
    ApplicationPolicy applications = config.applications();
    Eligibility eligibility =
        new Eligibility(servers.lostAfterMs(), config.assignment().maxStorageUsedShare());
    RuleFiles ruleFiles = new RuleFiles(config.rules().files());
    Quotas quotas = new Quotas(ruleFiles.read());
    ApplicationDecisions applicationDecisions =
        new ApplicationDecisions(applications, eligibility, quotas);
    PeerConnections connections =
        new PeerConnections(config.maxConnections(), config.maxConnectionsPerPeer());
    CoordinatorMetrics metrics = new CoordinatorMetrics(connections);
    ClusterHistory history = new ClusterHistory(clock, servers.lostAfterMs());
    closers.push(history::close);
    AuditLog audit = new AuditLog();
    StateOwner owner =
        new StateOwner(
            nanoTime,
            new Elapsed(servers, applications),
            new AuditedProbe(metrics, audit),
            (record, events) -> {
              history.changed(record, events);
              metrics.changed(record);
            });
    new StateCollector(owner, servers.lostAfterMs(), eligibility, quotas)
        .register(metrics.registry());
    AtomicReference<ClientSettings> clientSettings = new AtomicReference<>(ClientSettings.NONE);
    CoordinatorService service =
        new CoordinatorService(
            owner,
            applicationDecisions,
            new ShuffleDecisions(
                servers,
                applications,
                applicationDecisions,
                eligibility,
                new AssignmentPlanner(config.assignment()),
                quotas),
            new ServerDecisions(servers, applications, quotas),
            new Listings(servers, applications),
            clientSettings::get,
            metrics,
            security.grants(),
            nanoTime,
            seeds);

    owner.start();
    closers.push(owner::close);
    history.start(owner);
    watchExcludeFile(config, owner, closers);
    RulesThread rules =
        new RulesThread(
            config.rules(),
            owner,
            new QuotaWatch(quotas, ruleFiles::read, servers.lostAfterMs()),
            clientSettings,
            audit);
    closers.push(rules::close);
    rules.start();
    int rpcPort = startRpc(config, security, service, audit, connections, nanoTime, closers);
    long readyAtMs = owner.view().startedAtMs() + servers.startupSilenceMs();
    BooleanSupplier ready = () -> owner.nowMs() >= readyAtMs;
    ApiRoutes api =
        new ApiRoutes(new ClusterApi(owner, history, servers, applications, ready, clock));
    int httpPort = startHttp(config, security, metrics, owner, ready, api, closers);
    return new CoordinatorProcess(rpcPort, httpPort, api, closers);
  }

  private static void watchExcludeFile(
      CoordinatorConfig config, StateOwner owner, Deque<Runnable> closers) {
    if (config.excludeFile().isEmpty()) {
      return;
    }
    ExcludeFile file = new ExcludeFile(config.excludeFile().get());
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            new DefaultThreadFactory("coordinator-exclude-file", true));
    // The first reading is in the queue before the first call can be: no shuffle goes to a server
    // that was excluded before the start.
    owner.exclude(file.read());
    Future<?> unused =
        executor.scheduleWithFixedDelay(
            () -> noteExclusions(file, owner),
            config.excludeReadIntervalMs(),
            config.excludeReadIntervalMs(),
            TimeUnit.MILLISECONDS);
    closers.push(executor::shutdownNow);
  }

  private static void noteExclusions(ExcludeFile file, StateOwner owner) {
    try {
      ExcludeList excluded = file.read();
      if (!excluded.equals(owner.view().excluded()) && !owner.exclude(excluded)) {
        log.warn(
            "exclusions not noted yet, the state thread has too much to do excluded={}",
            excluded.size());
      }
    } catch (RuntimeException e) {
      // An exception would end the reading for good.
      log.error("exclude file not read", e);
    }
  }

  private static int startRpc(
      CoordinatorConfig config,
      ClusterSecurity security,
      CoordinatorService service,
      AuditLog audit,
      PeerConnections connections,
      LongSupplier nanoTime,
      Deque<Runnable> closers)
      throws IOException {
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(
            EVENT_LOOPS,
            new DefaultThreadFactory("coordinator-rpc", true),
            NioIoHandler.newFactory());
    closers.push(
        () ->
            loops
                .shutdownGracefully(0, CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS));
    InetSocketAddress address =
        resolved(config, config.rpcPort(), CoordinatorConfig.RPC_PORT.name());
    ConnectionDenials denials = new ConnectionDenials(audit, nanoTime);
    AcceptLimit limit =
        new AcceptLimit(
            connections, (peer, reason) -> denials.denied(String.valueOf(peer), "", reason));
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .channelFactory(limit.before(NioServerSocketChannel.class))
            .handshakeTimeout(HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor()
            .maxInboundMessageSize(config.maxMessageLength())
            .maxInboundMetadataSize(MAX_METADATA_LENGTH)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveTime(MIN_PEER_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .maxConnectionIdle(MAX_IDLE_MINUTES, TimeUnit.MINUTES)
            .addService(service);
    security.guard(builder, Set.of(), new CallRules(security.openReads()));
    security.tls().ifPresent(tls -> builder.sslContext(tls.grpcServer()));
    // The last one hears of a call first, and so of those that are denied.
    builder.intercept(new AuditCalls(audit));
    Server server = builder.build();
    try {
      server.start();
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorConfig.RPC_PORT.name(), e);
    }
    closers.push(() -> stop(server));
    return server.getPort();
  }

  private static int startHttp(
      CoordinatorConfig config,
      ClusterSecurity security,
      CoordinatorMetrics metrics,
      StateOwner owner,
      BooleanSupplier ready,
      ApiRoutes api,
      Deque<Runnable> closers)
      throws IOException {
    InetSocketAddress address =
        resolved(config, config.httpPort(), CoordinatorConfig.HTTP_PORT.name());
    HttpEndpoint http;
    try {
      http =
          new HttpEndpoint(address, security.tls(), metrics.registry(), owner::healthy, ready, api);
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorConfig.HTTP_PORT.name(), e);
    }
    closers.push(http::close);
    http.start();
    return http.port();
  }

  private static InetSocketAddress resolved(CoordinatorConfig config, int port, String key)
      throws IOException {
    InetSocketAddress address = config.address(port);
    if (address.isUnresolved()) {
      throw new IOException(
          "coordinator cannot listen for "
              + key
              + ": "
              + CoordinatorConfig.HOST.name()
              + " names an unknown host \""
              + config.host()
              + "\"");
    }
    return address;
  }

  private static IOException cannotListen(
      InetSocketAddress address, String key, IOException cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new IOException(
        "coordinator cannot listen on "
            + address.getAddress().getHostAddress()
            + ":"
            + address.getPort()
            + " ("
            + key
            + "): "
            + root.getMessage(),
        cause);
  }

  private static void stop(Server server) {
    server.shutdown();
    try {
      if (!server.awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow().awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** Port of the gRPC service. */
  public int rpcPort() {
    return rpcPort;
  }

  /** Port of the HTTP pages. */
  public int httpPort() {
    return httpPort;
  }

  /** The paths of the REST API, as OpenAPI writes them. */
  public List<String> apiTemplates() {
    return api.templates();
  }

  /**
   * Stops accepting, answers what is under way, ends every thread. Takes seconds at most; a second
   * call does nothing.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closers.forEach(Runnable::run);
      log.info("coordinator stopped rpcPort={}", rpcPort);
    }
  }
}
