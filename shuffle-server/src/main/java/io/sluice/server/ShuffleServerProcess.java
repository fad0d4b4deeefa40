package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.audit.AuditCalls;
import io.sluice.common.audit.AuditLog;
import io.sluice.common.audit.ConnectionDenials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.DataExchange;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.tls.TlsContexts;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.server.cluster.Heartbeats;
import io.sluice.server.config.ClusterConfig;
import io.sluice.server.config.DiskConfig;
import io.sluice.server.config.MachineMemory;
import io.sluice.server.config.NetworkConfig;
import io.sluice.server.config.RemoteConfig;
import io.sluice.server.control.ControlRules;
import io.sluice.server.control.ControlService;
import io.sluice.server.control.Decommission;
import io.sluice.server.control.DiskReport;
import io.sluice.server.control.ProcessVitals;
import io.sluice.server.control.RpcServer;
import io.sluice.server.control.StoreReport;
import io.sluice.server.health.DiskHealth;
import io.sluice.server.http.EngineMetrics;
import io.sluice.server.http.HttpEndpoint;
import io.sluice.server.http.MergeMetrics;
import io.sluice.server.http.ServerMetrics;
import io.sluice.server.http.ServerRegistry;
import io.sluice.server.http.TenantMetrics;
import io.sluice.server.http.TrafficMetrics;
import io.sluice.server.lease.LeaseTable;
import io.sluice.server.limits.OverQuota;
import io.sluice.server.limits.QuotaDataService;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.merge.MergeCounters;
import io.sluice.server.merge.MergeWriter;
import io.sluice.server.merge.Merger;
import io.sluice.server.merge.ReportedMergeInputs;
import io.sluice.server.metrics.Latencies;
import io.sluice.server.move.Mover;
import io.sluice.server.move.SealableDataService;
import io.sluice.server.nativeio.LinuxPageCache;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.ReadBudget;
import io.sluice.server.read.ReadConfig;
import io.sluice.server.read.ReadCounters;
import io.sluice.server.read.ReaderThreads;
import io.sluice.server.read.ReportedReads;
import io.sluice.server.recovery.Findings;
import io.sluice.server.recovery.ForgottenShuffles;
import io.sluice.server.recovery.Recovered;
import io.sluice.server.recovery.Recovery;
import io.sluice.server.recovery.StopMark;
import io.sluice.server.remote.RemoteEnvironment;
import io.sluice.server.remote.RemoteTier;
import io.sluice.server.scrub.ScrubCounters;
import io.sluice.server.scrub.Scrubbers;
import io.sluice.server.service.ServerCounters;
import io.sluice.server.service.ServerEpochs;
import io.sluice.server.service.ServiceConfig;
import io.sluice.server.service.StoreDataService;
import io.sluice.server.shortcircuit.ShortCircuitConfig;
import io.sluice.server.shortcircuit.ShortCircuitCounters;
import io.sluice.server.shortcircuit.ShortCircuitServer;
import io.sluice.server.spill.SpillConfig;
import io.sluice.server.spill.SpillPolicy;
import io.sluice.server.spill.SpillWriter;
import io.sluice.server.spill.Spiller;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.DiskLimits;
import io.sluice.server.storage.DiskSync;
import io.sluice.server.storage.Disks;
import io.sluice.server.storage.Fsync;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.StorageKind;
import io.sluice.server.tier.Demoter;
import io.sluice.server.transport.GrpcDataService;
import io.sluice.server.transport.NettyDataServer;
import io.sluice.server.transport.NettyServerConfig;
import io.sluice.server.transport.TransportCounters;
import io.sluice.server.watch.DiskWatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Replies to OPEN can be large, and one that is being put together holds up no other. */
  private static final int TIMER_THREADS = 2;

  private static final long SAMPLE_MS = 1_000;

  /** Run files that stay open though nobody reads them: far fewer than a process may open. */
  private static final int IDLE_OPEN_RUNS = 256;

  /** Log entries in memory spill like bytes do, at this part of where pushes are refused. */
  private static final int SPILL_AT_EXTENTS_DIVISOR = 4;

  /** Of memory; what is left of it is written by the stop in a moment. */
  private static final int FLUSH_LEAVES_DIVISOR = 16;

  private static final long LAST_REPORT_MS = 2_000;
  private static final long STOP_MARK_MS = 5_000;
  private static final long THREADS_END_MS = 5_000;

  private final ServerConfig config;
  private final LongSupplier nanoTime;
  private final StartedParts parts;
  private final ClusterSecurity security;
  private final Disks disks;
  private final ShuffleStore store;
  private final MemoryBudget memory;
  private final Spiller spiller;
  private final MergeCounters merges;
  private final Merger merger;
  private final StoreDataService service;
  private final ShortCircuitCounters shortCircuits = new ShortCircuitCounters();
  private final DrainingDataService drainable;
  private final Mover mover;
  private final Decommission decommission;
  private final StoreReport report;
  private final Optional<NettyDataServer> netty;
  private final RpcServer rpc;
  private final HttpEndpoint http;
  private final Heartbeats heartbeats;
  private final ScrubCounters scrubbed = new ScrubCounters();
  private final Latencies latencies = new Latencies();
  private final ReadCounters readCounters = new ReadCounters();
  private final OverQuota overQuota = new OverQuota();
  private final ClusterSelf self;
  private final AuditLog audit = new AuditLog();
  private final ConnectionDenials denials;
  private final TransportCounters connections;
  private final PeerConnections rpcConnections;
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
    this.config = config;
    stopTimeoutMs = config.stopTimeoutMs();
    tags = config.cluster().tags();
    this.nanoTime = nanoTime;
    this.parts = parts;
    this.security = security(clock);
    NetworkConfig network = config.network();
    denials = new ConnectionDenials(audit, nanoTime);
    connections = new TransportCounters(denials::denied);
    rpcConnections =
        new PeerConnections(
            network.connections().maxConnections(), network.connections().maxConnectionsPerPeer());

    Disks local = parts.add("directories", openDisks());
    disks = config.remote().used() ? parts.add("remote tier", withRemote(local)) : local;
    if (config.durability().fsync() == Fsync.INTERVAL) {
      DiskSync sync = new DiskSync(disks.list(), config.durability().fsyncIntervalMs());
      parts.add("disk sync", sync).start();
    }
    RunFiles runs = parts.add("run files", new RunFiles(IDLE_OPEN_RUNS));
    runs.start();

    memory =
        parts.add(
            "memory",
            new MemoryBudget(
                new MemoryConfig(
                    config.buffer().capacityBytes(),
                    config.buffer().slabBytes(),
                    config.buffer().highPercent(),
                    config.buffer().lowPercent()),
                nanoTime));
    store = parts.add("store", new ShuffleStore(config.shuffles()));
    Recovered recovered = recover(runs, clock);
    long epoch = recovered.epoch();
    // Closed once nothing can be acknowledged any more, and before memory is given back.
    parts.add("stop mark", () -> markStop(recovered));
    ServerCounters counters = new ServerCounters(latencies);
    spiller =
        parts.add(
            "spiller",
            new Spiller(
                store,
                memory,
                disks,
                new SpillPolicy(
                    SpillConfig.forCapacity(
                        memory.capacityBytes(),
                        config.shuffles().maxBufferedExtents() / SPILL_AT_EXTENTS_DIVISOR,
                        config.buffer().hugeRatio())),
                new SpillWriter(epoch, runs, new SecureRandom(), counters),
                nanoTime));
    spiller.start();
    DiskWatch watch =
        parts.add(
            "disk watch",
            new DiskWatch(disks, store, runs, new SecureRandom(), counters, nanoTime));
    watch.start();
    parts
        .add(
            "scrubbers",
            new Scrubbers(disks, runs, config.scrub(), watch::declareLost, scrubbed, nanoTime))
        .start();
    Demoter demoter =
        parts.add(
            "demoter",
            new Demoter(disks, runs, config.disk().demotionBytesPerSecond(), counters, nanoTime));
    demoter.start();

    merges = new MergeCounters(latencies);
    merger =
        parts.add(
            "merger",
            new Merger(
                store,
                disks,
                config.merge(),
                new MergeWriter(runs, new SecureRandom(), merges, new ReportedMergeInputs()),
                disk -> memory.pressure().tight() || spiller.isWriting(disk),
                merges,
                nanoTime));
    merger.start();

    ScheduledExecutorService timer = executor("timer", TIMER_THREADS, false);
    ReadConfig reading = config.reading().disks();
    FileReads reads =
        parts.add(
            "file reads",
            new FileReads(
                reading,
                new ReadBudget(config.reading().budgetBytes()),
                LinuxPageCache.load(),
                PooledByteBufAllocator.DEFAULT,
                parts.add("reader threads", new ReaderThreads(reading, nanoTime)),
                timer,
                new ReportedReads(),
                readCounters,
                nanoTime));
    service =
        new StoreDataService(
            new ServerEpochs(epoch, recovered.wholeSinceEpoch()),
            new ServiceConfig(
                new FrameLimits(FrameLimits.DEFAULT.maxHeadLength(), network.maxBodyBytes()),
                ServiceConfig.DEFAULT.maxOpenWaitMs(),
                ServiceConfig.DEFAULT.maxOpenWaits()),
            memory,
            store,
            reads,
            spiller::canStore,
            timer,
            counters);
    if (config.remote().used()) {
      service.announceRemoteFiles();
    }
    SealableDataService sealable =
        new SealableDataService(
            new TimedDataService(service, latencies, nanoTime), memory::retryWaiters);
    drainable =
        new DrainingDataService(new QuotaDataService(sealable, overQuota), security.connections());

    startShortCircuit(epoch, store, reads);

    netty = startNetty();
    mover =
        parts.add(
            "mover",
            Mover.of(
                store,
                sealable,
                reads,
                epoch,
                PooledByteBufAllocator.DEFAULT,
                config.cluster().heartbeat().coordinators(),
                config.cluster().move(),
                this::self,
                security,
                nanoTime));
    decommission = new Decommission(() -> store.shuffleCount() == 0, mover, nanoTime);
    mover.onDone(decommission::look);
    report =
        new StoreReport(
            identity(epoch, network.rpcPort()),
            memory,
            store,
            counters,
            connections,
            this::diskStates,
            spiller::canStore,
            decommission,
            mover::progress,
            mover::movedBytes,
            new ProcessVitals(),
            nanoTime);
    // Ends with its executor.
    ScheduledFuture<?> unused =
        timer.scheduleAtFixedRate(report::sample, 0, SAMPLE_MS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedLooks =
        timer.scheduleWithFixedDelay(
            decommission::look,
            config.cluster().decommissionCheckMs(),
            config.cluster().decommissionCheckMs(),
            TimeUnit.MILLISECONDS);
    // Ended by its part; what a flush waits for goes on without it.
    ScheduledExecutorService flusher = executor("flush", 1, false);
    rpc =
        startRpc(
            new ControlService(
                store,
                report,
                decommission,
                reload.apply(this::take),
                () -> flusher.execute(this::flush)),
            timer);
    report.identify(identity(epoch, rpc.port()));

    LeaseTable leases =
        new LeaseTable(
            () -> TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong()),
            config.cluster().leastLeaseMs());
    self = new ClusterSelf(report, store, () -> tags, decommission, mover, overQuota, audit);
    heartbeats =
        new Heartbeats(
            config.cluster().heartbeat(), self, leases, executor("heartbeat", 1, true), security);
    http = startHttp();
    parts.add("heartbeats", heartbeats);
    heartbeats.start();
    log.info(
        "shuffle server started name={} rpcPort={} nettyPort={} httpPort={} epoch={}"
            + " memoryBytes={} directories={}",
        report.server().getName(),
        rpcPort(),
        nettyPort(),
        httpPort(),
        epoch,
        memory.capacityBytes(),
        disks.list().stream().map(Disk::name).toList());
  }

  /** Takes what may change while it runs. */
  private void take(ConfigSet changed) {
    tags = ClusterConfig.from(changed).tags();
    stopTimeoutMs = changed.get(ServerConfig.STOP_TIMEOUT);
    DiskLimits limits = DiskConfig.from(changed).limits();
    for (Disk disk : disks.list()) {
      if (disk.kind() != StorageKind.REMOTE) {
        disk.limit(limits);
      }
    }
  }

  private ServerId self() {
    return report.server();
  }

  public int rpcPort() {
    return rpc.port();
  }

  /** 0 when the server does not run the framed transport. */
  public int nettyPort() {
    return netty.map(NettyDataServer::port).orElse(0);
  }

  public int httpPort() {
    return http.port();
  }

  public long epoch() {
    return service.epoch();
  }

  /** Completed when an operator decommissioned the server and it should be closed; else never. */
  public CompletionStage<Void> decommissioned() {
    return decommission.ended();
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
    service.drain();
    report.drain();
    netty.ifPresent(NettyDataServer::stopAccepting);
    heartbeats.report(Math.min(LAST_REPORT_MS, remainingMs(deadlineNanos)));
    try {
      if (!drainable.awaitIdle(remainingMs(deadlineNanos) / 2)) {
        log.warn("replies were cut off by the stop");
      }
      if (!spiller.flushAll(remainingMs(deadlineNanos))) {
        log.warn("memory was not written in time memoryUsedBytes={}", memory.usedBytes());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    parts.close();
    long usedBytes = memory.usedBytes();
    if (usedBytes == 0) {
      log.info("shuffle server has stopped memoryUsedBytes=0");
    } else {
      log.error("memory was not given back memoryUsedBytes={}", usedBytes);
    }
  }

  /** Ahead of a restart, so that the clean stop has little left to write. */
  private void flush() {
    try {
      long leaveBytes = memory.capacityBytes() / FLUSH_LEAVES_DIVISOR;
      boolean flushed = spiller.flush(leaveBytes, config.stopTimeoutMs());
      log.info("flushed ahead of a stop whole={} memoryUsedBytes={}", flushed, memory.usedBytes());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long remainingMs(long deadlineNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - nanoTime.getAsLong()));
  }

  private Recovered recover(RunFiles runs, Clock clock) throws StartException {
    Recovery recovery =
        new Recovery(disks.list(), runs, store, config.durability().recoveryTimeoutMs(), nanoTime);
    try {
      Findings findings = recovery.find();
      List<Path> directories = directories(disks);
      long last = EpochFile.last(directories);
      long epoch = EpochFile.begin(directories, clock, last, findings.newestEpoch());
      Recovered recovered = recovery.restore(findings, last, epoch);
      store.onForgotten(
          new ForgottenShuffles(disks.list(), runs, clock, config.shuffles().maxTombstones())::add);
      return recovered;
    } catch (StartException e) {
      throw e;
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while run files were recovered", e);
    }
  }

  /** Whatever was acknowledged lies in files now, or the next life is told nothing. */
  private void markStop(Recovered recovered) throws InterruptedException {
    LogTotals totals = store.totals();
    if (totals.bufferedBytes() + totals.spillingBytes() > 0 || totals.anyLost()) {
      log.warn(
          "stop leaves blocks behind, as a crash would bufferedBytes={} spillingBytes={}"
              + " lostBlocks={}",
          totals.bufferedBytes(),
          totals.spillingBytes(),
          totals.anyLost());
      return;
    }
    StopMark mark = new StopMark(disks.list(), config.durability().fsync() != Fsync.NEVER);
    if (!mark.write(recovered.epoch(), recovered.wholeSinceEpoch(), STOP_MARK_MS)) {
      log.warn(
          "not every directory took note of the stop, the next start will be as after a crash");
    }
  }

  private Optional<String> notReady() {
    return switch (report.state()) {
      case ACTIVE -> Optional.empty();
      case SERVER_DRAINING -> Optional.of("the server is stopping or decommissioned");
      case UNHEALTHY -> Optional.of("no directory has room or can be written");
      case SERVER_LOST, EXCLUDED, SERVER_STATE_UNSPECIFIED, UNRECOGNIZED ->
          Optional.of(report.state().name());
    };
  }

  /** Clients fetch where this does not work. */
  private void startShortCircuit(long epoch, ShuffleStore store, FileReads reads) {
    if (config.reading().socket().isEmpty()) {
      return;
    }
    Path socket = config.reading().socket().get();
    ShortCircuitServer server =
        new ShortCircuitServer(
            new ShortCircuitConfig(socket, config.network().connections().maxConnections()),
            epoch,
            store,
            reads,
            security.connections(),
            shortCircuits);
    try {
      server.start();
    } catch (IOException e) {
      log.warn("short circuit is off socket={} reason={}", socket, e.getMessage());
      return;
    }
    parts.add("short circuit", server);
    service.announceLocalSocket(socket.toString());
  }

  private Optional<NettyDataServer> startNetty() throws StartException {
    NetworkConfig network = config.network();
    if (network.nettyPort().isEmpty()) {
      return Optional.empty();
    }
    int port = network.nettyPort().get();
    NettyDataServer server =
        new NettyDataServer(
            drainable,
            new NettyServerConfig(
                network.address().bind().orElse(null),
                port,
                network.backlog(),
                network.ioMode(),
                network.loops(),
                network.connections()),
            security.tls().map(TlsContexts::dataServer),
            connections,
            nanoTime);
    try {
      address(port);
      server.start();
    } catch (IOException e) {
      throw cannotListen("rss.server.netty.port", port, e);
    }
    return Optional.of(parts.add("data transport", server));
  }

  private RpcServer startRpc(ControlService control, ScheduledExecutorService timer)
      throws StartException {
    NetworkConfig network = config.network();
    AcceptLimit limit =
        new AcceptLimit(
            rpcConnections,
            (peer, reason) -> denials.denied(String.valueOf(peer), "", "gRPC port: " + reason));
    RpcServer server =
        parts.add(
            "rpc", new RpcServer(network.rpcThreads(), network.ioMode(), network.loops(), limit));
    GrpcDataService data =
        new GrpcDataService(
            drainable, network.connections(), connections, server.executor(), timer, nanoTime);
    parts.add("grpc data streams", data::closeConnections);
    try {
      server.start(
          address(network.rpcPort()),
          builder -> {
            data.configure(builder);
            security.tls().ifPresent(tls -> builder.sslContext(tls.grpcServer()));
            security.guard(
                builder, Set.of(DataExchange.SERVICE), new ControlRules(security.openReads()));
            // The last one hears of a call first, and so of those that are denied.
            builder.intercept(new AuditCalls(audit));
          },
          List.of(control, data));
    } catch (IOException e) {
      throw cannotListen("rss.rpc.server.port", network.rpcPort(), e);
    }
    return server;
  }

  private HttpEndpoint startHttp() throws StartException {
    int port = config.network().httpPort();
    CollectorRegistry registry =
        ServerRegistry.of(
            new ServerMetrics(report::status, heartbeats::answering, heartbeats::failures),
            latencies,
            PooledByteBufAllocator.DEFAULT,
            List.of(
                new TenantMetrics(store, memory, self::forgotten, overQuota),
                new TrafficMetrics(
                    connections,
                    rpcConnections,
                    readCounters,
                    shortCircuits,
                    memory,
                    () -> netty.map(NettyDataServer::pendingTasks).orElse(0)),
                new MergeMetrics(merges, merger::queueLength),
                new EngineMetrics(scrubbed, store.totals())));
    try {
      return parts.add(
          "http", HttpEndpoint.start(address(port), security.tls(), registry, this::notReady));
    } catch (IOException e) {
      throw cannotListen("rss.jetty.http.port", port, e);
    }
  }

  private ClusterSecurity security(Clock clock) throws StartException {
    try {
      return ClusterSecurity.of(
          config.security(), System.getenv(), clock, new SecureRandom(), nanoTime);
    } catch (IOException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private Disks openDisks() throws StartException {
    String owner =
        "pid "
            + ProcessHandle.current().pid()
            + " on host "
            + config.network().address().announced();
    try {
      return Disks.open(
          config.disk().directories(),
          config.disk().limits(),
          config.disk().health(),
          config.durability().fsync(),
          owner,
          nanoTime);
    } catch (IOException e) {
      throw new StartException("rss.storage.basePath: " + e.getMessage(), e);
    }
  }

  private static List<Path> directories(Disks disks) {
    return disks.list().stream()
        .filter(disk -> disk.kind() != StorageKind.REMOTE)
        .map(disk -> Path.of(disk.name()))
        .toList();
  }

  private Disks withRemote(Disks local) throws StartException {
    RemoteConfig remote = config.remote();
    RemoteEnvironment environment =
        RemoteEnvironment.of(
            remote.classPath(), System.getenv(), System.getProperty("sluice.home"));
    try {
      RemoteTier tier =
          RemoteTier.open(
              remote,
              environment,
              directories(local),
              config.network().address().announced(),
              // A small run waits for room that larger ones leave, if any ever do.
              config.disk().demotionBytesPerSecond() > 0 ? remote.largeBytes() : 0,
              config.durability().fsync() == Fsync.RUN,
              new SecureRandom());
      return local.with(
          new Disk(
              tier.storage(),
              tier.catalog(),
              config.disk().limits(),
              new DiskHealth(
                  tier.storage().name(), RemoteTier.health(config.disk().health()), nanoTime),
              nanoTime));
    } catch (IOException e) {
      throw new StartException("rss.storage.type MEMORY_LOCALFILE_HDFS: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while the remote file system was opened", e);
    }
  }

  private List<DiskState> diskStates() {
    return disks.list().stream().map(DiskReport::of).toList();
  }

  private InetSocketAddress address(int port) throws IOException {
    try {
      return config.network().address().listenOn(port);
    } catch (UnknownHostException e) {
      throw new StartException(
          "rss.server.host: "
              + config.network().address().announced()
              + " has no address; give a host name or address of this machine",
          e);
    }
  }

  private StartException cannotListen(String key, int port, IOException failure) {
    if (failure instanceof StartException start) {
      return start;
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new StartException(
        key
            + ": cannot listen on "
            + config.network().address().bind().orElse("*")
            + ":"
            + port
            + ": "
            + root.getMessage()
            + "; give a free port, or 0 for any",
        failure);
  }

  private ServerId identity(long epoch, int rpcPort) {
    String host = config.network().address().announced();
    return ServerId.newBuilder()
        .setName(host + ":" + rpcPort)
        .setHost(host)
        .setRpcPort(rpcPort)
        .setNettyPort(nettyPort())
        .setEpoch(epoch)
        .build();
  }

  /**
   * @param finish whether what is queued is still done when the part is closed
   */
  private ScheduledExecutorService executor(String name, int threads, boolean finish) {
    AtomicInteger number = new AtomicInteger();
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            threads,
            task -> {
              Thread thread =
                  new Thread(task, threads == 1 ? name : name + "-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(finish);
    executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    parts.add(
        name,
        () -> {
          executor.shutdown();
          if (!executor.awaitTermination(THREADS_END_MS, TimeUnit.MILLISECONDS)) {
            executor.shutdownNow();
          }
        });
    return executor;
  }
}
