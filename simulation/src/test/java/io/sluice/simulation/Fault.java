package io.sluice.simulation;

import io.sluice.server.model.SimulatedServer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A fault of a schedule. Its details follow from its own seed, so that it stays the same when other
 * faults are left out.
 *
 * @param atMs time from the start of the applications
 */
record Fault(Kind kind, long atMs, long seed) {
  /** The faults are over by this time; processes that are down then start soon after it. */
  static final long LAST_MS = 4_000;

  private static final int MIN_FAULTS = 3;
  private static final int MAX_FAULTS = 8;
  private static final int MAX_DOWN_MS = 3_000;

  /** What happens. */
  enum Kind {
    /** Messages are lost with their connections. */
    CUTS,
    /** Messages stand still for seconds. */
    STALLS,
    /** Connections drop everything in one direction. */
    HALF_OPEN,
    /** A server is cut off for a while, with a remote tier often until it is lost. */
    ISOLATED_SERVER,
    /** A driver is cut off for a while. */
    ISOLATED_DRIVER,
    /** A coordinator is cut off for a while. */
    ISOLATED_COORDINATOR,
    /** A server does nothing for a while. */
    PAUSE,
    /** A coordinator does nothing for a while. */
    COORDINATOR_PAUSE,
    /** A server stops and starts again. */
    RESTART,
    /** A coordinator crashes. */
    COORDINATOR_CRASH,
    /** A server moves its data away, exits and returns. */
    MOVE,
    /** Writes to a disk are short. */
    SHORT_WRITES,
    /** A disk is full for a while. */
    FULL_DISK,
    /** A call to a disk fails. */
    DISK_CALL,
    /** All reads of a disk fail for a while. */
    READ_ERRORS,
    /** A byte of a file changes. */
    FLIP,
    /** A directory is gone with its files, for a while. */
    LOST_DIRECTORY,
    /** A server process crashes. */
    CRASH,
    /** A server machine crashes: what was not synced can be lost. */
    MACHINE_CRASH;

    /** The time of the fault; those that last begin early. */
    private long delayMs(Random random) {
      boolean lasts = this == CUTS || this == STALLS || this == HALF_OPEN;
      return random.nextLong(lasts ? LAST_MS / 4 : LAST_MS * 3 / 4);
    }

    private static final Set<Kind> DAMAGING =
        EnumSet.of(DISK_CALL, READ_ERRORS, FLIP, LOST_DIRECTORY, FULL_DISK);

    /** Whether a server can lose acknowledged data. */
    boolean isDestructive() {
      return damagesDisks() || this == CRASH || this == MACHINE_CRASH;
    }

    /**
     * Whether a server can report a loss although nothing was lost: one that left and returned does
     * not know what it had, and reads that take as long as a pause time out.
     */
    boolean raisesDoubt() {
      return this == MOVE || this == PAUSE;
    }

    /** Whether a server can believe that it has data that is gone. */
    boolean damagesDisks() {
      return DAMAGING.contains(this);
    }
  }

  /** Returns the faults of a schedule. */
  static List<Fault> of(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    List<Fault> faults = new ArrayList<>();
    // Half of the schedules have no fault with which data can be lost: nothing may be lost there.
    boolean destructive = random.nextBoolean();
    Kind[] kinds = Kind.values();
    for (int i = MIN_FAULTS + random.nextInt(MAX_FAULTS - MIN_FAULTS + 1); i > 0; ) {
      Kind kind = kinds[random.nextInt(kinds.length)];
      if (destructive || !kind.isDestructive()) {
        faults.add(new Fault(kind, kind.delayMs(random), random.nextLong()));
        i--;
      }
    }
    return faults;
  }

  /** What faults change. */
  interface Target {
    SimulatedNetwork network();

    SimulatedCluster cluster();

    List<String> drivers();

    /** The disks of a server are damaged. */
    void damaged(SimulatedServer server);

    /** A server cannot know any longer that it has lost nothing. */
    void inDoubt(SimulatedServer server);
  }

  /** Injects the fault. */
  void inject(Target target) {
    Random random = new Random(seed);
    SimulatedNetwork network = target.network();
    SimulatedCluster cluster = target.cluster();
    SimulatedServer server = cluster.servers().get(random.nextInt(cluster.servers().size()));
    List<String> coordinators = cluster.coordinatorNames();
    String coordinator = coordinators.get(random.nextInt(coordinators.size()));
    long downMs = 1L + random.nextInt(MAX_DOWN_MS);
    long nanos = TimeUnit.MILLISECONDS.toNanos(downMs);
    if (kind.damagesDisks()) {
      target.damaged(server);
    }
    if (kind.raisesDoubt()) {
      target.inDoubt(server);
    }
    switch (kind) {
      case CUTS -> network.cutPermille(2 + random.nextInt(20));
      case STALLS -> network.stallPermille(2 + random.nextInt(20));
      case HALF_OPEN -> network.halfOpenPermille(2 + random.nextInt(20));
      case ISOLATED_SERVER -> cluster.isolate(server, downMs, random.nextBoolean());
      case ISOLATED_DRIVER ->
          network.isolate(target.drivers().get(random.nextInt(target.drivers().size())), nanos);
      case ISOLATED_COORDINATOR -> network.isolate(coordinator, nanos);
      case RESTART -> cluster.stop(server, downMs);
      case COORDINATOR_CRASH -> cluster.crashCoordinator(coordinator, downMs);
      case COORDINATOR_PAUSE -> cluster.pauseCoordinator(coordinator, nanos);
      case MOVE -> cluster.decommission(server, downMs);
      case CRASH -> cluster.crash(server, downMs, false);
      case MACHINE_CRASH -> cluster.crash(server, downMs, true);
      default -> {
        if (server.isRunning()) {
          injectLocally(server, random, nanos, network.nowNanos());
        }
      }
    }
  }

  private void injectLocally(SimulatedServer server, Random random, long nanos, long nowNanos) {
    switch (kind) {
      case PAUSE -> server.pauseUntil(nowNanos + nanos);
      case SHORT_WRITES -> server.shortWrites(1 + random.nextInt(500));
      case FULL_DISK -> server.fillDisk();
      case DISK_CALL -> server.failDiskCall(1 + random.nextInt(6));
      case READ_ERRORS -> server.failReads();
      case FLIP -> server.flipBit(random.nextBoolean());
      case LOST_DIRECTORY -> server.loseDirectory();
      default -> throw new IllegalStateException("not a fault of one server: " + kind);
    }
  }
}
