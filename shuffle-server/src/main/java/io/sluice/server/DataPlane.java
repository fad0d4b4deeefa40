package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.tls.TlsContexts;
import io.sluice.server.disk.PageCache;
import io.sluice.server.net.ShortCircuitConfig;
import io.sluice.server.net.ShortCircuitCounters;
import io.sluice.server.net.ShortCircuitServer;
import io.sluice.server.observe.Latencies;
import io.sluice.server.read.DiskReadConfig;
import io.sluice.server.read.DiskReadCounters;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.ReadBudget;
import io.sluice.server.read.ReadHealthReporter;
import io.sluice.server.read.ReaderThreads;
import io.sluice.server.service.OverQuota;
import io.sluice.server.service.PushAdmission;
import io.sluice.server.service.ServerEpochs;
import io.sluice.server.service.ServiceConfig;
import io.sluice.server.service.StoreDataService;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.NettyDataServer;
import io.sluice.transport.server.NettyServerConfig;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data service, its transports and its read path: clients push to it and fetch from it.
 * Thread-safe.
 *
 * @param timer runs periodic and delayed tasks
 * @param pushes accepts or refuses pushes
 * @param service the service that the transports call
 * @param files reads blocks from run files
 * @param readBudget memory for replies to Fetch
 * @param requestMemory memory for requests and for replies to Open
 * @param netty server of the framed transport; empty if only gRPC is enabled
 */
record DataPlane(
    ScheduledExecutorService timer,
    PushAdmission pushes,
    TrackedDataService service,
    FileReads files,
    Optional<NettyDataServer> netty,
    OverQuota overQuota,
    ReadBudget readBudget,
    RequestMemory requestMemory,
    DiskReadCounters reads,
    ShortCircuitCounters shortCircuits) {
  private static final Logger log = LoggerFactory.getLogger(DataPlane.class);

  /** Replies to OPEN can be large; the second thread serves others while one is built. */
  private static final int TIMER_THREADS = 2;

  /** Starts the service, the Unix domain socket for local readers and the data port. */
  static DataPlane start(
      Startup startup, StorageEngine engine, Latencies latencies, ConnectionLimits connectionLimits)
      throws StartException {
    ScheduledExecutorService timer = startup.parts().executor("timer", TIMER_THREADS, false);
    DiskReadCounters readCounters = new DiskReadCounters();
    ReadBudget readBudget = new ReadBudget(startup.config().reads().budgetBytes());
    RequestMemory requestMemory = RequestMemory.ofHeap(Runtime.getRuntime().maxMemory());
    FileReads reads =
        startReads(startup, readBudget, requestMemory, timer, engine.pageCache(), readCounters);
    ConnectionGuard guard = ConnectionGuard.of(startup.security(), startup.signatures());
    ServerEpochs epochs = new ServerEpochs(engine.epoch(), engine.recovered().wholeSinceEpoch());
    OverQuota overQuota = new OverQuota();
    PushAdmission pushes =
        new PushAdmission(
            epochs,
            serviceConfig(startup.config()).limits(),
            engine.memory(),
            engine.store(),
            engine.spiller()::canStore,
            overQuota,
            engine.counters());
    StoreDataService stored =
        dataService(startup, epochs, engine, guard, pushes, requestMemory, reads, timer);
    TrackedDataService service = new TrackedDataService(stored, latencies, startup.nanoTime());
    ShortCircuitCounters shortCircuits = new ShortCircuitCounters();
    startShortCircuit(startup, engine, reads, stored, connectionLimits, shortCircuits);
    return new DataPlane(
        timer,
        pushes,
        service,
        reads,
        startNetty(startup, service, connectionLimits),
        overQuota,
        readBudget,
        requestMemory,
        readCounters,
        shortCircuits);
  }

  /** 0 when the server does not run the framed transport. */
  int nettyPort() {
    return netty.map(NettyDataServer::port).orElse(0);
  }

  /** Tasks queued for the event loops of the data connections. */
  int pendingTasks() {
    return netty.map(NettyDataServer::pendingTasks).orElse(0);
  }

  private static FileReads startReads(
      Startup startup,
      ReadBudget budget,
      RequestMemory requestMemory,
      ScheduledExecutorService timer,
      PageCache pageCache,
      DiskReadCounters counters) {
    DiskReadConfig reading = startup.config().reads().disks();
    LongSupplier nanoTime = startup.nanoTime();
    StartedParts parts = startup.parts();
    return parts.add(
        "file reads",
        new FileReads(
            reading,
            budget,
            requestMemory,
            pageCache,
            PooledByteBufAllocator.DEFAULT,
            parts.add("reader threads", new ReaderThreads(reading, nanoTime)),
            timer,
            new ReadHealthReporter(),
            counters,
            nanoTime));
  }

  private static ServiceConfig serviceConfig(ServerConfig config) {
    return new ServiceConfig(
        new FrameLimits(FrameLimits.DEFAULT.maxHeadLength(), config.network().maxBodyBytes()),
        ServiceConfig.DEFAULT.maxOpenWaitMs(),
        ServiceConfig.DEFAULT.maxOpenWaits());
  }

  private static StoreDataService dataService(
      Startup startup,
      ServerEpochs epochs,
      StorageEngine engine,
      ConnectionGuard guard,
      PushAdmission pushes,
      RequestMemory requestMemory,
      FileReads reads,
      ScheduledExecutorService timer) {
    StoreDataService service =
        new StoreDataService(
            epochs,
            serviceConfig(startup.config()),
            guard,
            pushes,
            engine.memory(),
            requestMemory,
            engine.store(),
            reads,
            timer,
            engine.counters());
    service.verifyReports(engine.reports());
    if (startup.config().storage().remote().used()) {
      service.announceRemoteFiles();
    }
    return service;
  }

  /** Starts short-circuit reads. If that fails, clients fetch over the network instead. */
  private static void startShortCircuit(
      Startup startup,
      StorageEngine engine,
      FileReads reads,
      StoreDataService service,
      ConnectionLimits connectionLimits,
      ShortCircuitCounters counters) {
    ServerConfig config = startup.config();
    if (config.shortCircuit().isEmpty()) {
      return;
    }
    ShortCircuitConfig shortCircuit = config.shortCircuit().get();
    ShortCircuitServer server =
        new ShortCircuitServer(
            shortCircuit,
            engine.epoch(),
            engine.store(),
            reads,
            service.guard(),
            service::hello,
            counters,
            connectionLimits.shortCircuits());
    try {
      server.start();
    } catch (IOException e) {
      log.warn(
          "short-circuit reads are disabled, clients on this host fetch over the"
              + " network socket={} reason=\"{}\"",
          shortCircuit.socket(),
          e.getMessage());
      return;
    }
    startup.parts().add("short circuit", server);
    service.announceLocalSocket(shortCircuit.socket().toString());
  }

  private static Optional<NettyDataServer> startNetty(
      Startup startup, TrackedDataService service, ConnectionLimits connectionLimits)
      throws StartException {
    NetworkConfig network = startup.config().network();
    if (network.nettyPort().isEmpty()) {
      return Optional.empty();
    }
    int port = network.nettyPort().get();
    NettyDataServer server =
        new NettyDataServer(
            service,
            new NettyServerConfig(
                network.address().bind().orElse(null),
                port,
                network.ioMode(),
                network.loops(),
                network.connections()),
            startup.security().tls().map(TlsContexts::dataServer),
            connectionLimits.data(),
            startup.nanoTime());
    return Optional.of(
        startup
            .parts()
            .add(
                "data transport",
                Ports.open(
                    network.address(),
                    "rss.server.netty.port",
                    port,
                    unused -> {
                      server.start();
                      return server;
                    })));
  }
}
