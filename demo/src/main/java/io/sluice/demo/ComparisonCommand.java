package io.sluice.demo;

import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.RunDirectoryOptions;
import io.sluice.demo.staging.Staging;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Base of commands that compare an engine's built-in shuffle with Sluice. */
public abstract class ComparisonCommand implements Callable<Integer> {
  private static final int EXIT_GOOD = 0;
  private static final int EXIT_BAD = 1;
  private static final int EXIT_USAGE = 2;

  @Spec private CommandSpec spec;

  @Mixin private RunDirectoryOptions runDirectory = new RunDirectoryOptions();

  /** Creates the comparison to run. */
  public interface Opening {
    Comparison open(Staging staging, DemoProgress progress);
  }

  /**
   * Checks the options and the files that they require. Starts no process and writes no file.
   *
   * @return factory of the comparison
   */
  protected abstract Opening opening() throws DemoException;

  /** Prefix of the name of the run's directory. */
  protected abstract String prefix();

  /** Directory of runs and kept data, from the options and the environment. */
  protected final Path workDirectory() {
    return runDirectory.workDirectory(System.getenv());
  }

  /** Writes the outcome to further files of the command; it is already printed. */
  protected void publish(Comparison.Outcome outcome) throws IOException {}

  /** Whether logs and settings of a successful run are kept. */
  protected final boolean keep() {
    return runDirectory.keep();
  }

  @Override
  public final Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      return run(out) ? EXIT_GOOD : EXIT_BAD;
    } catch (DemoException e) {
      err.println(spec.qualifiedName() + ": " + e.getMessage());
      return e.kind() == DemoException.Kind.USAGE ? EXIT_USAGE : EXIT_BAD;
    } catch (IOException e) {
      err.println(spec.qualifiedName() + ": " + e.getMessage());
      return EXIT_BAD;
    }
  }

  private boolean run(PrintWriter out) throws DemoException, IOException, InterruptedException {
    Opening opening = opening();
    Installation installation = Installation.of(System.getProperties());
    boolean good = false;
    try (DemoProgress progress = DemoProgress.to(out)) {
      Staging staging = Staging.in(workDirectory(), prefix(), installation);
      Comparison comparison = opening.open(staging, progress);
      try {
        Comparison.Outcome outcome;
        try (staging) {
          staging.start(() -> interrupted(comparison, progress));
          outcome = comparison.run();
        }
        progress.step("");
        out.print(outcome.render());
        publish(outcome);
        good = outcome.isGood();
      } finally {
        if (comparison.removeFiles(good)) {
          out.println("logs: " + staging.directory());
        }
        out.flush();
      }
    }
    return good;
  }

  /** Deletes the files of an interrupted run, unless the user wants to keep them. */
  private static void interrupted(Comparison comparison, DemoProgress progress) {
    try {
      comparison.removeFiles(true);
    } catch (IOException e) {
      progress.step("cannot delete the files of the run: " + e.getMessage());
    }
  }

  /**
   * Checks a scale factor of data.
   *
   * @throws DemoException if it is not a number above 0 and up to 1000
   */
  protected static void scale(double value) throws DemoException {
    if (!(value > 0 && value <= 1000)) {
      throw DemoException.usage("--scale " + value + ": expected a number above 0 and up to 1000");
    }
  }

  /**
   * Queries that an option selects.
   *
   * @param list names, numbers and ranges; null: all queries
   * @throws DemoException if the list is not valid
   */
  protected static List<String> queries(Workload workload, String list) throws DemoException {
    if (list == null) {
      return workload.queries();
    }
    try {
      return workload.select(list);
    } catch (IllegalArgumentException e) {
      throw DemoException.usage("--queries " + e.getMessage());
    }
  }

  /**
   * Checks an option with a count.
   *
   * @throws DemoException if it is less than 1
   */
  protected static void atLeastOne(String option, int value) throws DemoException {
    atLeast(1, option, value);
  }

  /**
   * Checks the value of an option.
   *
   * @throws DemoException if it is less than the minimum
   */
  protected static void atLeast(int minimum, String option, int value) throws DemoException {
    if (value < minimum) {
      throw DemoException.usage(
          option + " " + value + ": expected a number of at least " + minimum);
    }
  }
}
