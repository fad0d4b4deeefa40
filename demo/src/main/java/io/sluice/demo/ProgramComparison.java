package io.sluice.demo;

import io.sluice.demo.staging.ProgramRun;
import io.sluice.localcluster.ClusterCounters;
import java.util.ArrayList;
import java.util.List;

/**
 * One MapReduce program on both sides.
 *
 * @param program its name
 * @param servers what the shuffle servers counted while it ran through Sluice
 * @param differences what the two runs do not share, in words
 */
public record ProgramComparison(
    String program,
    ProgramRun own,
    ProgramRun sluice,
    ClusterCounters servers,
    List<String> differences) {

  /**
   * What does not depend on when a map task spills. Spilled records, what a combiner sees, and in
   * how many pieces a partition of a map comes do: sort buffers are not full at the same record.
   */
  private static final List<String> SAME_COUNTERS =
      List.of(
          "Map input records",
          "Map output records",
          "Map output bytes",
          "Reduce input groups",
          "Reduce output records",
          "Shuffled Maps",
          "Failed Shuffles");

  public ProgramComparison {
    differences = List.copyOf(differences);
  }

  /**
   * Compares outputs and counters.
   *
   * @param found what else is known to be different
   */
  public static ProgramComparison of(
      String program, ComparedResults<ProgramTurn> turns, List<String> found) {
    ProgramRun own = turns.own().run();
    ProgramRun sluice = turns.sluice().run();
    List<String> differences =
        new ArrayList<>(turns.own().output().differences(turns.sluice().output()));
    for (String counter : SAME_COUNTERS) {
      if (own.counter(counter) != sluice.counter(counter)) {
        differences.add(
            "%s: %d with Hadoop's own shuffle, %d through Sluice"
                .formatted(counter, own.counter(counter), sluice.counter(counter)));
      }
    }
    differences.addAll(found);
    return new ProgramComparison(program, own, sluice, turns.sluice().servers(), differences);
  }

  /** What the program read. */
  long records() {
    return own.counter("Map input records");
  }

  /**
   * Whether some of its bytes, or all, did not go through the servers. Both are asked: servers what
   * they took and whether anybody came for it, and the job where its reduce tasks had it from.
   */
  boolean wentAround() {
    return servers.pushedBytes() == 0
        || servers.opens() == 0
        || localOutputs() > 0
        || sluice.counter("SERVER_BYTES") != sluice.counter("Reduce shuffle bytes");
  }

  /**
   * Map attempts that left their output on a node manager. Sluice's counters have these names for a
   * program that has not the plugin on its class path, as here.
   */
  long localOutputs() {
    return sluice.counter("LOCAL_OUTPUTS");
  }

  public Verdict verdict() {
    if (!differences.isEmpty()) {
      return Verdict.DIFFERENT;
    }
    return wentAround() ? Verdict.AROUND : Verdict.SAME;
  }
}
