package io.sluice.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What commands have in common that run Spark with its own shuffle and through Sluice. */
abstract class ComparisonCommand implements Callable<Integer> {
  private static final int EXIT_GOOD = 0;
  private static final int EXIT_BAD = 1;
  private static final int EXIT_USAGE = 2;

  @Spec private CommandSpec spec;

  /** Makes what is to be run. */
  interface Opening {
    Comparison open(Staging staging, DemoProgress progress);
  }

  /**
   * Checks the options.
   *
   * @return what to run as they say
   */
  abstract Opening opening() throws DemoException;

  abstract PlaceOptions places();

  /** How the name of a run's directory begins. */
  abstract String prefix();

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
    SparkHome spark = SparkHome.of(places().sparkDirectory(System.getenv()));
    installation.clientJar(spark);
    boolean good = false;
    try (DemoProgress progress = DemoProgress.to(out)) {
      Staging staging =
          Staging.in(places().workDirectory(System.getenv()), prefix(), installation, spark);
      Comparison comparison = opening.open(staging, progress);
      try {
        Comparison.Outcome outcome;
        try (staging) {
          staging.start(comparison::interrupted);
          outcome = comparison.run();
        }
        progress.step("");
        out.print(outcome.render());
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

  static void scale(double value) throws DemoException {
    if (!(value > 0 && value <= 1000)) {
      throw DemoException.usage("--scale " + value + ": expected a number above 0 and up to 1000");
    }
  }

  static void atLeastOne(String option, int value) throws DemoException {
    if (value < 1) {
      throw DemoException.usage(option + " " + value + ": expected a number of at least 1");
    }
  }
}
