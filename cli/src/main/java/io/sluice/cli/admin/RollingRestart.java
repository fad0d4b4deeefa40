package io.sluice.cli.admin;

import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Restarts servers one after another: drain, restart, wait until the server is active again and
 * stays so. The first failure ends the rolling restart; a server that was only drained returns to
 * normal service. Used by one thread.
 */
public final class RollingRestart {

  /** At most this fraction of the memory may be in use for a clean stop to be fast. */
  private static final int LITTLE_MEMORY_DIVISOR = 8;

  /**
   * Timeouts in milliseconds.
   *
   * @param drainMs time to wait until a drained server has written its memory; after it, the server
   *     is restarted, and its clean stop writes the rest
   * @param restartMs time from the restart until the server is active
   * @param settleMs time for which a restarted server must stay active before the next one is
   *     drained
   * @param pollMs poll interval
   */
  public record Times(long drainMs, long restartMs, long settleMs, long pollMs) {}

  /** Sleeps; replaced in tests. */
  @FunctionalInterface
  public interface Pause {
    void sleep(long ms) throws InterruptedException;
  }

  private final Cluster cluster;
  private final Restarter restarter;
  private final Times times;
  private final LongSupplier nanoTime;
  private final Pause pause;
  private final Consumer<String> progress;

  /**
   * @param progress called with each line of progress
   */
  public RollingRestart(
      Cluster cluster,
      Restarter restarter,
      Times times,
      LongSupplier nanoTime,
      Pause pause,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.restarter = restarter;
    this.times = times;
    this.nanoTime = nanoTime;
    this.pause = pause;
    this.progress = progress;
  }

  /**
   * Servers to restart, in order.
   *
   * @param named names of servers; empty: all servers of the cluster
   * @throws IOException if a server is not known or not healthy
   */
  public List<ServerInfo> plan(List<String> named) throws IOException {
    List<ServerInfo> known = new ArrayList<>(cluster.servers());
    known.sort(Comparator.comparing(info -> info.getServer().getName()));
    List<ServerInfo> chosen = new ArrayList<>();
    for (String name : named) {
      chosen.add(
          find(known, name).orElseThrow(() -> new IOException("server is not known: " + name)));
    }
    if (named.isEmpty()) {
      chosen.addAll(known);
    }
    if (chosen.isEmpty()) {
      throw new IOException("no server is registered at the coordinator");
    }
    requireHealthy(known, chosen.stream().map(info -> info.getServer().getName()).toList());
    return chosen;
  }

  /** Restarts the servers and returns their number. */
  public int run(List<ServerInfo> servers) throws IOException, InterruptedException {
    List<String> names = servers.stream().map(info -> info.getServer().getName()).toList();
    for (int i = 0; i < servers.size(); i++) {
      String name = names.get(i);
      List<ServerInfo> known = cluster.servers();
      requireHealthy(known, names);
      ServerInfo before =
          find(known, name).orElseThrow(() -> new IOException(name + " is no longer known"));
      restart(before, "[" + (i + 1) + "/" + servers.size() + "] " + name);
    }
    return servers.size();
  }

  /**
   * Requires that the chosen servers are active or excluded, and that no other server is lost or
   * unhealthy.
   */
  private static void requireHealthy(List<ServerInfo> known, List<String> chosen)
      throws IOException {
    for (ServerInfo info : known) {
      String name = info.getServer().getName();
      ServerState state = info.getState();
      boolean healthy =
          switch (state) {
            case ACTIVE -> true;
            case SERVER_DRAINING -> !chosen.contains(name);
            case EXCLUDED -> true;
            case SERVER_LOST, UNHEALTHY, SERVER_STATE_UNSPECIFIED, UNRECOGNIZED -> false;
          };
      if (!healthy) {
        throw new IOException(name + " is " + state + "; a rolling restart needs healthy servers");
      }
    }
  }

  private void restart(ServerInfo before, String label) throws IOException, InterruptedException {
    ServerId server = before.getServer();
    long sinceNanos = nanoTime.getAsLong();
    cluster.drain(server);
    try {
      awaitDrained(server, label);
      progress.accept(label + ": restarting");
      restarter.restart(server);
    } catch (IOException | InterruptedException e) {
      resume(server, label);
      throw e;
    }
    ServerInfo after = awaitBack(before, label);
    awaitSettled(after, label);
    progress.accept(
        label
            + ": done, stores "
            + size(after.getLoad().getStoredBytes())
            + ", took "
            + DurationText.print(roundedSeconds(nanoTime.getAsLong() - sinceNanos)));
  }

  private static long roundedSeconds(long nanos) {
    return TimeUnit.SECONDS.toMillis(TimeUnit.NANOSECONDS.toSeconds(nanos));
  }

  /** Cancels the drain; fails if the server has restarted or exited meanwhile. */
  private void resume(ServerId server, String label) {
    try {
      cluster.resume(server);
      progress.accept(label + ": drain cancelled");
    } catch (IOException e) {
      progress.accept(label + ": may still be draining: " + e.getMessage());
    }
  }

  /** Waits until the coordinator lists the server as draining and most of its memory is written. */
  private void awaitDrained(ServerId server, String label)
      throws IOException, InterruptedException {
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(times.drainMs());
    while (true) {
      Optional<ServerInfo> info = find(cluster.servers(), server.getName());
      if (info.isPresent()) {
        ServerLoad load = info.get().getLoad();
        boolean draining = info.get().getState() == ServerState.SERVER_DRAINING;
        boolean memoryWritten =
            load.getMemoryUsedBytes() <= load.getMemoryCapacityBytes() / LITTLE_MEMORY_DIVISOR;
        progress.accept(
            label
                + ": draining, stores "
                + size(load.getStoredBytes())
                + ", in memory "
                + size(load.getMemoryUsedBytes()));
        if (draining && memoryWritten) {
          return;
        }
        if (isOver(deadline)) {
          if (draining) {
            return;
          }
          throw new IOException(
              server.getName()
                  + " is not listed as draining by the coordinator within "
                  + DurationText.print(times.drainMs()));
        }
      } else if (isOver(deadline)) {
        throw new IOException(server.getName() + " is no longer known");
      }
      pause.sleep(times.pollMs());
    }
  }

  /** Waits until the server is active with a new epoch. */
  private ServerInfo awaitBack(ServerInfo before, String label)
      throws IOException, InterruptedException {
    String name = before.getServer().getName();
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(times.restartMs());
    String shown = "";
    while (true) {
      Optional<ServerInfo> info = find(cluster.servers(), name);
      boolean back = info.isPresent() && isLater(info.get().getServer(), before.getServer());
      String state = back ? "restarted, state " + info.get().getState() : "not restarted yet";
      if (back && info.get().getState() == ServerState.ACTIVE) {
        requireNoLoss(before, info.get());
        return info.get();
      }
      if (isOver(deadline)) {
        throw new IOException(
            name
                + " is not active within "
                + DurationText.print(times.restartMs())
                + " after its restart: "
                + state);
      }
      if (!state.equals(shown)) {
        shown = state;
        progress.accept(label + ": " + state);
      }
      pause.sleep(times.pollMs());
    }
  }

  private void awaitSettled(ServerInfo after, String label)
      throws IOException, InterruptedException {
    String name = after.getServer().getName();
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(times.settleMs());
    while (!isOver(deadline)) {
      ServerInfo info =
          find(cluster.servers(), name)
              .orElseThrow(() -> new IOException(name + " exited after its restart"));
      if (info.getState() != ServerState.ACTIVE
          || info.getServer().getEpoch() != after.getServer().getEpoch()) {
        throw new IOException(
            name + " did not stay active after its restart: it is " + info.getState());
      }
      pause.sleep(times.pollMs());
    }
    progress.accept(label + ": stayed active");
  }

  private void requireNoLoss(ServerInfo before, ServerInfo after) throws IOException {
    String name = after.getServer().getName();
    long disksBefore = healthyDisks(before.getLoad());
    long disksAfter = healthyDisks(after.getLoad());
    if (disksAfter < disksBefore) {
      throw new IOException(
          name
              + " has "
              + disksAfter
              + " healthy disks after its restart, "
              + disksBefore
              + " before");
    }
    long lost = cluster.lostRuns(after.getServer());
    if (lost > 0) {
      throw new IOException(name + " lost " + lost + " run files in its restart");
    }
  }

  private static long healthyDisks(ServerLoad load) {
    return load.getDisksList().stream().filter(DiskState::getHealthy).count();
  }

  private static boolean isLater(ServerId one, ServerId other) {
    return one.getEpoch() > other.getEpoch();
  }

  private boolean isOver(long deadlineNanos) {
    return nanoTime.getAsLong() - deadlineNanos >= 0;
  }

  private static Optional<ServerInfo> find(List<ServerInfo> known, String name) {
    return known.stream().filter(info -> info.getServer().getName().equals(name)).findFirst();
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }
}
