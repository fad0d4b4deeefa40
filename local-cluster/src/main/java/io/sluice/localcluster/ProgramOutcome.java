package io.sluice.localcluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Result of a {@link HadoopProgram}.
 *
 * @param printed its output
 * @param applications that it submitted, oldest first
 * @param counters of each job by display name, in the order in which the jobs ended
 */
public record ProgramOutcome(
    int exitCode, String printed, List<String> applications, List<Map<String, Long>> counters) {
  private static final Pattern SUBMITTED =
      Pattern.compile("Submitted application (application_\\d+_\\d+)");
  private static final Pattern COUNTERS = Pattern.compile("Counters: \\d+$");
  private static final Pattern COUNTER = Pattern.compile("\t\t([^=]+)=(-?\\d+)");

  public ProgramOutcome {
    applications = List.copyOf(applications);
    counters = counters.stream().map(Map::copyOf).toList();
  }

  static ProgramOutcome of(int exitCode, String printed) {
    Set<String> applications = new LinkedHashSet<>();
    Matcher submitted = SUBMITTED.matcher(printed);
    while (submitted.find()) {
      applications.add(submitted.group(1));
    }
    List<Map<String, Long>> counters = new ArrayList<>();
    for (String line : printed.lines().toList()) {
      if (COUNTERS.matcher(line).find()) {
        counters.add(new HashMap<>());
        continue;
      }
      Matcher counter = COUNTER.matcher(line);
      if (!counters.isEmpty() && counter.matches()) {
        counters
            .get(counters.size() - 1)
            .putIfAbsent(counter.group(1).strip(), Long.parseLong(counter.group(2)));
      }
    }
    return new ProgramOutcome(exitCode, printed, new ArrayList<>(applications), counters);
  }

  /**
   * Sum of a counter over all jobs, such as {@code Reduce shuffle bytes}; 0 if no job reports it.
   */
  public long counter(String name) {
    return counters.stream().mapToLong(job -> job.getOrDefault(name, 0L)).sum();
  }
}
