package io.sluice.coordinator.history;

import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Throughput samples from heartbeats, one every {@link #INTERVAL_MS}: one hour of the whole
 * cluster, 15 minutes of each server (about 9 KB per server).
 *
 * <p>A sample is visible at once and is logged later: {@link #unlogged} returns the samples that
 * wait for the log as a batch, and {@link #logged} adds a batch once it is in the log. The logged
 * part depends on the batches and their order only, so that a replay gives the same history.
 * Thread-safe.
 */
public final class ThroughputHistory {
  public static final long INTERVAL_MS = 5_000;

  /** Samples in one logged batch: one minute. */
  public static final int BATCH_SAMPLES = 12;

  static final int CLUSTER_SAMPLES = 720;
  static final int SERVER_SAMPLES = 180;

  /** A server without a sample in this period is removed with the next batch. */
  private static final long SERVER_SPAN_MS = SERVER_SAMPLES * INTERVAL_MS;

  /** Samples of the cluster and of each server, both bounded. */
  private static final class Samples {
    private final Deque<Throughput> cluster = new ArrayDeque<>();
    private final Map<String, Deque<Throughput>> servers = new HashMap<>();

    void add(String server, Throughput sample) {
      add(servers.computeIfAbsent(server, name -> new ArrayDeque<>()), sample, SERVER_SAMPLES);
    }

    void add(Throughput sum) {
      add(cluster, sum, CLUSTER_SAMPLES);
    }

    void removeStale() {
      if (!cluster.isEmpty()) {
        long oldestMs = cluster.getLast().atMs() - SERVER_SPAN_MS;
        servers.values().removeIf(samples -> samples.getLast().atMs() <= oldestMs);
      }
    }

    void clear() {
      cluster.clear();
      servers.clear();
    }

    void dropUntil(long atMs) {
      cluster.removeIf(sample -> sample.atMs() <= atMs);
      servers.values().forEach(all -> all.removeIf(sample -> sample.atMs() <= atMs));
      servers.values().removeIf(Deque::isEmpty);
    }

    ThroughputBatch batch() {
      Map<String, List<Throughput>> copy = new HashMap<>();
      servers.forEach((name, samples) -> copy.put(name, List.copyOf(samples)));
      return new ThroughputBatch(List.copyOf(cluster), copy);
    }

    private static void add(Deque<Throughput> samples, Throughput sample, int max) {
      samples.addLast(sample);
      if (samples.size() > max) {
        samples.removeFirst();
      }
    }
  }

  // Both guarded by this.
  private final Samples logged = new Samples();
  private final Samples waiting = new Samples();

  /**
   * Takes a sample.
   *
   * @param lostAfterMs time without a heartbeat after which a server is lost
   * @param atMs time on the clock of the coordinator's state, which is monotonic
   */
  public synchronized void sample(
      ServerTable servers, ExcludeList excluded, long lostAfterMs, long atMs) {
    Throughput sum = Throughput.zero(atMs);
    for (Server server : servers.all()) {
      boolean lost = server.stateAt(atMs, lostAfterMs, excluded) == ServerState.SERVER_LOST;
      Throughput sample = lost ? Throughput.zero(atMs) : of(server.load(), atMs);
      sum = sum.plus(sample);
      waiting.add(server.name(), sample);
    }
    waiting.add(sum);
  }

  /**
   * Returns the samples that are not in the log.
   *
   * @param min minimum number of samples; with fewer the result is empty
   */
  public synchronized Optional<ThroughputBatch> unlogged(int min) {
    return waiting.cluster.size() < min ? Optional.empty() : Optional.of(waiting.batch());
  }

  /** Adds a batch that is in the log. */
  public synchronized void logged(ThroughputBatch batch) {
    batch.cluster().forEach(logged::add);
    batch.servers().forEach((name, samples) -> samples.forEach(sample -> logged.add(name, sample)));
    logged.removeStale();
    if (!batch.cluster().isEmpty()) {
      waiting.dropUntil(batch.cluster().get(batch.cluster().size() - 1).atMs());
    }
  }

  /** Removes all samples. */
  synchronized void clear() {
    logged.clear();
    waiting.clear();
  }

  /** Returns all logged samples. */
  public synchronized ThroughputBatch allLogged() {
    return logged.batch();
  }

  /** Returns the samples of the whole cluster, oldest first. */
  public synchronized List<Throughput> cluster() {
    return joined(logged.cluster, waiting.cluster, CLUSTER_SAMPLES);
  }

  /** Returns the samples of one server, oldest first; empty if the server is unknown. */
  public synchronized List<Throughput> server(String name) {
    Deque<Throughput> none = new ArrayDeque<>();
    return joined(
        logged.servers.getOrDefault(name, none),
        waiting.servers.getOrDefault(name, none),
        SERVER_SAMPLES);
  }

  private static List<Throughput> joined(
      Deque<Throughput> older, Deque<Throughput> newer, int max) {
    List<Throughput> all = new ArrayList<>(older);
    all.addAll(newer);
    return List.copyOf(all.subList(Math.max(0, all.size() - max), all.size()));
  }

  private static Throughput of(ServerLoad load, long atMs) {
    return new Throughput(
        atMs,
        load.getPushBytesPerSecond(),
        load.getFetchBytesPerSecond(),
        load.getStoredBytes(),
        load.getMemoryUsedBytes());
  }
}
