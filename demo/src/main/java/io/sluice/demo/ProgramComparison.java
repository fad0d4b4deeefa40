package io.sluice.demo;

import io.sluice.demo.staging.ProgramRun;
import io.sluice.localcluster.ClusterCounters;
import java.util.ArrayList;
import java.util.List;

/**
 * Comparison of one MapReduce program on both sides.
 *
 * @param program name of the program
 * @param servers counters of the shuffle servers during the run through Sluice
 * @param differences descriptions of the differences between the two runs
 */
public record ProgramComparison(
    String program,
    ProgramRun builtIn,
    ProgramRun sluice,
    ClusterCounters servers,
    List<String> differences) {

  /**
   * Counters that do not depend on spills of map tasks. Spilled records, combiner records and the
   * number of map output segments may differ, because sort buffers fill up at different records.
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
   * @param found further known differences
   */
  public static ProgramComparison of(
      String program, ComparedResults<ProgramTurn> turns, List<String> found) {
    ProgramRun builtIn = turns.builtIn().run();
    ProgramRun sluice = turns.sluice().run();
    List<String> differences =
        new ArrayList<>(turns.builtIn().output().differences(turns.sluice().output()));
    for (String counter : SAME_COUNTERS) {
      if (builtIn.counter(counter) != sluice.counter(counter)) {
        differences.add(
            "%s: %d with Hadoop's built-in shuffle, %d through Sluice"
                .formatted(counter, builtIn.counter(counter), sluice.counter(counter)));
      }
    }
    differences.addAll(found);
    return new ProgramComparison(program, builtIn, sluice, turns.sluice().servers(), differences);
  }

  /** Number of input records. */
  long records() {
    return builtIn.counter("Map input records");
  }

  /**
   * True if some shuffle data did not go through the servers. Checks the servers' counters of
   * pushes and reads, and the job's counter of bytes that reduce tasks read from servers.
   */
  boolean bypassedServers() {
    return servers.pushedBytes() == 0
        || servers.opens() == 0
        || localOutputs() > 0
        || sluice.counter("SERVER_BYTES") != sluice.counter("Reduce shuffle bytes");
  }

  /**
   * Number of map attempts with local output on a node manager. Sluice's counters have these raw
   * names because the plugin is not on the class path of the program.
   */
  long localOutputs() {
    return sluice.counter("LOCAL_OUTPUTS");
  }

  public Verdict verdict() {
    if (!differences.isEmpty()) {
      return Verdict.DIFFERENT;
    }
    return bypassedServers() ? Verdict.BYPASSED : Verdict.SAME;
  }
}
