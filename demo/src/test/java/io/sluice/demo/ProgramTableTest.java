package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.staging.ProgramRun;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProgramTableTest {
  private static final long MIB = 1024 * 1024;
  private static final ClusterCounters SERVERS =
      new ClusterCounters(3, 5 * MIB, MIB, 2, 4, 5 * MIB, 0);

  @TempDir private Path directory;

  @Test
  void rendersProgramsTotalsAndSummary() throws IOException {
    JobOutput output = output("a", Map.of("part-r-00000", "1\n"));
    ProgramTable table =
        new ProgramTable(
            List.of(
                comparison(
                    "terasort", run(10_000, 1_000_000), output, run(10_500, 1_000_000), output),
                comparison("wordcount", run(2_000, 318), output, run(1_900, 318), output)));

    assertThat(table.render())
        .isEqualTo(
            """
            program    records  same?   built-in s  sluice s  ratio    pushed  spilled      read
            ---------  -------  ------  ----------  --------  -----  --------  -------  --------
            terasort   1000000  yes           10.0      10.5   1.05   5.0 MiB  1.0 MiB   5.0 MiB
            wordcount      318  yes            2.0       1.9   0.95   5.0 MiB  1.0 MiB   5.0 MiB
            ---------  -------  ------  ----------  --------  -----  --------  -------  --------
            all        1000318  2 of 2        12.0      12.4   1.03  10.0 MiB  2.0 MiB  10.0 MiB

            2 of 2 the same; through Sluice 12.4 s, with Hadoop's built-in shuffle 12.0 s: 1.03 times
            """);
    assertThat(table.isGood()).isTrue();
  }

  @Test
  void showsDifferentFilesAndCounters() throws IOException {
    JobOutput builtIn =
        output(
            "built-in", Map.of("part-r-00000", "same", "part-r-00001", "abc", "part-r-00002", ""));
    JobOutput sluice =
        output("sluice", Map.of("part-r-00000", "same", "part-r-00001", "abd", "_SUCCESS", ""));

    ProgramTable table =
        new ProgramTable(
            List.of(comparison("terasort", run(1000, 10), builtIn, run(1000, 11), sluice)));

    assertThat(table.render())
        .contains("terasort: part-r-00001: 3 bytes with SHA-256 ba7816bf")
        .contains("terasort: part-r-00002: only with Hadoop's built-in shuffle")
        .contains(
            "terasort: Map input records: 10 with Hadoop's built-in shuffle, 11 through Sluice")
        .contains("0 of 1 the same")
        .doesNotContain("part-r-00000")
        .doesNotContain("_SUCCESS");
    assertThat(table.isGood()).isFalse();
  }

  @Test
  void failsForProgramsThatBypassedTheServersOrHaveNoOutput() throws IOException {
    JobOutput output = output("a", Map.of("part-r-00000", "1\n"));
    ProgramRun run = run(1000, 10);
    ProgramComparison nothing =
        ProgramComparison.of(
            "nothing",
            new ComparedResults<>(
                new ProgramTurn(run, output, ClusterCounters.ZERO),
                new ProgramTurn(run, output, ClusterCounters.ZERO)),
            List.of());
    ProgramComparison some =
        comparison("some", run, output, run(1000, 10, Map.of("LOCAL_OUTPUTS", 1L)), output);
    ProgramComparison half =
        comparison(
            "half",
            run,
            output,
            run(1000, 10, Map.of("Reduce shuffle bytes", 7L, "SERVER_BYTES", 3L)),
            output);
    JobOutput none = output("none", Map.of("_SUCCESS", ""));

    assertThat(nothing.verdict()).isEqualTo(Verdict.BYPASSED);
    assertThat(some.verdict()).isEqualTo(Verdict.BYPASSED);
    assertThat(half.verdict()).isEqualTo(Verdict.BYPASSED);
    assertThat(comparison("empty", run, none, run, none).verdict()).isEqualTo(Verdict.DIFFERENT);
    ProgramTable table = new ProgramTable(List.of(nothing, some, half));
    assertThat(table.isGood()).isFalse();
    assertThat(table.render())
        .contains("yes, but not through Sluice")
        .contains("nothing: servers received 0 B;")
        .contains("some: servers received 5.0 MiB;")
        .contains("1 map outputs on node managers")
        .contains("half: servers received 5.0 MiB; of 7 B, reduce tasks read 3 B from servers;");
  }

  private static ProgramComparison comparison(
      String name,
      ProgramRun builtIn,
      JobOutput builtInOutput,
      ProgramRun sluice,
      JobOutput sluiceOutput) {
    return ProgramComparison.of(
        name,
        new ComparedResults<>(
            new ProgramTurn(builtIn, builtInOutput, ClusterCounters.ZERO),
            new ProgramTurn(sluice, sluiceOutput, SERVERS)),
        List.of());
  }

  private static ProgramRun run(long elapsedMs, long records) {
    return run(elapsedMs, records, Map.of());
  }

  private static ProgramRun run(long elapsedMs, long records, Map<String, Long> more) {
    Map<String, Long> counters = new HashMap<>(more);
    counters.put("Map input records", records);
    return new ProgramRun(
        elapsedMs, new ProgramOutcome(0, "", List.of("application_1_1"), List.of(counters)));
  }

  private JobOutput output(String name, Map<String, String> files) throws IOException {
    Path output = Files.createDirectories(directory.resolve(name));
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(output.resolve(file.getKey()), file.getValue());
    }
    return JobOutput.of(output);
  }
}
