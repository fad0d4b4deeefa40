package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin applications}. */
@Command(
    name = "applications",
    description =
        "List live applications known to a coordinator, or show one application and the "
            + "servers with its data.")
final class ApplicationsCommand implements Callable<Integer> {
  private static final String LIVE = "LIVE";

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(
      arity = "0..1",
      paramLabel = "APPLICATION",
      description = "Id of an application: show it, and the servers that store its data.")
  private String application;

  @Option(
      names = "--all",
      description = "Also list ended applications, as far as the coordinator still knows them.")
  private boolean all;

  private static final Columns<Resource.Application> COLUMNS =
      new Columns<Resource.Application>()
          .column("application", Resource.Application::name)
          .column("user", app -> FigureText.orNone(app.user()))
          .column("state", Resource.Application::state)
          .column(">shuffles", Resource.Application::shuffles)
          .column(">stored", app -> FigureText.size(app.storedBytes()))
          .column(">servers", Resource.Application::servers)
          .column(">fallbacks", app -> app.fallbacks().fallbackShuffles())
          .column(">skew", app -> FigureText.factor(app.skew()))
          .column(">lease", app -> FigureText.span(Math.max(0, app.lease().leaseRemainingMs())))
          .column(">age", app -> FigureText.span(app.lease().registeredAgeMs()))
          .wide("client", app -> FigureText.orNone(app.clientVersion()))
          .wide("last fallback", app -> FigureText.orNone(app.fallbacks().lastFallbackReason()));

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer =
          application == null
              ? coordinators.first(api -> api.get("applications"))
              : coordinators.first(api -> api.get("applications", application));
      if (output.isJson()) {
        output.json(answer);
      } else if (application == null) {
        list(CoordinatorApi.as(Resource.Applications.class, answer).applications());
      } else {
        one(CoordinatorApi.as(Resource.ApplicationDetail.class, answer));
      }
      return 0;
    }
  }

  private void list(List<Resource.Application> known) {
    output.text(
        COLUMNS.table(
            known.stream().filter(app -> all || app.state().equals(LIVE)).toList(),
            output.isWide()));
  }

  private void one(Resource.ApplicationDetail detail) {
    output.text(COLUMNS.table(List.of(detail.application()), output.isWide()));
    output.line("");
    output.text(
        new Columns<Resource.ApplicationServer>()
            .column("server", Resource.ApplicationServer::server)
            .column(">shuffles", Resource.ApplicationServer::shuffles)
            .column(">stored", holder -> FigureText.size(holder.storedBytes()))
            .table(detail.servers(), output.isWide()));
  }
}
