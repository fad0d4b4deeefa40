package io.sluice.coordinator;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.audit.AuditCalls;
import io.sluice.common.audit.AuditLog;
import io.sluice.common.audit.CallDenials;
import io.sluice.common.audit.ConnectionDenials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.rpc.CallBounds;
import io.sluice.common.rpc.CallLimits;
import io.sluice.common.rpc.RpcPort;
import io.sluice.coordinator.admin.ClusterActs;
import io.sluice.coordinator.admin.Exclusions;
import io.sluice.coordinator.admin.ServerControl;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiAccess;
import io.sluice.coordinator.api.ApiCall;
import io.sluice.coordinator.api.ApiRoutes;
import io.sluice.coordinator.api.ClusterApi;
import io.sluice.coordinator.app.ApplicationPolicy;
import io.sluice.coordinator.clientconf.ClientSettings;
import io.sluice.coordinator.cluster.ExcludeFile;
import io.sluice.coordinator.cluster.ServerPolicy;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.http.HttpEndpoint;
import io.sluice.coordinator.metrics.CoordinatorMetrics;
import io.sluice.coordinator.metrics.StateCollector;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.RuleFiles;
import io.sluice.coordinator.service.AdminService;
import io.sluice.coordinator.service.AuditedProbe;
import io.sluice.coordinator.service.CallRules;
import io.sluice.coordinator.service.CoordinatorService;
import io.sluice.coordinator.service.PeerAddress;
import io.sluice.coordinator.state.CurrentDecisions;
import io.sluice.coordinator.state.QuotaWatch;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.metrics.http.HttpTimeouts;
import io.sluice.proto.CoordinatorGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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

  /**
   * Calls are short, so that gRPC moves them to a new connection without a failure: certificates
   * and addresses are looked at again once an hour.
   */
  private static final long MAX_CONNECTION_MINUTES = 60;

  /** More than the longest call. */
  private static final long CONNECTION_GRACE_SECONDS = 90;

  private static final long CLOSE_WAIT_SECONDS = 5;

  private static final long FILES_IDLE_SECONDS = 10;
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
   * Starts a coordinator whose configuration stays as it is.
   *
   * @param set of {@link CoordinatorConfig#SCHEMA}
   * @throws IOException if a port cannot be bound; the message is one line that says which and why
   */
  public static CoordinatorProcess start(ConfigSet set) throws IOException {
    return start(
        set,
        () -> {
          throw new ConfigException(
              "this coordinator was started without a way to read its configuration again");
        });
  }

  /**
   * Starts a coordinator.
   *
   * @param source reads the configuration again, when an operator wants it
   */
  public static CoordinatorProcess start(ConfigSet set, Supplier<ConfigSet> source)
      throws IOException {
    return start(
        set,
        source,
        Clock.systemUTC(),
        System::nanoTime,
        RandomGenerator.of("L64X128MixRandom"),
        HttpTimeouts.DEFAULT);
  }

  /**
   * As {@link #start(ConfigSet, Supplier)}, with time, randomness and the timeouts of the HTTP port
   * from the caller.
   */
  static CoordinatorProcess start(
      ConfigSet set,
      Supplier<ConfigSet> source,
      Clock clock,
      LongSupplier nanoTime,
      RandomGenerator seeds,
      HttpTimeouts httpTimeouts)
      throws IOException {
    Deque<Runnable> closers = new ArrayDeque<>();
    CoordinatorConfig config = CoordinatorConfig.from(set);
    try {
      CoordinatorProcess process =
          assemble(config, set, source, clock, nanoTime, seeds, httpTimeouts, closers);
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
      ConfigSet set,
      Supplier<ConfigSet> source,
      Clock clock,
      LongSupplier nanoTime,
      RandomGenerator seeds,
      HttpTimeouts httpTimeouts,
      Deque<Runnable> closers)
      throws IOException {
    ClusterSecurity security =
        ClusterSecurity.of(
            config.security(), System.getenv(), Clock.systemUTC(), new SecureRandom(), nanoTime);
    ServerPolicy servers = config.servers();
    ApplicationPolicy applications = config.applications();
    AtomicReference<RuleFiles> ruleFiles =
        new AtomicReference<>(new RuleFiles(config.rules().files()));
    Quotas quotas = new Quotas(ruleFiles.get().read());
    CurrentDecisions decisions =
        new CurrentDecisions(servers, applications, config.assignment(), quotas, nanoTime);
    LongSupplier serverLostAfterMs = () -> decisions.get().serverPolicy().lostAfterMs();
    AtomicLong excludeReadIntervalMs = new AtomicLong(config.excludeReadIntervalMs());
    ConfigReload reload =
        new ConfigReload(
            set,
            source,
            changed -> {
              CoordinatorConfig next = CoordinatorConfig.from(changed);
              RuleFiles files = ruleFiles(next);
              quotas.rules(files.read());
              ruleFiles.set(files);
              decisions.change(next.servers(), next.applications(), next.assignment());
              excludeReadIntervalMs.set(next.excludeReadIntervalMs());
            });
    PeerConnections connections =
        new PeerConnections(config.maxConnections(), config.maxConnectionsPerPeer());
    PeerConnections httpConnections =
        new PeerConnections(config.maxHttpConnections(), config.maxHttpConnectionsPerPeer());
    AuditLog audit = new AuditLog();
    CallDenials deniedCalls = new CallDenials(audit, nanoTime);
    CallDenials deniedHttpCalls = new CallDenials(audit, nanoTime);
    CoordinatorMetrics metrics =
        new CoordinatorMetrics(connections, httpConnections, deniedCalls, deniedHttpCalls);
    ClusterHistory history = new ClusterHistory(clock, serverLostAfterMs);
    closers.push(history::close);
    StateOwner owner =
        new StateOwner(
            nanoTime,
            () -> decisions.get().elapsed(),
            new AuditedProbe(metrics, audit),
            (record, events) -> {
              history.changed(record, events);
              metrics.changed(record);
            });
    new StateCollector(owner, serverLostAfterMs, () -> decisions.get().eligibility(), quotas)
        .register(metrics.registry());
    AtomicReference<ClientSettings> clientSettings = new AtomicReference<>(ClientSettings.NONE);
    CoordinatorService service =
        new CoordinatorService(
            owner, decisions, clientSettings::get, metrics, security.grants(), nanoTime, seeds);

    owner.start();
    closers.push(owner::close);
    history.start(owner);
    Exclusions exclusions =
        new Exclusions(
            config.excludeFile().map(ExcludeFile::new), excludeReadIntervalMs::get, owner);
    closers.push(exclusions::close);
    exclusions.start();
    RulesThread rules =
        new RulesThread(
            config.rules(),
            owner,
            new QuotaWatch(quotas, () -> ruleFiles.get().read(), serverLostAfterMs),
            clientSettings,
            audit);
    closers.push(rules::close);
    rules.start();
    EventLoopGroup loops = startLoops(closers);
    long readyAtMs = owner.view().startedAtMs() + servers.startupSilenceMs();
    BooleanSupplier ready = () -> owner.nowMs() >= readyAtMs;
    ClusterActs acts =
        new ClusterActs(
            owner,
            decisions,
            exclusions,
            new ServerControl(loops, security),
            reload,
            startFiles(closers),
            clock);
    Api api =
        new Api(
            new ApiRoutes(
                new ClusterApi(
                    owner,
                    history,
                    () -> decisions.get().serverPolicy(),
                    () -> decisions.get().applicationPolicy(),
                    quotas,
                    ready,
                    clock),
                acts,
                clock),
            new ApiAccess(security.required(), security.openReads(), security::knowsUsers),
            audit,
            Map.of(ApiCall.Door.CONTROL, deniedCalls, ApiCall.Door.PAGES, deniedHttpCalls));
    AdminService admin = new AdminService(api);
    ConnectionDenials denials = new ConnectionDenials(audit, nanoTime);
    closers.push(admin::close);
    int rpcPort =
        startRpc(
            config,
            security,
            List.of(service, admin),
            audit,
            deniedCalls,
            new AcceptLimit(
                connections, (peer, reason) -> denials.denied(String.valueOf(peer), "", reason)),
            loops,
            closers);
    int httpPort =
        startHttp(
            config,
            new HttpEndpoint(
                config.host(),
                security,
                new AcceptLimit(
                    httpConnections,
                    (peer, reason) ->
                        denials.denied(String.valueOf(peer), "", "HTTP port: " + reason)),
                httpTimeouts,
                clock,
                metrics.registry(),
                owner::healthy,
                ready,
                api,
                deniedHttpCalls),
            closers);
    security
        .warning(config.address(rpcPort).getAddress(), CoordinatorConfig.HOST.name())
        .ifPresent(log::warn);
    return new CoordinatorProcess(rpcPort, httpPort, api, closers);
  }

  private static RuleFiles ruleFiles(CoordinatorConfig config) {
    try {
      return new RuleFiles(config.rules().files());
    } catch (IOException e) {
      throw new ConfigException(e.getMessage());
    }
  }

  private static EventLoopGroup startLoops(Deque<Runnable> closers) {
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
    return loops;
  }

  /** Configuration is read by one thread, when somebody asks. */
  private static Executor startFiles(Deque<Runnable> closers) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            FILES_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_RELOADS_WAITING),
            new DefaultThreadFactory("coordinator-configuration", true));
    executor.allowCoreThreadTimeOut(true);
    closers.push(executor::shutdownNow);
    return executor;
  }

  private static int startRpc(
      CoordinatorConfig config,
      ClusterSecurity security,
      List<BindableService> services,
      AuditLog audit,
      CallDenials denials,
      AcceptLimit limit,
      EventLoopGroup loops,
      Deque<Runnable> closers)
      throws IOException {
    InetSocketAddress address =
        resolved(config, config.rpcPort(), CoordinatorConfig.RPC_PORT.name());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor()
            .maxConnectionAge(MAX_CONNECTION_MINUTES, TimeUnit.MINUTES)
            .maxConnectionAgeGrace(CONNECTION_GRACE_SECONDS, TimeUnit.SECONDS)
            .intercept(new PeerAddress())
            .intercept(new AuditCalls(audit));
    CallLimits limits =
        CallLimits.control().with(CoordinatorGrpc.getHeartbeatMethod(), config.maxMessageLength());
    RpcPort.configure(
        builder, NioServerSocketChannel.class, limit, new CallBounds(limits, loops, denials));
    // The last interceptor is asked first.
    List<BindableService> all = new ArrayList<>(services);
    all.addAll(security.guard(builder, Set.of(), new CallRules(security.openReads()), denials));
    RpcPort.serve(builder, all, denials);
    security.tls().ifPresent(tls -> builder.sslContext(tls.grpcServer()));
    Server server = builder.build();
    try {
      server.start();
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorConfig.RPC_PORT.name(), e);
    }
    closers.push(() -> stop(server));
    return server.getPort();
  }

  private static int startHttp(CoordinatorConfig config, HttpEndpoint http, Deque<Runnable> closers)
      throws IOException {
    InetSocketAddress address =
        resolved(config, config.httpPort(), CoordinatorConfig.HTTP_PORT.name());
    try {
      http.start(address);
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorConfig.HTTP_PORT.name(), e);
    }
    closers.push(http::close);
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

  /** Methods and paths of the REST API, as OpenAPI writes them. */
  public Set<String> apiOperations() {
    return api.operations();
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
