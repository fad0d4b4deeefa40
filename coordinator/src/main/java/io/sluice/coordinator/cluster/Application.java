package io.sluice.coordinator.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * One application. Immutable; times are on the clock of the coordinator's state.
 *
 * @param name application id of Spark or MapReduce
 * @param user operating system user of the job
 * @param state LIVE from registration; ENDED after unregistration, kept for some minutes so that
 *     servers are notified
 * @param registeredAtMs first registration
 * @param sinceMs LIVE: time of the last lease renewal; ENDED: end time
 * @param shuffleCount number of assigned shuffles
 * @param shuffles partition counts of the latest shuffles
 * @param fallbacks latest fallback report of the driver
 * @param moves shuffles that leaving servers move to other servers
 * @param servers names of the servers that may have data of the application
 */
public record Application(
    String name,
    String user,
    String clientVersion,
    State state,
    long registeredAtMs,
    long sinceMs,
    int shuffleCount,
    ShuffleHistory shuffles,
    Fallbacks fallbacks,
    Moves moves,
    Set<String> servers) {

  public Application {
    servers = Set.copyOf(servers);
  }

  /** ENDED is final; a new registration replaces the application. */
  public enum State {
    LIVE,
    ENDED
  }

  public static Application registered(String name, String user, String clientVersion, long nowMs) {
    return new Application(
        name,
        user,
        clientVersion,
        State.LIVE,
        nowMs,
        nowMs,
        0,
        ShuffleHistory.empty(),
        Fallbacks.NONE,
        Moves.NONE,
        Set.of());
  }

  /** Whether the application is live and its lease has not expired. */
  public boolean liveAt(long nowMs, long leaseMs) {
    return state == State.LIVE && nowMs - sinceMs < leaseMs;
  }

  public long leaseRemainingMs(long nowMs, long leaseMs) {
    return state == State.LIVE ? Math.max(0, leaseMs - (nowMs - sinceMs)) : 0;
  }

  public Application renewed(long nowMs) {
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        nowMs,
        shuffleCount,
        shuffles,
        fallbacks,
        moves,
        servers);
  }

  /** Returns the application after its driver reported fallbacks. */
  public Application reporting(Fallbacks reported) {
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        sinceMs,
        shuffleCount,
        shuffles,
        reported,
        moves,
        servers);
  }

  /**
   * Returns the application after another registration, possibly with another user or client
   * version.
   */
  public Application reregistered(String newUser, String newClientVersion, long nowMs) {
    return new Application(
        name,
        newUser,
        newClientVersion,
        state,
        registeredAtMs,
        nowMs,
        shuffleCount,
        shuffles,
        fallbacks,
        moves.asPending(),
        servers);
  }

  public Application ended(long nowMs) {
    return new Application(
        name,
        user,
        clientVersion,
        State.ENDED,
        registeredAtMs,
        nowMs,
        shuffleCount,
        ShuffleHistory.empty(),
        fallbacks,
        Moves.NONE,
        Set.of());
  }

  /** Returns an ended application that was restored from the log. */
  public static Application restored(
      String name,
      String user,
      String clientVersion,
      long registeredAtMs,
      long endedAtMs,
      int shuffleCount,
      Fallbacks fallbacks) {
    return new Application(
        name,
        user,
        clientVersion,
        State.ENDED,
        registeredAtMs,
        endedAtMs,
        shuffleCount,
        ShuffleHistory.empty(),
        fallbacks,
        Moves.NONE,
        Set.of());
  }

  public Application withShuffle(int shuffle, int partitionCount, int maxShuffles) {
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        sinceMs,
        shuffles.partitionCount(shuffle) == 0 ? shuffleCount + 1 : shuffleCount,
        shuffles.with(shuffle, partitionCount, maxShuffles),
        fallbacks,
        moves,
        servers);
  }

  public Application with(Moves changed) {
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        sinceMs,
        shuffleCount,
        shuffles,
        fallbacks,
        changed,
        servers);
  }

  /** Returns the application with more servers that may have its data. */
  public Application withServers(Collection<String> more) {
    if (servers.containsAll(more)) {
      return this;
    }
    Set<String> all = new HashSet<>(servers);
    all.addAll(more);
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        sinceMs,
        shuffleCount,
        shuffles,
        fallbacks,
        moves,
        all);
  }
}
