package io.sluice.cli.admin;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice admin top}. */
@Command(
    name = "top",
    description = {
      "Show the busiest servers and applications, updated until Ctrl-C.",
      "On a terminal, each update replaces the last one; otherwise, updates are printed "
          + "one after another."
    })
final class TopCommand implements Callable<Integer> {
  /** Escape sequences: an update overwrites the screen from the top, then clears the rest. */
  private static final String HOME = "\u001b[H";

  private static final String CLEAR_LINE = "\u001b[K\n";
  private static final String CLEAR_BELOW = "\u001b[J";

  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Option(
      names = {"-i", "--interval"},
      defaultValue = "3s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Update interval; default ${DEFAULT-VALUE}.")
  private long intervalMs;

  @Option(
      names = {"-n", "--rows"},
      defaultValue = "15",
      paramLabel = "COUNT",
      description =
          "Maximum number of servers, and of applications, to show; default ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--count",
      paramLabel = "UPDATES",
      description = "Number of updates after which to end.")
  private long updates = Long.MAX_VALUE;

  @Option(names = "--once", description = "Same as --count 1.")
  private boolean once;

  @Override
  public Integer call() throws IOException, InterruptedException {
    TopView view = new TopView(rows, ZoneId.systemDefault());
    boolean live = Ansi.AUTO.enabled();
    long maxUpdates = once ? 1 : updates;
    boolean shown = false;
    try (Coordinators coordinators = new Coordinators(quorum)) {
      for (long done = 0; done < maxUpdates; done++) {
        if (done > 0) {
          TimeUnit.MILLISECONDS.sleep(intervalMs);
        }
        String text;
        try {
          text = view.show(poll(coordinators));
          shown = true;
        } catch (CommandFailure failure) {
          // After a first success, tolerate failures: a coordinator may be restarting.
          if (!shown || done == maxUpdates - 1) {
            throw failure;
          }
          text = failure.getMessage() + "\n";
        }
        print(text, live, done == 0);
      }
    }
    return 0;
  }

  private static TopView.Snapshot poll(Coordinators coordinators) throws IOException {
    return new TopView.Snapshot(
        coordinators.first(Resource.Cluster.class, "cluster"),
        coordinators.first(Resource.Servers.class, "servers").servers(),
        coordinators.first(Resource.Applications.class, "applications").applications());
  }

  private void print(String text, boolean live, boolean first) {
    PrintWriter out = spec.commandLine().getOut();
    if (live) {
      out.print(HOME + text.replace("\n", CLEAR_LINE) + CLEAR_BELOW);
    } else {
      out.print((first ? "" : "\n") + text);
    }
    out.flush();
  }
}
