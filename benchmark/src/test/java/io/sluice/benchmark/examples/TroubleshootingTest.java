package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.common.docs.DocumentedTable;
import io.sluice.common.docs.DocumentedTable.Row;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Every symptom in docs/troubleshooting.md has a test that produces it, and a valid command. */
class TroubleshootingTest {
  private static final int COMMAND = 2;
  private static final int TEST = 3;

  private final List<Row> rows = DocumentedTable.of("troubleshooting.md", "Symptoms");
  private final Sources sources = new Sources();

  @Test
  void everySymptomIsProducedByATest() {
    assertThat(rows).hasSizeGreaterThanOrEqualTo(25);
    assertThat(rows).allMatch(row -> isTest(code(row, TEST)), "has a test");
    assertThat(isTest("SparkOnSluiceTest")).isTrue();
    assertThat(isTest("SparkOnSluiceTest.withoutServersJobsSucceed")).isFalse();
    assertThat(isTest("SparkUnderSluiceTest")).isFalse();
  }

  @Test
  void everyCommandIsAccepted() {
    List<String> commands =
        rows.stream()
            .map(row -> code(row, COMMAND))
            .filter(command -> command.startsWith("sluice "))
            .toList();

    assertThat(commands).hasSizeGreaterThan(15);
    commands.forEach(TroubleshootingTest::parse);
    assertThatThrownBy(() -> parse("sluice admin serves")).isInstanceOf(ParameterException.class);
  }

  /** The one code span of a cell. */
  private static String code(Row row, int index) {
    String cell = row.cell(index);
    assertThat(cell).startsWith("`").endsWith("`");
    return cell.substring(1, cell.length() - 1);
  }

  /** Whether a test class exists; with a method behind a dot, whether the class has it. */
  private boolean isTest(String name) {
    int dot = name.indexOf('.');
    String type = dot < 0 ? name : name.substring(0, dot);
    return sources.hasTest(type)
        && (dot < 0
            || sources.mention(
                "void " + name.substring(dot + 1) + "(", path -> path.endsWith(type + ".java")));
  }

  private static void parse(String command) {
    CommandLine line =
        Benchmarks.commandLine(
            new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter()));
    String[] words = command.split(" ", -1);
    line.parseArgs(Arrays.copyOfRange(words, 1, words.length));
  }
}
