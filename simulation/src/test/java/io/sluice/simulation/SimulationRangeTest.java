package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs a range of schedules by command, or one of them again.
 *
 * <p>{@code -Dsluice.simulation.seeds=FIRST-LAST} or {@code =SEED}; {@code
 * -Dsluice.simulation.faults=0,2} leaves out all other faults of one seed; {@code
 * -Dsluice.simulation.record=FILE} adds a line for each thousand schedules, and skips those that
 * the file has.
 */
class SimulationRangeTest {
  private static final String SEEDS = "sluice.simulation.seeds";
  private static final String FAULTS = "sluice.simulation.faults";
  private static final String RECORD = "sluice.simulation.record";
  private static final long BLOCK = 1000;

  private final ExecutorService carriers = Executors.newCachedThreadPool(SimulationRunner::carrier);

  @Test
  @EnabledIfSystemProperty(named = SEEDS, matches = "\\d+(-\\d+)?")
  void everyScheduleOfTheRange() throws Exception {
    String[] range = System.getProperty(SEEDS).split("-", -1);
    long first = Long.parseLong(range[0]);
    long last = Long.parseLong(range[range.length - 1]);
    String record = System.getProperty(RECORD, "");
    List<String> failures = new ArrayList<>();
    for (long from = first; from <= last; from = (from / BLOCK + 1) * BLOCK) {
      long to = Math.min(last, (from / BLOCK + 1) * BLOCK - 1);
      if (!isRecorded(record, from, to)) {
        List<String> found = block(from, to);
        failures.addAll(found);
        add(record, from, to, found.size());
      }
    }
    carriers.shutdownNow();
    assertThat(failures).as("schedules that fail").isEmpty();
  }

  private List<String> block(long from, long to) {
    List<String> failures = new ArrayList<>();
    for (long seed = from; seed <= to; seed++) {
      try {
        Simulation.Outcome outcome = SimulationRunner.runOrShrink(seed, faults(seed), carriers);
        if (from == to) {
          System.out.println(outcome);
        }
      } catch (AssertionError e) {
        failures.add(e.getMessage());
        System.out.println(e.getMessage());
      }
    }
    return failures;
  }

  private static List<Fault> faults(long seed) {
    List<Fault> all = Fault.of(seed);
    String wanted = System.getProperty(FAULTS);
    if (wanted == null) {
      return all;
    }
    return Arrays.stream(wanted.split(",", -1))
        .filter(number -> !number.isBlank())
        .map(number -> all.get(Integer.parseInt(number.strip())))
        .toList();
  }

  private static boolean isRecorded(String record, long from, long to) throws IOException {
    return !record.isEmpty()
        && Files.exists(Path.of(record))
        && Files.readAllLines(Path.of(record)).stream()
            .anyMatch(line -> line.startsWith(from + "-" + to + " "));
  }

  private static void add(String record, long from, long to, int failures) throws IOException {
    if (!record.isEmpty()) {
      Files.writeString(
          Path.of(record),
          from + "-" + to + " failures=" + failures + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }
}
