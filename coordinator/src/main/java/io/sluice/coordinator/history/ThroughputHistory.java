package io.sluice.coordinator.history;

import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Samples of what servers reported, one every {@link #INTERVAL_MS}: an hour of the whole cluster, a
 * quarter of an hour of each server (some 9 KB a server). Thread-safe.
 */
public final class ThroughputHistory {
  public static final long INTERVAL_MS = 5_000;
  static final int CLUSTER_SAMPLES = 720;
  static final int SERVER_SAMPLES = 180;

  private final LongSupplier serverLostAfterMs;

  // Guarded by this.
  private final Deque<Throughput> cluster = new ArrayDeque<>();
  private final Map<String, Deque<Throughput>> servers = new HashMap<>();

  /**
   * @param serverLostAfterMs asked at each sample
   */
  public ThroughputHistory(LongSupplier serverLostAfterMs) {
    this.serverLostAfterMs = serverLostAfterMs;
  }

  /**
   * Takes a sample.
   *
   * @param nowMs on the coordinator's monotonic clock
   * @param atMs the same moment, in milliseconds since 1970
   */
  public synchronized void sample(ClusterView view, long nowMs, long atMs) {
    Throughput sum = Throughput.nothing(atMs);
    servers.keySet().removeIf(name -> view.servers().get(name) == null);
    long lostAfterMs = serverLostAfterMs.getAsLong();
    for (Server server : view.servers().all()) {
      boolean lost = server.stateAt(nowMs, lostAfterMs, view.excluded()) == ServerState.SERVER_LOST;
      Throughput own = lost ? Throughput.nothing(atMs) : of(server.load(), atMs);
      sum = sum.plus(own);
      add(servers.computeIfAbsent(server.name(), name -> new ArrayDeque<>()), own, SERVER_SAMPLES);
    }
    add(cluster, sum, CLUSTER_SAMPLES);
  }

  /** The whole cluster, oldest first. */
  public synchronized List<Throughput> cluster() {
    return new ArrayList<>(cluster);
  }

  /** One server, oldest first; empty if it is not known. */
  public synchronized List<Throughput> server(String name) {
    return new ArrayList<>(servers.getOrDefault(name, new ArrayDeque<>()));
  }

  private static Throughput of(ServerLoad load, long atMs) {
    return new Throughput(
        atMs,
        load.getPushBytesPerSecond(),
        load.getFetchBytesPerSecond(),
        load.getStoredBytes(),
        load.getMemoryUsedBytes());
  }

  private static void add(Deque<Throughput> samples, Throughput sample, int most) {
    samples.addLast(sample);
    if (samples.size() > most) {
      samples.removeFirst();
    }
  }
}
