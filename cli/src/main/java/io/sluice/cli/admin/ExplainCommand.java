package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin explain}. */
@Command(
    name = "explain",
    description = {
      "Show what the tasks of an application waited for, and what to change. The cause that costs "
          + "the job most comes first.",
      "The driver reports with each renewal of its lease, and at its end."
    })
final class ExplainCommand implements Callable<Integer> {
  private static final Columns<Resource.ServerWaits> SERVERS =
      new Columns<Resource.ServerWaits>()
          .column("server", Resource.ServerWaits::server)
          .column(">pushed", waits -> FigureText.size(waits.pushedBytes()))
          .column(">read", waits -> FigureText.size(waits.readBytes()))
          .column(">push wait", waits -> FigureText.span(waits.pushWaitMs()))
          .column(">read wait", waits -> FigureText.span(waits.readWaitMs()))
          .column(">of it memory", waits -> FigureText.span(waits.memoryWaitMs()))
          .column(">of it disk", waits -> FigureText.span(waits.diskWaitMs()));

  private static final Columns<Resource.SkewedShuffle> SKEWED =
      new Columns<Resource.SkewedShuffle>()
          .column(">shuffle", Resource.SkewedShuffle::shuffle)
          .column(">skew", shuffle -> FigureText.factor(shuffle.skew()))
          .column(">largest", shuffle -> FigureText.size(shuffle.largestPartitionBytes()));

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(
      index = "0",
      paramLabel = "APPLICATION",
      description = "Application id of Spark or YARN.")
  private String application;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer =
          coordinators.first(api -> api.get("applications", application, "explanation"));
      if (output.isJson()) {
        output.json(answer);
      } else {
        show(CoordinatorApi.as(Resource.Explanation.class, answer));
      }
      return 0;
    }
  }

  private void show(Resource.Explanation explanation) {
    if (!explanation.reported()) {
      output.line("The driver has not reported its tasks yet; it does so with each renewal.");
    }
    Resource.Transferred bytes = explanation.transferred();
    Resource.Retries retries = explanation.retries();
    output.line(
        "pushed "
            + FigureText.size(bytes.pushedBytes())
            + ", read "
            + FigureText.size(bytes.readBytes())
            + ", written locally "
            + FigureText.size(bytes.localWrittenBytes())
            + ", read locally "
            + FigureText.size(bytes.localReadBytes())
            + "; repeated: "
            + retries.pushRetries()
            + " pushes, "
            + retries.readRetries()
            + " reads; replacement servers: "
            + retries.replacementServers());
    if (explanation.causes().isEmpty()) {
      output.line("No cause of delays found.");
    }
    int number = 1;
    for (Resource.Cause cause : explanation.causes()) {
      output.line("");
      output.line(number++ + ". " + cause.cause() + cost(cause));
      output.line("   " + cause.observed());
      output.line("   " + cause.change());
    }
    if (!explanation.servers().isEmpty()) {
      output.line("");
      output.text(SERVERS.table(explanation.servers(), output.isWide()));
    }
    if (!explanation.skewedShuffles().isEmpty()) {
      output.line("");
      output.text(SKEWED.table(explanation.skewedShuffles(), output.isWide()));
    }
  }

  private static String cost(Resource.Cause cause) {
    return cause.jobMs() == null
        ? ""
        : ": about "
            + FigureText.span(cause.jobMs())
            + " of the job, "
            + FigureText.span(cause.taskMs())
            + " of its tasks";
  }
}
