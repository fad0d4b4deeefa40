package io.sluice.cli.bench;

import java.io.PrintWriter;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Model.CommandSpec;

/** Application names and output of the benchmark commands. */
public final class BenchNames {

  private BenchNames() {}

  /** A new, unique application name. */
  public static String fresh() {
    long random = RandomGenerator.of("L64X128MixRandom").nextLong() >>> 1;
    return "bench-" + Long.toString(random, Character.MAX_RADIX);
  }

  public static ProgressLine.Factory progress(CommandSpec spec) {
    // Set by the launcher, because Java 17 cannot check whether standard error is a terminal.
    boolean terminal = Boolean.getBoolean("sluice.terminal");
    return ProgressLine.Factory.of(terminal, spec.commandLine().getErr());
  }

  public static void print(CommandSpec spec, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }
}
