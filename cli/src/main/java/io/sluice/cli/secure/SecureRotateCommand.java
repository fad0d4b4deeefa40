package io.sluice.cli.secure;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice secure rotate}. */
@Command(
    name = "rotate",
    description = {
      "Change keys and certificates of a running cluster without a failed job. Every call is one"
          + " step, and names the files to copy and the time of the next step.",
      "Without options: new keys and certificates of all coordinators and servers."
    })
final class SecureRotateCommand implements Callable<Integer> {
  private final SecureSources sources;

  @Mixin private DirectoryParameter target = new DirectoryParameter();

  @ArgGroup private What what = new What();

  /** What to change instead of identities. */
  static final class What {
    @Option(
        names = "--authority",
        description =
            "Next of three steps that replace the authority: trust a new one, sign the identities"
                + " with it, trust only the new one.")
    private boolean authority;

    @Option(
        names = "--users",
        description = "Next of two steps that replace the secrets of all users.")
    private boolean users;
  }

  @Mixin private ValidityOption validity = new ValidityOption();

  SecureRotateCommand(SecureSources sources) {
    this.sources = sources;
  }

  @Override
  public Integer call() throws IOException {
    SecureDirectory directory = target.open(sources);
    if (what.users) {
      users(directory);
    } else if (what.authority) {
      authority(directory);
    } else {
      AuthorityRotation.of(directory).renew(directory.authority(), validity);
      report(
          directory,
          "New keys and certificates. Processes with the old ones continue; their certificates stay"
              + " valid until they expire, or until the authority is replaced (--authority).",
          Set.of(Distribution.Part.IDENTITIES));
    }
    return 0;
  }

  private void authority(SecureDirectory directory) throws IOException {
    AuthorityRotation rotation = AuthorityRotation.of(directory);
    switch (rotation.state()) {
      case ONE -> {
        rotation.add();
        report(
            directory,
            "Step 1 of 3: a new authority is trusted in addition. Continue when all coordinators,"
                + " servers and hosts of jobs have the file, and every stage that runs now has ended:"
                + " its tasks know only the old authority.",
            Set.of(Distribution.Part.AUTHORITY));
      }
      case ADDED -> {
        rotation.sign(validity);
        report(
            directory,
            "Step 2 of 3: the new authority has signed new identities. Continue when all processes have"
                + " them and no application is older, at the latest after"
                + " rss.security.token.lifetime (72 hours): tokens that old identities signed must"
                + " have ended.",
            Set.of(Distribution.Part.IDENTITIES));
      }
      case SIGNED -> {
        rotation.remove();
        report(
            directory,
            "Step 3 of 3: only the new authority is trusted. The rotation is complete when all"
                + " coordinators, servers and hosts of jobs have the file.",
            Set.of(Distribution.Part.AUTHORITY));
      }
    }
  }

  private void users(SecureDirectory directory) throws IOException {
    SecretUsers users = new SecretUsers(directory);
    if (users.isRotating()) {
      users.dropOldSecrets();
      report(
          directory,
          "Step 2 of 2: only the new secrets are accepted.",
          Set.of(Distribution.Part.USERS));
    } else {
      users.addNewSecrets();
      report(
          directory,
          "Step 1 of 2: every user has a new secret, and the old one is accepted as well. Give the"
              + " new files to the users when the coordinators have the users file. Continue when all"
              + " jobs that started with an old secret have ended.",
          Set.of(Distribution.Part.USERS));
    }
  }

  private void report(SecureDirectory directory, String text, Set<Distribution.Part> parts)
      throws IOException {
    Distribution distribution = new Distribution(directory, target.given());
    SecureReport report = target.report(directory, distribution);
    report.text(text);
    distribution.report(report, parts);
  }
}
