package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.ConfigSet;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shuffle server. {@link #start} returns once data is accepted; {@link #close} is the
 * clean stop.
 *
 * <p>Parts start in the order storage, memory, service, transports, control, HTTP, heartbeats, and
 * end in reverse. A part that cannot start ends those before it, and the reason is one line.
 *
 * <p>Thread-safe.
 */
public final class ShuffleServerProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShuffleServerProcess.class);

  private static final long LAST_REPORT_MS = 2_000;

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
   * Starts a server whose configuration stays as it is.
   *
   * @param set of {@link ServerConfig#SCHEMA}
   * @throws StartException what keeps it from starting, in one line
   * @throws ConfigException the machine cannot give what is asked
   */
  public static ShuffleServerProcess start(ConfigSet set) throws StartException {
    return start(set, ShuffleServerProcess::cannotReload);
  }

  private static ConfigSet cannotReload() {
    throw new ConfigException(
        "this server was started without a way to read its configuration again");
  }

  /**
   * Starts a server.
   *
   * @param source reads the configuration again, when an operator wants it
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

  /** As {@link #start(ConfigSet)}, with time from the caller. */
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
    Startup startup = new Startup(config, security, clock, nanoTime, parts);
    Latencies latencies = new Latencies();
    Admission admission = new Admission(config.network(), nanoTime);
    engine = StorageEngine.start(startup, latencies);
    data = DataPlane.start(startup, engine, latencies, admission);
    control = ControlPlane.start(startup, engine, data, admission, reload.apply(this::take));

    LeaseTable leases =
        new LeaseTable(
            () -> TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong()),
            config.cluster().leastLeaseMs());
    ServerHeartbeatSource self =
        new ServerHeartbeatSource(
            control.report(),
            engine.store(),
            () -> tags,
            control.decommission(),
            control.mover(),
            data.overQuota(),
            admission.audit());
    heartbeats =
        new Heartbeats(
            config.cluster().heartbeat(),
            self,
            leases,
            parts.executor("heartbeat", 1, true),
            security);
    http = startHttp(startup, admission, registry(latencies, admission, self));
    parts.add("heartbeats", heartbeats);
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
  }

  private static ClusterSecurity security(ServerConfig config, Clock clock, LongSupplier nanoTime)
      throws StartException {
    try {
      return ClusterSecurity.of(
          config.security(), System.getenv(), clock, new SecureRandom(), nanoTime);
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private CollectorRegistry registry(
      Latencies latencies, Admission admission, ServerHeartbeatSource self) {
    return ServerRegistry.of(
        new ServerMetrics(control.report()::status, heartbeats::answering, heartbeats::failures),
        latencies,
        PooledByteBufAllocator.DEFAULT,
        List.of(
            new TenantMetrics(engine.store(), engine.memory(), self::forgotten, data.overQuota()),
            new TrafficMetrics(
                admission.data(),
                admission.rpc(),
                admission.calls(),
                admission.http(),
                data.reads(),
                data.shortCircuits(),
                engine.memory(),
                data.readBudget(),
                data.requestMemory(),
                data::pendingTasks),
            new MergeMetrics(engine.merges(), engine.merger()::queueLength),
            new EngineMetrics(engine.scrubbed(), engine.store().totals())));
  }

  private ServerHttp startHttp(Startup startup, Admission admission, CollectorRegistry registry)
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
                    admission.httpLimit(),
                    HttpTimeouts.DEFAULT,
                    startup.clock(),
                    registry,
                    control::notReady)));
  }

  /** Takes what may change while it runs. */
  private void take(ConfigSet changed) {
    tags = ClusterConfig.from(changed).tags();
    stopTimeoutMs = changed.get(ServerConfig.STOP_TIMEOUT);
    engine.limit(DiskConfig.from(changed).limits());
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

  /** Completed when an operator decommissioned the server and it should be closed; else never. */
  public CompletionStage<Void> decommissioned() {
    return control.decommission().ended();
  }

  /**
   * The clean stop: takes no new connection, assignment or push, finishes what is on its way, and
   * ends, within the configured time and a few seconds for threads to end. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    long deadlineNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(stopTimeoutMs);
    log.info("shuffle server stops timeoutMs={}", stopTimeoutMs);
    data.pushes().stop();
    control.report().drain();
    data.netty().ifPresent(NettyDataServer::stopAccepting);
    heartbeats.report(Math.min(LAST_REPORT_MS, remainingMs(deadlineNanos)));
    try {
      if (!data.service().awaitIdle(remainingMs(deadlineNanos) / 2)) {
        log.warn("replies were cut off by the stop");
      }
      if (!engine.spiller().flushAll(remainingMs(deadlineNanos))) {
        log.warn("memory was not written in time memoryUsedBytes={}", engine.memory().usedBytes());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    parts.close();
    long usedBytes = engine.memory().usedBytes();
    if (usedBytes == 0) {
      log.info("shuffle server has stopped memoryUsedBytes=0");
    } else {
      log.error("memory was not given back memoryUsedBytes={}", usedBytes);
    }
  }

  private long remainingMs(long deadlineNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - nanoTime.getAsLong()));
  }
}
