package io.sluice.server.cluster;

import io.sluice.proto.DiskState;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.Status;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.ServerCounters;
import io.sluice.transport.server.TransportCounters;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The report of a server, derived from its store. Thread-safe. */
public final class StoreReport implements ServerReport {
  private final MemoryBudget memory;
  private final ShuffleStore store;
  private final ServerCounters counters;
  private final TransportCounters connections;
  private final Supplier<List<DiskState>> disks;
  private final BooleanSupplier canStore;
  private final Decommission decommission;
  private final ProcessVitals vitals;
  private final ThroughputWindow pushed;
  private final ThroughputWindow fetched;
  private volatile ServerId server;
  private volatile boolean draining;

  /**
   * @param disks current state of the base directories
   * @param canStore false while no directory has space for spills
   * @param nanoTime clock for the rates
   */
  public StoreReport(
      ServerId server,
      MemoryBudget memory,
      ShuffleStore store,
      ServerCounters counters,
      TransportCounters connections,
      Supplier<List<DiskState>> disks,
      BooleanSupplier canStore,
      Decommission decommission,
      ProcessVitals vitals,
      LongSupplier nanoTime) {
    this.server = server;
    this.memory = memory;
    this.store = store;
    this.counters = counters;
    this.connections = connections;
    this.disks = disks;
    this.canStore = canStore;
    this.decommission = decommission;
    this.vitals = vitals;
    this.pushed = new ThroughputWindow(counters::pushedBytes, nanoTime);
    this.fetched = new ThroughputWindow(counters::fetchedBytes, nanoTime);
  }

  /** Sets the identity of the server, once its ports are known. */
  public void identify(ServerId identity) {
    server = identity;
  }

  public ServerId server() {
    return server;
  }

  /** Reports the server as draining from now on. */
  public void drain() {
    draining = true;
  }

  /** Takes samples for the rates; called about once a second. */
  public void sample() {
    pushed.sample();
    fetched.sample();
  }

  @Override
  public ServerState state() {
    if (draining || decommission.isActive()) {
      return ServerState.SERVER_DRAINING;
    }
    boolean writable = disks.get().stream().anyMatch(DiskState::getHealthy);
    return writable && canStore.getAsBoolean() ? ServerState.ACTIVE : ServerState.UNHEALTHY;
  }

  @Override
  public ServerLoad load() {
    LogTotals totals = store.totals();
    ServerLoad.Builder load =
        ServerLoad.newBuilder()
            .setMemoryUsedBytes(memory.usedBytes())
            .setMemoryCapacityBytes(memory.capacityBytes())
            .setPendingSpillBytes(totals.spillingBytes())
            .addAllDisks(disks.get())
            .setConnections(connections.openConnections())
            .setPushBytesPerSecond(pushed.perSecond())
            .setFetchBytesPerSecond(fetched.perSecond())
            .setStoredBytes(totals.storedBytes());
    decommission.progress().ifPresent(load::setMove);
    return load.build();
  }

  @Override
  public GetStatusReply status() {
    return GetStatusReply.newBuilder()
        .setStatus(Status.OK)
        .setServer(server)
        .setState(state())
        .setLoad(load())
        .setPushedFrames(counters.pushedFrames())
        .setPushedBlocks(counters.pushedBlocks())
        .setPushedBytes(counters.pushedBytes())
        .setDuplicateBlocks(counters.duplicateBlocks())
        .setSpilledBytes(counters.spilledBytes())
        .setSpilledRuns(counters.spilledRuns())
        .setOpens(counters.opens())
        .setFetches(counters.fetches())
        .setOpenedPartitions(counters.openedPartitions())
        .setFetchedBytes(counters.fetchedBytes())
        .setFetchedFromMemoryBytes(counters.fetchedFromMemoryBytes())
        .setRefusedFrames(counters.refusedFrames())
        .setCorruptFrames(counters.corruptFrames())
        .setPausedConnections(connections.pauses())
        .setApplications(store.applications().size())
        .setShuffles(store.shuffleCount())
        .setProcessCpuNanos(vitals.cpuNanos())
        .setHeapUsedBytes(vitals.heapUsedBytes())
        .setHeapMaxBytes(vitals.heapMaxBytes())
        .setMemoryPeakBytes(memory.peakBytes())
        .setFailedSpills(counters.failedSpills())
        .setLostRuns(counters.lostRuns())
        .setLostBytes(counters.lostBytes())
        .setDemotedRuns(counters.demotedRuns())
        .setDemotedBytes(counters.demotedBytes())
        .setMovedBytes(decommission.movedBytes())
        .setCertificateExpiryMs(vitals.certificateExpiryMs())
        .build();
  }
}
