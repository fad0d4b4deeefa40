package io.sluice.coordinator.cluster;

/**
 * One application. Immutable; times are on the clock of the coordinator's state.
 *
 * @param name the engine's application id
 * @param user operating-system user that the job runs as
 * @param state LIVE from registration; ENDED once unregistered, kept for a while so that servers
 *     learn it
 * @param registeredAtMs first registration
 * @param sinceMs of a LIVE application its last sign of life, of an ENDED one the moment it ended
 * @param shuffleCount how many shuffles of it were assigned
 * @param shuffles the shuffles that are remembered
 * @param fallbacks what the driver said of shuffles that it did not bring here
 * @param moves what leaving servers copy elsewhere
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
    Moves moves) {

  /** ENDED is final for one registration; registering again starts a new life. */
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
        Moves.NONE);
  }

  /** Whether the application is live and its lease has not run out. */
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
        moves);
  }

  /** The application after its driver has reported fallbacks. */
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
        moves);
  }

  /** The same application announced again, perhaps by another user name or library. */
  public Application announcedAgain(String newUser, String newClientVersion, long nowMs) {
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
        moves.untold());
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
        Moves.NONE);
  }

  /** An application that has ended, as the log has it. */
  public static Application remembered(
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
        Moves.NONE);
  }

  public Application withShuffle(int shuffle, int partitionCount, int remembered) {
    return new Application(
        name,
        user,
        clientVersion,
        state,
        registeredAtMs,
        sinceMs,
        shuffles.partitionCount(shuffle) == 0 ? shuffleCount + 1 : shuffleCount,
        shuffles.with(shuffle, partitionCount, remembered),
        fallbacks,
        moves);
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
        changed);
  }
}
