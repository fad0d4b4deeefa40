package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin finished-applications}. */
@Command(
    name = "finished-applications",
    description = "List applications that have ended or expired, newest first.")
final class FinishedApplicationsCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Option(
      names = {"-n", "--limit"},
      defaultValue = "50",
      paramLabel = "COUNT",
      description = "Number of applications to list, at most 1000; default ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--before",
      defaultValue = "",
      paramLabel = "NUMBER",
      description = "List only applications with a lower number, to continue an earlier list.")
  private String before;

  @Option(names = "--user", defaultValue = "", description = "List only applications of this user.")
  private String user;

  @Option(
      names = "--contains",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "List only applications whose name or user contains this text.")
  private String contains;

  private static final Columns<Resource.FinishedApplication> COLUMNS =
      new Columns<Resource.FinishedApplication>()
          .column("finished", app -> FigureText.time(app.finishedTime(), ZoneId.systemDefault()))
          .column("application", Resource.FinishedApplication::name)
          .column("user", app -> FigureText.orNone(app.user()))
          .column("outcome", Resource.FinishedApplication::outcome)
          .column(">duration", app -> FigureText.span(app.durationMs()))
          .column(">shuffles", Resource.FinishedApplication::shuffles)
          .column(">pushed", app -> size(app, app.transferred().pushedBytes()))
          .column(">read", app -> size(app, app.transferred().readBytes()))
          .column(">fallbacks", app -> app.fallbacks().fallbackShuffles())
          .wide(">number", Resource.FinishedApplication::number)
          .wide("client", app -> FigureText.orNone(app.clientVersion()))
          .wide("last fallback", app -> FigureText.orNone(app.fallbacks().lastFallbackReason()));

  @Override
  public Integer call() throws IOException {
    Map<String, Object> query = new LinkedHashMap<>();
    query.put("limit", limit);
    query.put("before", before);
    query.put("user", user);
    query.put("contains", contains);
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer = coordinators.first(api -> api.get(query, List.of("finished-applications")));
      if (output.isJson()) {
        output.json(answer);
        return 0;
      }
      Resource.FinishedApplications page =
          CoordinatorApi.as(Resource.FinishedApplications.class, answer);
      output.text(COLUMNS.table(page.applications(), output.isWide()));
      if (page.next() != null) {
        output.line("More applications follow: --before " + page.next());
      }
      return 0;
    }
  }

  private static String size(Resource.FinishedApplication application, long bytes) {
    return application.reported() ? FigureText.size(bytes) : FigureText.orNone("");
  }
}
