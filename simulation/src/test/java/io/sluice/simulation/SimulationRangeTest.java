package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.common.test.SeedRange;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs a range of schedules by command, or one of them again.
 *
 * <p>{@code -Dsluice.simulation.seeds=FIRST-LAST} or {@code =SEED}; {@code
 * -Dsluice.simulation.faults=0,2} leaves out all other faults of one seed; {@code
 * -Dsluice.simulation.record=FILE} adds a line and the failures of each thousand schedules, and
 * skips those that the file has without a failure. {@link Workload#ofProperties} changes the
 * workload.
 */
class SimulationRangeTest {
  private static final String SEEDS = "sluice.simulation.seeds";
  private static final String FAULTS = "sluice.simulation.faults";
  private static final String RECORD = "sluice.simulation.record";
  private static final long BLOCK = 1000;
  private static final double NANOS_PER_MS = 1e6;

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @Test
  @EnabledIfSystemProperty(named = SEEDS, matches = ".*")
  void everyScheduleOfTheRange() throws Exception {
    SeedRange seeds = SeedRange.ofProperty(SEEDS, "");
    String record = System.getProperty(RECORD, "");
    List<String> failures = new ArrayList<>();
    for (long from = seeds.first(); from <= seeds.last(); from = (from / BLOCK + 1) * BLOCK) {
      long to = Math.min(seeds.last(), (from / BLOCK + 1) * BLOCK - 1);
      if (!isRecorded(record, from, to)) {
        List<String> found = block(from, to, record);
        failures.addAll(found);
      }
    }
    assertThat(failures).as("schedules that fail").isEmpty();
  }

  private List<String> block(long from, long to, String record)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    long startCpuNanos = system.getProcessCpuTime();
    ScheduleRange.Results results =
        ScheduleRange.run(from, to, Workload.ofProperties(), SimulationRangeTest::faults);
    long count = to - from + 1;
    String line =
        String.format(
            Locale.ROOT,
            "%d-%d failures=%d perSecond=%.1f cpuMs=%.1f events=%d",
            from,
            to,
            results.failures().size(),
            count * 1e9 / (System.nanoTime() - startNanos),
            (system.getProcessCpuTime() - startCpuNanos) / NANOS_PER_MS / count,
            results.sum(Simulation.Outcome::events) / count);
    List<String> lines = new ArrayList<>();
    lines.add(line);
    lines.addAll(results.failures());
    lines.forEach(System.out::println);
    if (from == to) {
      results.outcomes().forEach(System.out::println);
    }
    if (!record.isEmpty()) {
      Files.write(Path.of(record), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return results.failures();
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
            .anyMatch(line -> line.startsWith(from + "-" + to + " failures=0 "));
  }
}
