package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin revoke} and {@code revocations}. */
final class RevocationCommands {
  private RevocationCommands() {}

  /** Parent of the commands that revoke tokens. */
  @Command(
      name = "revoke",
      description = {
        "Refuse the tokens that were issued to a user or an application until now, at every given"
            + " coordinator.",
        "Servers close the connections of these tokens after their next heartbeat."
      },
      subcommands = {User.class, Application.class})
  static final class Revoke implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      throw new ParameterException(
          spec.commandLine(), "expected: revoke user NAME, or revoke application APPLICATION");
    }
  }

  private static void revoke(QuorumOptions quorum, Output output, List<String> path)
      throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      coordinators.change(
          api -> api.mutate("POST", path),
          false,
          (coordinator, answer) -> {
            if (output.isJson()) {
              output.jsonLine(answer);
            } else {
              output.line(
                  coordinator + ": " + CoordinatorApi.as(Resource.Done.class, answer).text());
            }
          });
    }
  }

  @Command(
      name = "user",
      description = {
        "Refuse the tokens that were issued to a user until now.",
        "Remove the user's line from rss.security.users.file first: a user of the file can register"
            + " applications and gets new tokens."
      })
  static final class User implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(paramLabel = "NAME", description = "Name of the user.")
    private String user;

    @Override
    public Integer call() throws IOException {
      revoke(quorum, output, List.of("users", user, "revocation"));
      return 0;
    }
  }

  @Command(
      name = "application",
      description = {
        "Refuse the tokens of an application that were issued until now, and delete the application"
            + " and its data, as at the end of its driver.",
        "A driver that still runs with a user of rss.security.users.file registers it again and gets"
            + " a new token."
      })
  static final class Application implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(paramLabel = "APPLICATION", description = "Application id of Spark or YARN.")
    private String application;

    @Override
    public Integer call() throws IOException {
      revoke(quorum, output, List.of("applications", application, "revocation"));
      return 0;
    }
  }

  @Command(
      name = "revocations",
      description = "List the revoked tokens of every given coordinator.")
  static final class Revocations implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
      StateList.print(
          quorum,
          output,
          "revocations",
          Resource.Revocations.class,
          list ->
              new StateList(
                  list.kept(), list.revocations().stream().map(Revocations::text).toList()));
      return 0;
    }

    private static String text(Resource.Revocation revocation) {
      return revocation.subject()
          + " "
          + revocation.name()
          + ": issued until "
          + Instant.ofEpochMilli(revocation.revokedAt());
    }
  }
}
