package io.sluice.demo;

import io.sluice.demo.staging.AmountText;
import java.util.List;

/** Result table of the demo with MapReduce, with the sentences below it. */
public final class ProgramTable implements Comparison.Outcome {
  private final List<ProgramComparison> programs;

  public ProgramTable(List<ProgramComparison> programs) {
    this.programs = List.copyOf(programs);
  }

  /**
   * True if every program returned the same results on both sides, and its data went through the
   * servers.
   */
  @Override
  public boolean isGood() {
    return programs.stream().allMatch(program -> program.verdict() == Verdict.SAME);
  }

  @Override
  public String render() {
    ResultTable table =
        new ResultTable(
            "program",
            ResultTable.Alignment.LEFT,
            "records",
            "Hadoop's built-in shuffle",
            programs.stream().map(ProgramTable::row).toList());
    StringBuilder text = new StringBuilder();
    table.appendTable(text);
    for (ProgramComparison program : programs) {
      appendDifferences(text, program);
    }
    table.appendVerdict(text);
    return text.toString();
  }

  private static ResultTable.Row row(ProgramComparison program) {
    return new ResultTable.Row(
        program.program(),
        program.records(),
        program.verdict(),
        program.builtIn().elapsedMs(),
        program.sluice().elapsedMs(),
        program.servers());
  }

  /** Appends the differences of one program; also used by a benchmark. */
  public static void appendDifferences(StringBuilder text, ProgramComparison program) {
    switch (program.verdict()) {
      case SAME -> {}
      case BYPASSED ->
          text.append(
              ("%s: servers received %s; of %s, reduce tasks read %s from servers; %d map "
                      + "outputs on node managers%n")
                  .formatted(
                      program.program(),
                      AmountText.bytes(program.servers().pushedBytes()),
                      AmountText.bytes(program.sluice().counter("Reduce shuffle bytes")),
                      AmountText.bytes(program.sluice().counter("SERVER_BYTES")),
                      program.localOutputs()));
      case DIFFERENT ->
          program
              .differences()
              .forEach(
                  line -> text.append(program.program()).append(": ").append(line).append('\n'));
    }
  }
}
