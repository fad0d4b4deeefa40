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
 * Samples of what servers reported, one every {@link #INTERVAL_MS}: an hour of the whole cluster, a
 * quarter of an hour of each server (some 9 KB a server).
 *
 * <p>A sample is shown at once and waits for the log: {@link #unlogged} returns the waiting ones as
 * a batch, and {@link #logged} takes a batch that the log has. The part that the log has depends on
 * nothing but the batches and their order. Thread-safe.
 */
public final class ThroughputHistory {
  public static final long INTERVAL_MS = 5_000;

  /** Samples in a batch of the log: a minute of them. */
  public static final int BATCH_SAMPLES = 12;

  static final int CLUSTER_SAMPLES = 720;
  static final int SERVER_SAMPLES = 180;

  /** A server without a newer sample than this is forgotten, with the next batch. */
  private static final long SERVER_SPAN_MS = SERVER_SAMPLES * INTERVAL_MS;

  /** Samples of the cluster and of each server, with a bound for both. */
  private static final class Samples {
    private final Deque<Throughput> cluster = new ArrayDeque<>();
    private final Map<String, Deque<Throughput>> servers = new HashMap<>();

    void add(String server, Throughput sample) {
      add(servers.computeIfAbsent(server, name -> new ArrayDeque<>()), sample, SERVER_SAMPLES);
    }

    void add(Throughput sum) {
      add(cluster, sum, CLUSTER_SAMPLES);
    }

    void forgetSilent() {
      if (!cluster.isEmpty()) {
        long oldestMs = cluster.getLast().atMs() - SERVER_SPAN_MS;
        servers.values().removeIf(samples -> samples.getLast().atMs() <= oldestMs);
      }
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

    private static void add(Deque<Throughput> samples, Throughput sample, int most) {
      samples.addLast(sample);
      if (samples.size() > most) {
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
   * @param lostAfterMs silence after which a server is lost
   * @param atMs on the clock of the coordinator's state, which never goes backwards
   */
  public synchronized void sample(
      ServerTable servers, ExcludeList excluded, long lostAfterMs, long atMs) {
    Throughput sum = Throughput.nothing(atMs);
    for (Server server : servers.all()) {
      boolean lost = server.stateAt(atMs, lostAfterMs, excluded) == ServerState.SERVER_LOST;
      Throughput own = lost ? Throughput.nothing(atMs) : of(server.load(), atMs);
      sum = sum.plus(own);
      waiting.add(server.name(), own);
    }
    waiting.add(sum);
  }

  /**
   * The samples that the log does not have.
   *
   * @param least fewer than these are not worth a record
   */
  public synchronized Optional<ThroughputBatch> unlogged(int least) {
    return waiting.cluster.size() < least ? Optional.empty() : Optional.of(waiting.batch());
  }

  /** Takes a batch that the log has. */
  public synchronized void logged(ThroughputBatch batch) {
    batch.cluster().forEach(logged::add);
    batch.servers().forEach((name, samples) -> samples.forEach(sample -> logged.add(name, sample)));
    logged.forgetSilent();
    if (!batch.cluster().isEmpty()) {
      waiting.dropUntil(batch.cluster().get(batch.cluster().size() - 1).atMs());
    }
  }

  /** All samples that the log has. */
  public synchronized ThroughputBatch allLogged() {
    return logged.batch();
  }

  /** The whole cluster, oldest first. */
  public synchronized List<Throughput> cluster() {
    return joined(logged.cluster, waiting.cluster, CLUSTER_SAMPLES);
  }

  /** One server, oldest first; empty if it is not known. */
  public synchronized List<Throughput> server(String name) {
    Deque<Throughput> none = new ArrayDeque<>();
    return joined(
        logged.servers.getOrDefault(name, none),
        waiting.servers.getOrDefault(name, none),
        SERVER_SAMPLES);
  }

  private static List<Throughput> joined(
      Deque<Throughput> older, Deque<Throughput> newer, int most) {
    List<Throughput> all = new ArrayList<>(older);
    all.addAll(newer);
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
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
