package io.sluice.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/** Runs a range of schedules, one per processor at a time. */
final class ScheduleRange {
  private final Workload workload;
  private final LongFunction<List<Fault>> faults;
  private final AtomicLong next;
  private final long last;
  private final TreeMap<Long, Simulation.Outcome> outcomes = new TreeMap<>();
  private final TreeMap<Long, String> failures = new TreeMap<>();

  /**
   * Results of a range.
   *
   * @param outcomes of the schedules that succeeded, by their seeds
   * @param failures messages about the others, by their seeds
   */
  record Results(List<Simulation.Outcome> outcomes, List<String> failures) {
    /** Sum of a figure of all schedules. */
    long sum(ToLongFunction<Simulation.Outcome> figure) {
      return outcomes.stream().mapToLong(figure).sum();
    }
  }

  private ScheduleRange(
      long first, long last, Workload workload, LongFunction<List<Fault>> faults) {
    this.workload = workload;
    this.next = new AtomicLong(first);
    this.last = last;
    this.faults = faults;
  }

  /**
   * Runs the schedules of all seeds of a range.
   *
   * @param faults returns the faults of a seed
   */
  static Results run(long first, long last, Workload workload, LongFunction<List<Fault>> faults)
      throws InterruptedException {
    ScheduleRange range = new ScheduleRange(first, last, workload, faults);
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Carriers carriers = new Carriers();
      Thread worker = carriers.newThread(() -> range.work(carriers));
      workers.add(worker);
      worker.start();
    }
    for (Thread worker : workers) {
      worker.join();
    }
    synchronized (range) {
      return new Results(
          Collections.unmodifiableList(new ArrayList<>(range.outcomes.values())),
          List.copyOf(range.failures.values()));
    }
  }

  private void work(Carriers carriers) {
    try (carriers) {
      runAll(carriers);
    }
  }

  private void runAll(Carriers carriers) {
    for (long seed = next.getAndIncrement(); seed <= last; seed = next.getAndIncrement()) {
      try {
        Simulation.Outcome outcome =
            SimulationRunner.runOrShrink(seed, workload, faults.apply(seed), carriers);
        synchronized (this) {
          outcomes.put(seed, outcome);
        }
      } catch (RuntimeException | Error e) {
        synchronized (this) {
          failures.put(seed, e instanceof AssertionError ? e.getMessage() : seed + ": " + e);
        }
      }
    }
  }
}
