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
    Copy copy = new Copy(this);
    copy.sinceMs = nowMs;
    return copy.application();
  }

  /** Returns the application after its driver reported fallbacks. */
  public Application reporting(Fallbacks reported) {
    Copy copy = new Copy(this);
    copy.fallbacks = reported;
    return copy.application();
  }

  /**
   * Returns the application after another registration, possibly with another user or client
   * version.
   */
  public Application reregistered(String newUser, String newClientVersion, long nowMs) {
    Copy copy = new Copy(this);
    copy.user = newUser;
    copy.clientVersion = newClientVersion;
    copy.sinceMs = nowMs;
    copy.moves = moves.asPending();
    return copy.application();
  }

  public Application ended(long nowMs) {
    return restored(name, user, clientVersion, registeredAtMs, nowMs, shuffleCount, fallbacks);
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
    Copy copy = new Copy(this);
    copy.shuffleCount += shuffles.partitionCount(shuffle) == 0 ? 1 : 0;
    copy.shuffles = shuffles.with(shuffle, partitionCount, maxShuffles);
    return copy.application();
  }

  public Application with(Moves changed) {
    Copy copy = new Copy(this);
    copy.moves = changed;
    return copy.application();
  }

  /**
   * Whether a move gives data of the application to a server that is not known to have any. Only
   * servers of the application pass its data on.
   */
  public boolean passesDataTo(String from, String to) {
    return servers.contains(from) && !servers.contains(to);
  }

  /** Returns the application with more servers that may have its data. */
  public Application withServers(Collection<String> more) {
    if (servers.containsAll(more)) {
      return this;
    }
    Copy copy = new Copy(this);
    copy.servers = new HashSet<>(servers);
    copy.servers.addAll(more);
    return copy.application();
  }

  /** The components that can change, for a changed copy of an application. */
  private static final class Copy {
    private final Application original;
    private String user;
    private String clientVersion;
    private long sinceMs;
    private int shuffleCount;
    private ShuffleHistory shuffles;
    private Fallbacks fallbacks;
    private Moves moves;
    private Set<String> servers;

    private Copy(Application original) {
      this.original = original;
      user = original.user;
      clientVersion = original.clientVersion;
      sinceMs = original.sinceMs;
      shuffleCount = original.shuffleCount;
      shuffles = original.shuffles;
      fallbacks = original.fallbacks;
      moves = original.moves;
      servers = original.servers;
    }

    private Application application() {
      return new Application(
          original.name,
          user,
          clientVersion,
          original.state,
          original.registeredAtMs,
          sinceMs,
          shuffleCount,
          shuffles,
          fallbacks,
          moves,
          servers);
    }
  }
}
