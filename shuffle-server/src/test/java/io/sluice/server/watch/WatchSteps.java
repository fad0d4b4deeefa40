package io.sluice.server.watch;

/** What the threads of a watch do, for tests of other packages that decide themselves when. */
public final class WatchSteps {
  private WatchSteps() {}

  /** Looks at each disk once. */
  public static void look(DiskWatch watch) {
    watch.look();
  }

  /** Checks one disk, and probes it if a probe is due. */
  public static void check(DiskWatch watch, int disk) {
    watch.checkers().get(disk).check();
  }
}
