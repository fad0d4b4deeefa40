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
 * Restarts servers one after another: drain, restart, wait until it is back and well, the next. The
 * first trouble ends it; a server that was only drained by then goes on as before. One thread's.
 */
public final class RollingRestart {

  /** Memory in use, of its capacity, that a clean stop writes in a moment. */
  private static final int LITTLE_MEMORY_DIVISOR = 8;

  /**
   * How long things may take, in milliseconds.
   *
   * @param drainMs how long to wait until a drained server has written its memory; then it is
   *     restarted all the same, and its clean stop writes the rest
   * @param restartMs from its restart on, until it is back and takes assignments
   * @param settleMs how long it must stay so before the next one
   * @param pollMs between looks
   */
  public record Times(long drainMs, long restartMs, long settleMs, long pollMs) {}

  /** Waits, for tests to leave out. */
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
   * @param progress takes one line at a time
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
   * The servers to restart, in their order.
   *
   * @param named names; none: all of the cluster
   * @throws IOException one is not known, or something stands in the way already
   */
  public List<ServerInfo> plan(List<String> named) throws IOException {
    List<ServerInfo> known = new ArrayList<>(cluster.servers());
    known.sort(Comparator.comparing(info -> info.getServer().getName()));
    List<ServerInfo> chosen = new ArrayList<>();
    for (String name : named) {
      chosen.add(
          find(known, name)
              .orElseThrow(() -> new IOException("no server of that name is known: " + name)));
    }
    if (named.isEmpty()) {
      chosen.addAll(known);
    }
    if (chosen.isEmpty()) {
      throw new IOException("the coordinator knows no server");
    }
    demandWell(known, chosen.stream().map(info -> info.getServer().getName()).toList());
    return chosen;
  }

  /** Restarts them. Returns how many, which is all of them. */
  public int run(List<ServerInfo> servers) throws IOException, InterruptedException {
    List<String> names = servers.stream().map(info -> info.getServer().getName()).toList();
    for (int i = 0; i < servers.size(); i++) {
      String name = names.get(i);
      List<ServerInfo> known = cluster.servers();
      demandWell(known, names);
      ServerInfo before =
          find(known, name).orElseThrow(() -> new IOException(name + " is not known any more"));
      restart(before, "[" + (i + 1) + "/" + servers.size() + "] " + name);
    }
    return servers.size();
  }

  /** Servers that are to be restarted work, and no other one is in trouble. */
  private static void demandWell(List<ServerInfo> known, List<String> chosen) throws IOException {
    for (ServerInfo info : known) {
      String name = info.getServer().getName();
      ServerState state = info.getState();
      boolean well =
          switch (state) {
            case ACTIVE -> true;
            case SERVER_DRAINING -> !chosen.contains(name);
            case EXCLUDED -> true;
            case SERVER_LOST, UNHEALTHY, SERVER_STATE_UNSPECIFIED, UNRECOGNIZED -> false;
          };
      if (!well) {
        throw new IOException(
            name + " is " + state + ": no server is restarted while one is not well");
      }
    }
  }

  private void restart(ServerInfo before, String label) throws IOException, InterruptedException {
    ServerId server = before.getServer();
    long sinceNanos = nanoTime.getAsLong();
    cluster.drain(server);
    try {
      awaitDrained(server, label);
      progress.accept(label + ": restarts");
      restarter.restart(server);
    } catch (IOException | InterruptedException e) {
      resume(server, label);
      throw e;
    }
    ServerInfo after = awaitBack(before, label);
    awaitSettled(after, label);
    progress.accept(
        label
            + ": done, holds "
            + size(after.getLoad().getStoredBytes())
            + ", took "
            + DurationText.print(roundedSeconds(nanoTime.getAsLong() - sinceNanos)));
  }

  private static long roundedSeconds(long nanos) {
    return TimeUnit.SECONDS.toMillis(TimeUnit.NANOSECONDS.toSeconds(nanos));
  }

  /** The process may have a new life already, or none: then there is nothing to take back. */
  private void resume(ServerId server, String label) {
    try {
      cluster.resume(server);
      progress.accept(label + ": goes on as before");
    } catch (IOException e) {
      progress.accept(label + ": may still be draining: " + e.getMessage());
    }
  }

  /** Until the coordinator gives it nothing new, and little is in memory. */
  private void awaitDrained(ServerId server, String label)
      throws IOException, InterruptedException {
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(times.drainMs());
    while (true) {
      Optional<ServerInfo> info = find(cluster.servers(), server.getName());
      if (info.isPresent()) {
        ServerLoad load = info.get().getLoad();
        boolean told = info.get().getState() == ServerState.SERVER_DRAINING;
        boolean little =
            load.getMemoryUsedBytes() <= load.getMemoryCapacityBytes() / LITTLE_MEMORY_DIVISOR;
        progress.accept(
            label
                + ": drains, holds "
                + size(load.getStoredBytes())
                + ", in memory "
                + size(load.getMemoryUsedBytes()));
        if (told && little) {
          return;
        }
        if (isOver(deadline)) {
          if (told) {
            return;
          }
          throw new IOException(server.getName() + " still gets assignments after its drain");
        }
      } else if (isOver(deadline)) {
        throw new IOException(server.getName() + " is not known any more");
      }
      pause.sleep(times.pollMs());
    }
  }

  /** Until a new life of it takes assignments. */
  private ServerInfo awaitBack(ServerInfo before, String label)
      throws IOException, InterruptedException {
    String name = before.getServer().getName();
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(times.restartMs());
    String shown = "";
    while (true) {
      Optional<ServerInfo> info = find(cluster.servers(), name);
      boolean back = info.isPresent() && isLater(info.get().getServer(), before.getServer());
      String state =
          back ? "is back, " + info.get().getState() : "waits for its next life to report";
      if (back && info.get().getState() == ServerState.ACTIVE) {
        demandWhole(before, info.get());
        return info.get();
      }
      if (isOver(deadline)) {
        throw new IOException(
            name
                + " does not work again within "
                + DurationText.print(times.restartMs())
                + " of its restart: "
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
              .orElseThrow(() -> new IOException(name + " has left after its restart"));
      if (info.getState() != ServerState.ACTIVE
          || info.getServer().getEpoch() != after.getServer().getEpoch()) {
        throw new IOException(
            name + " did not stay well after its restart: it is " + info.getState());
      }
      pause.sleep(times.pollMs());
    }
    progress.accept(label + ": is well");
  }

  private void demandWhole(ServerInfo before, ServerInfo after) throws IOException {
    String name = after.getServer().getName();
    long disksBefore = healthyDisks(before.getLoad());
    long disksAfter = healthyDisks(after.getLoad());
    if (disksAfter < disksBefore) {
      throw new IOException(
          name + " came back with " + disksAfter + " good disks of " + disksBefore);
    }
    long lost = cluster.lostRuns(after.getServer());
    if (lost > 0) {
      throw new IOException(name + " came back and misses " + lost + " run files");
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
