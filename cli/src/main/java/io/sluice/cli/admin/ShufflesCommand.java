package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin shuffles}. */
@Command(
    name = "shuffles",
    description = {
      "List the shuffles of an application, or show one shuffle and its data on each server.",
      "Skew is the size of the largest partition divided by the mean size. From 3, the "
          + "task that reads"
          + " it is likely to be the last to finish.",
      "Receipts are those of map attempts, in one partition each: of matched ones, a task read the "
          + "records that the attempt wrote."
    })
final class ShufflesCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(
      index = "0",
      paramLabel = "APPLICATION",
      description = "Application id of Spark or YARN.")
  private String application;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SHUFFLE",
      description = "Number of a shuffle: show it, and its data on each server.")
  private Integer shuffle;

  private static final Columns<Resource.Shuffle> COLUMNS =
      new Columns<Resource.Shuffle>()
          .column(">shuffle", Resource.Shuffle::shuffle)
          .column(">partitions", Resource.Shuffle::partitions)
          .column(">servers", Resource.Shuffle::servers)
          .column(">stored", s -> FigureText.size(s.storedBytes()))
          .column(">largest", s -> FigureText.size(s.largestPartitionBytes()))
          .column(">skew", s -> FigureText.factor(s.skew()))
          .column(">age", s -> s.assignedAgeMs() == null ? "-" : FigureText.span(s.assignedAgeMs()))
          .column(">records", s -> receipt(s, r -> Long.toString(r.records())))
          .column("receipts", s -> receipt(s, ShufflesCommand::verdict))
          .wide(">written", s -> receipt(s, r -> FigureText.size(r.bytes())))
          .wide(">replicas", Resource.Shuffle::replicas)
          .wide(">assignments", Resource.Shuffle::assignments);

  private static String receipt(
      Resource.Shuffle shuffle, Function<Resource.Receipts, String> text) {
    return shuffle.receipts() == null ? "-" : text.apply(shuffle.receipts());
  }

  private static String verdict(Resource.Receipts receipts) {
    String matched = receipts.matched() + " matched";
    return receipts.wrong() == 0 ? matched : matched + ", " + receipts.wrong() + " WRONG";
  }

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer =
          coordinators.first(
              api ->
                  shuffle == null
                      ? api.get("applications", application, "shuffles")
                      : api.get("applications", application, "shuffles", shuffle.toString()));
      if (output.isJson()) {
        output.json(answer);
      } else if (shuffle == null) {
        output.text(
            COLUMNS.table(
                CoordinatorApi.as(Resource.Shuffles.class, answer).shuffles(), output.isWide()));
      } else {
        one(CoordinatorApi.as(Resource.ShuffleDetail.class, answer));
      }
      return 0;
    }
  }

  private void one(Resource.ShuffleDetail detail) {
    output.text(COLUMNS.table(List.of(detail.shuffle()), output.isWide()));
    output.line("");
    output.text(
        new Columns<Resource.Share>()
            .column("server", Resource.Share::server)
            .column("state", Resource.Share::state)
            .column(">assigned", Resource.Share::partitionsAssigned)
            .column(">written", Resource.Share::partitionsWritten)
            .column(">stored", share -> FigureText.size(share.storedBytes()))
            .column(">largest", share -> FigureText.size(share.largestPartitionBytes()))
            .table(detail.servers(), output.isWide()));
  }
}
