package io.sluice.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Runs schedules, and reduces the faults of one that fails. */
final class SimulationRunner {
  private static final int MAX_PASSES = 3;

  private SimulationRunner() {}

  /**
   * Runs the schedule of a seed.
   *
   * @param faults the faults of the seed, or some of them
   * @throws AssertionError if it fails: with the fewest faults that suffice, and the command that
   *     repeats it
   */
  static Simulation.Outcome runOrShrink(
      long seed, Workload workload, List<Fault> faults, Executor carriers) {
    try {
      return Simulation.run(seed, workload, faults, carriers);
    } catch (Exception | AssertionError first) {
      List<Fault> fewest = shrink(seed, workload, faults, carriers);
      Throwable failure = failure(seed, workload, fewest, carriers);
      throw new AssertionError(
          message(seed, workload, fewest, failure == null ? first : failure),
          failure == null ? first : failure);
    }
  }

  private static Throwable failure(
      long seed, Workload workload, List<Fault> faults, Executor carriers) {
    try {
      Simulation.Outcome unused = Simulation.run(seed, workload, faults, carriers);
      return null;
    } catch (Exception | AssertionError e) {
      return e;
    }
  }

  /** Leaves out one fault after the other while the schedule fails. */
  private static List<Fault> shrink(
      long seed, Workload workload, List<Fault> faults, Executor carriers) {
    List<Fault> left = new ArrayList<>(faults);
    for (int pass = 0; pass < MAX_PASSES; pass++) {
      boolean shorter = false;
      for (int i = left.size() - 1; i >= 0; i--) {
        List<Fault> fewer = new ArrayList<>(left);
        fewer.remove(i);
        if (failure(seed, workload, fewer, carriers) != null) {
          left = fewer;
          shorter = true;
        }
      }
      if (!shorter) {
        return left;
      }
    }
    return left;
  }

  private static String message(
      long seed, Workload workload, List<Fault> fewest, Throwable failure) {
    List<Fault> all = Fault.of(seed);
    List<Integer> numbers = fewest.stream().map(all::indexOf).toList();
    StringBuilder text = new StringBuilder();
    text.append("schedule ").append(seed).append(" fails: ").append(rootOf(failure));
    text.append("\nfewest faults:");
    for (Fault fault : fewest) {
      text.append("\n  ").append(fault.atMs()).append(" ms ").append(fault.kind());
    }
    text.append("\nrepeat: mvn -q -Pfast -pl simulation -am test -Dtest=SimulationRangeTest")
        .append(" -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.simulation.seeds=")
        .append(seed)
        .append(workload.arguments())
        .append(" -Dsluice.simulation.faults=")
        .append(numbers.toString().replaceAll("[\\[\\] ]", ""));
    return text.toString();
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
