package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.HandshakeThreads;
import io.sluice.metrics.http.HttpTimeouts;
import io.sluice.server.cluster.ClusterConfig;
import io.sluice.server.cluster.Heartbeats;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskConfig;
import io.sluice.server.http.EngineMetrics;
import io.sluice.server.http.MergeMetrics;
import io.sluice.server.http.ServerHttp;
import io.sluice.server.http.ServerMetrics;
import io.sluice.server.http.ServerRegistry;
import io.sluice.server.http.TenantMetrics;
import io.sluice.server.http.TrafficMetrics;
import io.sluice.server.log.LeaseTable;
import io.sluice.server.memory.MachineMemory;
import io.sluice.server.observe.Latencies;
import io.sluice.transport.server.NettyDataServer;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shuffle server. {@link #start} returns when the server accepts data; {@link #close}
 * stops it cleanly.
 *
 * <p>Parts start in the order storage, memory, service, transports, control, HTTP, heartbeats, and
 * stop in reverse order; heartbeats of a server that leaves stop last. If a part fails to start,
 * the parts started before it are stopped and the reason is reported in one line.
 *
 * <p>Thread-safe.
 */
public final class ShuffleServerProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShuffleServerProcess.class);

  private static final long LAST_HEARTBEAT_MS = 2_000;

  private final LongSupplier nanoTime;
  private final StartedParts parts;
  private final StorageEngine engine;
  private final DataPlane data;
  private final ControlPlane control;
  private final Heartbeats heartbeats;
  private final ServerHttp http;
  private volatile List<String> tags;
  private volatile long stopTimeoutMs;
  private boolean closed;

  /**
   * Starts a server whose configuration cannot be reloaded.
   *
   * @param set configuration by {@link ServerConfig#SCHEMA}
   * @throws StartException if the server cannot start; the message is one line
   * @throws ConfigException if the machine has less memory than configured
   */
  public static ShuffleServerProcess start(ConfigSet set) throws StartException {
    return start(set, ShuffleServerProcess::cannotReload);
  }

  private static ConfigSet cannotReload() {
    throw new ConfigException(
        "this server cannot reload its configuration: it was started without a"
            + " configuration source");
  }

  /**
   * Starts a server.
   *
   * @param source reads the configuration again when an operator requests a reload
   */
  public static ShuffleServerProcess start(ConfigSet set, Supplier<ConfigSet> source)
      throws StartException {
    ServerConfig config =
        ServerConfig.from(
            set,
            MachineMemory.ofThisProcess(),
            System.getenv("RSS_IP"),
            Runtime.getRuntime().availableProcessors());
    return start(
        config,
        changes -> new ConfigReload(set, source, changes),
        Clock.systemUTC(),
        System::nanoTime);
  }

  /** Starts a server with clocks of the caller, for tests. */
  static ShuffleServerProcess start(ServerConfig config, Clock clock, LongSupplier nanoTime)
      throws StartException {
    return start(
        config,
        changes -> new ConfigReload(null, ShuffleServerProcess::cannotReload, changes),
        clock,
        nanoTime);
  }

  private static ShuffleServerProcess start(
      ServerConfig config,
      Function<Consumer<ConfigSet>, ConfigReload> reload,
      Clock clock,
      LongSupplier nanoTime)
      throws StartException {
    StartedParts parts = new StartedParts();
    boolean started = false;
    try {
      ShuffleServerProcess process =
          new ShuffleServerProcess(config, reload, clock, nanoTime, parts);
      started = true;
      return process;
    } finally {
      if (!started) {
        parts.close();
      }
    }
  }

  private ShuffleServerProcess(
      ServerConfig config,
      Function<Consumer<ConfigSet>, ConfigReload> reload,
      Clock clock,
      LongSupplier nanoTime,
      StartedParts parts)
      throws StartException {
    stopTimeoutMs = config.stopTimeoutMs();
    tags = config.cluster().tags();
    this.nanoTime = nanoTime;
    this.parts = parts;
    ClusterSecurity security = security(config, clock, nanoTime);
    ExecutorService signatures = HandshakeThreads.create("proofs");
    parts.add("proofs", signatures::shutdownNow);
    Startup startup = new Startup(config, security, clock, nanoTime, signatures, parts);
    ScheduledExecutorService heartbeatThread = parts.executor("heartbeat", 1, true);
    parts.add("heartbeats", this::endHeartbeats);
    Latencies latencies = new Latencies();
    ConnectionLimits connectionLimits = new ConnectionLimits(config.network(), nanoTime);
    engine = StorageEngine.start(startup, latencies);
    data = DataPlane.start(startup, engine, latencies, connectionLimits);
    control =
        ControlPlane.start(startup, engine, data, connectionLimits, reload.apply(this::reload));

    LeaseTable leases =
        new LeaseTable(
            () -> TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong()),
            config.cluster().minLeaseMs());
    ServerHeartbeatSource heartbeatSource =
        new ServerHeartbeatSource(
            control.report(),
            engine.store(),
            () -> tags,
            control.decommission(),
            control.mover(),
            engine.adopted(),
            data.overQuota(),
            connectionLimits.audit());
    heartbeats =
        new Heartbeats(
            config.cluster().heartbeat(), heartbeatSource, leases, heartbeatThread, security);
    http =
        startHttp(
            startup, connectionLimits, registry(latencies, connectionLimits, heartbeatSource));
    heartbeats.start();
    log.info(
        "shuffle server started name={} rpcPort={} nettyPort={} httpPort={} epoch={}"
            + " memoryBytes={} directories={}",
        control.report().server().getName(),
        rpcPort(),
        nettyPort(),
        httpPort(),
        epoch(),
        engine.memory().capacityBytes(),
        engine.disks().list().stream().map(Disk::name).toList());
    Ports.warning(config.network().address(), security).ifPresent(log::warn);
    config.network().address().warning().ifPresent(log::warn);
  }

  private static ClusterSecurity security(ServerConfig config, Clock clock, LongSupplier nanoTime)
      throws StartException {
    try {
      return ClusterSecurity.of(
          config.security(), ProcessRole.SERVER, clock, new SecureRandom(), nanoTime);
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private CollectorRegistry registry(
      Latencies latencies,
      ConnectionLimits connectionLimits,
      ServerHeartbeatSource heartbeatSource) {
    return ServerRegistry.of(
        new ServerMetrics(control.report()::status, heartbeats::answering, heartbeats::failures),
        latencies,
        PooledByteBufAllocator.DEFAULT,
        List.of(
            new TenantMetrics(
                engine.store(), engine.memory(), heartbeatSource::forgotten, data.overQuota()),
            new TrafficMetrics(
                connectionLimits.data(),
                connectionLimits.rpc(),
                connectionLimits.calls(),
                connectionLimits.http(),
                data.reads(),
                data.shortCircuits(),
                engine.memory(),
                data.readBudget(),
                data.requestMemory(),
                data::pendingTasks),
            new MergeMetrics(engine.merges(), engine.merger()::queueLength),
            new EngineMetrics(engine.scrubbed(), engine.counters(), engine.store().totals())));
  }

  private ServerHttp startHttp(
      Startup startup, ConnectionLimits connectionLimits, CollectorRegistry registry)
      throws StartException {
    NetworkConfig network = startup.config().network();
    return parts.add(
        "http",
        Ports.open(
            network.address(),
            "rss.jetty.http.port",
            network.http().port(),
            address ->
                ServerHttp.start(
                    address,
                    startup.security().tls().map(tls -> tls.httpServer(false)),
                    connectionLimits.httpLimit(startup.security().tls().isPresent()),
                    HttpTimeouts.DEFAULT,
                    startup.clock(),
                    registry,
                    control::notReady)));
  }

  /** Applies the reloadable keys. */
  private void reload(ConfigSet changed) {
    tags = ClusterConfig.from(changed).tags();
    stopTimeoutMs = changed.get(ServerConfig.STOP_TIMEOUT);
    engine.setLimits(DiskConfig.from(changed).limits());
  }

  public int rpcPort() {
    return control.rpc().port();
  }

  /** 0 when the server does not run the framed transport. */
  public int nettyPort() {
    return data.nettyPort();
  }

  public int httpPort() {
    return http.port();
  }

  public long epoch() {
    return engine.epoch();
  }

  /** Completes when a decommission is finished and the caller should close the server. */
  public CompletionStage<Void> decommissioned() {
    return control.decommission().ended();
  }

  /**
   * Stops the server cleanly: refuses new connections, assignments and pushes, finishes requests in
   * progress, writes memory to run files and closes all parts. Takes at most the configured
   * timeout, and a few seconds until threads end. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    long deadlineNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(stopTimeoutMs);
    log.info("shuffle server is stopping timeoutMs={}", stopTimeoutMs);
    data.pushes().stop();
    control.report().drain();
    data.netty().ifPresent(NettyDataServer::stopAccepting);
    heartbeats.report(Math.min(LAST_HEARTBEAT_MS, remainingMs(deadlineNanos)));
    try {
      if (!data.service().awaitIdle(remainingMs(deadlineNanos) / 2)) {
        log.warn("replies to fetches were not sent before the stop timeout");
      }
      if (!engine.spiller().flushAll(remainingMs(deadlineNanos))) {
        log.warn(
            "blocks in memory were not written before the stop timeout and are lost,"
                + " raise rss.server.stop.timeout memoryUsedBytes={}",
            engine.memory().usedBytes());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (control.decommission().hasMoved()) {
      engine.deleteRunsAtStop(remainingMs(deadlineNanos));
    }
    if (!control.decommission().hasEnded()) {
      heartbeats.close();
    }
    parts.close();
    long usedBytes = engine.memory().usedBytes();
    if (usedBytes == 0) {
      log.info("shuffle server stopped memoryUsedBytes=0");
    } else {
      log.error("memory was not released by the stop memoryUsedBytes={}", usedBytes);
    }
  }

  /**
   * Called when the storage is closed: the last heartbeat of a server that leaves lists the
   * directories of the remote tier without files, and other servers adopt the others.
   */
  private void endHeartbeats() {
    if (heartbeats == null) {
      // A part failed to start.
      return;
    }
    if (control.decommission().hasEnded()) {
      control.decommission().leave();
      heartbeats.report(LAST_HEARTBEAT_MS);
    }
    heartbeats.close();
  }

  private long remainingMs(long deadlineNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - nanoTime.getAsLong()));
  }
}
