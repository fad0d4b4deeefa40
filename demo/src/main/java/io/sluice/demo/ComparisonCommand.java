package io.sluice.demo;

import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.Installation;
import io.sluice.demo.staging.PlaceOptions;
import io.sluice.demo.staging.Staging;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What commands have in common that run an engine with its own shuffle and through Sluice. */
public abstract class ComparisonCommand implements Callable<Integer> {
  private static final int EXIT_GOOD = 0;
  private static final int EXIT_BAD = 1;
  private static final int EXIT_USAGE = 2;

  @Spec private CommandSpec spec;

  @Mixin private PlaceOptions places = new PlaceOptions();

  /** Makes what is to be run. */
  public interface Opening {
    Comparison open(Staging staging, DemoProgress progress);
  }

  /**
   * Checks the options, and that what they need is there; starts and writes nothing.
   *
   * @return what to run as they say
   */
  protected abstract Opening opening() throws DemoException;

  /** How the name of a run's directory begins. */
  protected abstract String prefix();

  /** The directory of runs and kept data, as the options and the environment say. */
  protected final Path workDirectory() {
    return places.workDirectory(System.getenv());
  }

  /** Whether logs and settings of a successful run are kept. */
  protected final boolean keep() {
    return places.keep();
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

  /** The user has ended it: nothing must be left, unless it was to be kept. */
  private static void interrupted(Comparison comparison, DemoProgress progress) {
    try {
      comparison.removeFiles(true);
    } catch (IOException e) {
      progress.step("files of the run cannot be removed: " + e.getMessage());
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
   * Checks an option that counts something.
   *
   * @throws DemoException if it is less than 1
   */
  protected static void atLeastOne(String option, int value) throws DemoException {
    if (value < 1) {
      throw DemoException.usage(option + " " + value + ": expected a number of at least 1");
    }
  }
}
