package io.sluice.it.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Faults at random times. The same seed gives the same schedule; what the faults hit depends on the
 * processes.
 *
 * @param steps ordered by time
 */
public record FaultSchedule(long seed, List<Step> steps) {
  /** Number of faults in a schedule. */
  static final int STEPS = 6;

  /**
   * Faults that lose stored output in a schedule: Spark gives a stage four attempts, whichever
   * shuffle it uses.
   */
  private static final int MAX_LOSSES = 3;

  private static final Duration PERIOD = Duration.ofSeconds(18);

  /** Kinds of faults. */
  public enum Kind {
    SERVER_KILLED(true),
    /** For less than the retry period of clients. */
    SERVER_PAUSED(false),
    SERVER_RESTARTED(false),
    COORDINATOR_KILLED(false),
    COORDINATOR_PAUSED(false),
    TASK_PROCESS_KILLED(true),
    TASK_PROCESS_PAUSED(false),
    /** Packets between some task processes and a server are dropped. */
    LINK_CUT(false),
    LINK_SLOW(false),
    /** One byte of a run file changes. */
    RUN_FILE_DAMAGED(true),
    DISK_FULL(false);

    private final boolean losesOutput;

    Kind(boolean losesOutput) {
      this.losesOutput = losesOutput;
    }
  }

  /**
   * A fault.
   *
   * @param target number of the affected process, taken modulo their count
   * @param at time from the start of the schedule
   * @param length time until the repair
   */
  public record Step(Kind kind, int target, Duration at, Duration length) {
    @Override
    public String toString() {
      return "%s(%d) %d-%d ms".formatted(kind, target, at.toMillis(), at.plus(length).toMillis());
    }
  }

  /** A schedule of {@value #STEPS} faults of the given kinds. */
  public static FaultSchedule of(long seed, List<Kind> kinds) {
    Random random = new Random(seed);
    List<Step> steps = new ArrayList<>();
    int losses = 0;
    while (steps.size() < STEPS) {
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      Step step =
          new Step(
              kind,
              random.nextInt(Short.MAX_VALUE),
              Duration.ofMillis(random.nextInt((int) PERIOD.toMillis())),
              Duration.ofMillis(200 + random.nextInt(3_000)));
      if (!kind.losesOutput || losses++ < MAX_LOSSES) {
        steps.add(step);
      }
    }
    steps.sort(Comparator.comparing(Step::at));
    return new FaultSchedule(seed, List.copyOf(steps));
  }
}
