package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin balance}. */
@Command(
    name = "balance",
    description =
        "Show how evenly one coordinator has assigned partitions to servers since its start.")
final class BalanceCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer = coordinators.first(api -> api.get("balance"));
      if (output.isJson()) {
        output.json(answer);
        return 0;
      }
      Resource.Balance balance = CoordinatorApi.as(Resource.Balance.class, answer);
      output.text(
          new Columns<Resource.BalanceShare>()
              .column("server", Resource.BalanceShare::server)
              .column("state", Resource.BalanceShare::state)
              .column(">partitions", Resource.BalanceShare::partitionsAssigned)
              .column(">stored", share -> FigureText.size(share.storedBytes()))
              .column(">memory", share -> FigureText.percent(share.memoryUsedShare()))
              .column(">disks", share -> FigureText.percent(share.diskUsedShare()))
              .table(balance.servers(), output.isWide()));
      output.line("maximum / mean of partitions: " + FigureText.factor(balance.maxOverMean()));
      return 0;
    }
  }
}
