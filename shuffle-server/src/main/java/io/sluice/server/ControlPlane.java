package io.sluice.server;

import io.grpc.BindableService;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.auth.AuditCalls;
import io.sluice.common.auth.CertificateExpiry;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.HostText;
import io.sluice.common.rpc.CallBounds;
import io.sluice.common.rpc.CallLimits;
import io.sluice.metrics.ThreadDump;
import io.sluice.proto.ServerId;
import io.sluice.server.cluster.ControlRules;
import io.sluice.server.cluster.ControlService;
import io.sluice.server.cluster.Decommission;
import io.sluice.server.cluster.Mover;
import io.sluice.server.cluster.ProcessVitals;
import io.sluice.server.cluster.RpcServer;
import io.sluice.server.cluster.StoreReport;
import io.sluice.server.cluster.TerminationNotice;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.server.GrpcDataService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The gRPC port: status reports, control calls and data over gRPC. Thread-safe. */
record ControlPlane(Mover mover, Decommission decommission, StoreReport report, RpcServer rpc) {
  private static final long SAMPLE_MS = 1_000;

  /** Starts the status reports of the server and opens the port. */
  static ControlPlane start(
      Startup startup,
      StorageEngine engine,
      DataPlane data,
      ConnectionLimits connectionLimits,
      ConfigReload reload)
      throws StartException {
    ServerConfig config = startup.config();
    AtomicReference<ServerId> self =
        new AtomicReference<>(
            identity(
                config.network(),
                config.cluster().zone(),
                engine.epoch(),
                config.network().rpcPort(),
                data));
    Mover mover = mover(startup, engine, data, self::get);
    Decommission decommission =
        new Decommission(
            () -> engine.store().shuffleCount() == 0, data.pushes(), mover, startup.nanoTime());
    mover.onDone(decommission::check);
    CertificateExpiry certificates = startup.security().certificateExpiry(startup.clock());
    StoreReport report =
        new StoreReport(
            self.get(),
            engine.memory(),
            engine.store(),
            engine.counters(),
            connectionLimits.data(),
            engine::diskStates,
            engine.spiller()::canStore,
            decommission,
            new ProcessVitals(certificates),
            startup.nanoTime());
    // Cancelled when its executor is closed.
    ScheduledFuture<?> unused =
        data.timer().scheduleAtFixedRate(report::sample, 0, SAMPLE_MS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedWarnings =
        data.timer().scheduleWithFixedDelay(certificates::warn, 0, 1, TimeUnit.DAYS);
    ScheduledFuture<?> unusedChecks =
        data.timer()
            .scheduleWithFixedDelay(
                decommission::check,
                config.cluster().decommissionCheckMs(),
                config.cluster().decommissionCheckMs(),
                TimeUnit.MILLISECONDS);
    watchTermination(startup, data, decommission);
    // Closed with its part. A flush that still waits then ends without a result; spills continue.
    ScheduledExecutorService flusher = startup.parts().executor("flush", 1, false);
    RpcServer rpc =
        startRpc(
            startup,
            new ControlService(
                engine.store(),
                report,
                decommission,
                reload,
                ThreadDump.ofThisProcess()::take,
                () -> flusher.execute(() -> engine.flush(config.stopTimeoutMs()))),
            data,
            connectionLimits);
    self.set(identity(config.network(), config.cluster().zone(), engine.epoch(), rpc.port(), data));
    report.identify(self.get());
    return new ControlPlane(mover, decommission, report, rpc);
  }

  private static void watchTermination(Startup startup, DataPlane data, Decommission decommission) {
    TerminationNotice.Config config = startup.config().cluster().termination();
    if (config.file() == null) {
      return;
    }
    TerminationNotice notice =
        new TerminationNotice(
            config.file(),
            config.deadlineMs(),
            decommission,
            milliseconds -> {
              ScheduledFuture<?> unused =
                  data.timer().schedule(decommission::check, milliseconds, TimeUnit.MILLISECONDS);
            });
    // A thread of its own, because the file system may hang.
    ScheduledFuture<?> unused =
        startup
            .parts()
            .executor("termination-notice", 1, false)
            .scheduleWithFixedDelay(notice::check, 0, SAMPLE_MS, TimeUnit.MILLISECONDS);
  }

  private static Mover mover(
      Startup startup, StorageEngine engine, DataPlane data, Supplier<ServerId> self) {
    return startup
        .parts()
        .add(
            "mover",
            Mover.of(
                engine.store(),
                data.pushes(),
                data.files(),
                engine.reports(),
                engine.epoch(),
                PooledByteBufAllocator.DEFAULT,
                startup.config().cluster().heartbeat().coordinators(),
                startup.config().cluster().move(),
                self,
                startup.security(),
                startup.clock(),
                startup.nanoTime()));
  }

  /** Reason why the server accepts no work; empty if it accepts work. */
  Optional<String> notReady() {
    return switch (report.state()) {
      case ACTIVE -> Optional.empty();
      case SERVER_DRAINING -> Optional.of("the server is stopping or decommissioned");
      case UNHEALTHY -> Optional.of("no storage directory accepts data: all are full or unhealthy");
      case SERVER_LOST, EXCLUDED, SERVER_STATE_UNSPECIFIED, UNRECOGNIZED ->
          Optional.of(report.state().name());
    };
  }

  private static ServerId identity(
      NetworkConfig network, String zone, long epoch, int rpcPort, DataPlane data) {
    String host = network.address().announced();
    return ServerId.newBuilder()
        .setName(HostText.withPort(host, rpcPort))
        .setHost(host)
        .setRpcPort(rpcPort)
        .setNettyPort(data.nettyPort())
        .setEpoch(epoch)
        .setZone(zone)
        .build();
  }

  private static RpcServer startRpc(
      Startup startup, ControlService control, DataPlane plane, ConnectionLimits connectionLimits)
      throws StartException {
    NetworkConfig network = startup.config().network();
    ClusterSecurity security = startup.security();
    StartedParts parts = startup.parts();
    RpcServer server =
        parts.add(
            "rpc",
            new RpcServer(
                network.rpcThreads(),
                network.ioMode(),
                network.loops(),
                connectionLimits.rpcLimit(security.tls().isPresent())));
    GrpcDataService data =
        new GrpcDataService(
            plane.service(),
            network.connections(),
            connectionLimits.data(),
            server.executor(),
            plane.timer(),
            startup.nanoTime());
    parts.add("grpc data streams", data::closeConnections);
    return Ports.open(
        network.address(),
        "rss.rpc.server.port",
        network.rpcPort(),
        address -> {
          server.start(
              address,
              new CallBounds(
                  GrpcDataService.limits(CallLimits.control()),
                  plane.timer(),
                  connectionLimits.calls()),
              connectionLimits.calls(),
              builder -> {
                data.configure(builder);
                security.tls().ifPresent(tls -> builder.sslContext(tls.grpcServer()));
                builder.intercept(new AuditCalls(connectionLimits.audit()));
                // gRPC calls the interceptor that was added last first.
                List<BindableService> services = new ArrayList<>(List.of(control, data));
                services.addAll(
                    security.guard(
                        builder,
                        Set.of(DataExchange.SERVICE),
                        new ControlRules(security.openReads()),
                        connectionLimits.calls(),
                        startup.signatures()));
                return services;
              });
          return server;
        });
  }
}
