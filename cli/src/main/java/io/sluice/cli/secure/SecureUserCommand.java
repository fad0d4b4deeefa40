package io.sluice.cli.secure;

import io.sluice.common.auth.Role;
import io.sluice.common.auth.UserNames;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice secure user}. */
@Command(
    name = "user",
    description = "Add a user: a verifier in the users file, and the secret in a file of its own.")
final class SecureUserCommand implements Callable<Integer> {
  private final SecureSources sources;

  @Spec private CommandSpec spec;

  @Mixin private DirectoryParameter target = new DirectoryParameter();

  @Parameters(index = "1", paramLabel = "NAME", description = "Name of the user.")
  private String name;

  @Parameters(
      index = "2",
      paramLabel = "ROLE",
      converter = RoleConverter.class,
      description =
          "user (registers applications and reads the state of the cluster), reader (reads it), or"
              + " admin (everything).")
  private Role role;

  /** Parses a lower-case name. */
  static final class RoleConverter implements ITypeConverter<Role> {
    @Override
    public Role convert(String text) {
      for (Role role : Role.values()) {
        if (role.name().toLowerCase(Locale.ROOT).equals(text)) {
          return role;
        }
      }
      throw new TypeConversionException("expected user, reader or admin, found \"" + text + "\"");
    }
  }

  SecureUserCommand(SecureSources sources) {
    this.sources = sources;
  }

  @Override
  public Integer call() throws IOException {
    if (!UserNames.isName(name)) {
      throw new ParameterException(
          spec.commandLine(), "NAME \"" + name + "\": expected " + UserNames.EXPECTED);
    }
    SecureDirectory directory = target.open(sources);
    if (role == Role.USER && new KubernetesSecrets(directory).areUsed()) {
      KubernetesSecrets.checkUser(name);
    }
    new SecretUsers(directory).add(name, role);
    Distribution distribution = new Distribution(directory, target.given());
    SecureReport report = target.report(directory, distribution);
    distribution.report(report, Set.of(Distribution.Part.USERS));
    report.text(
        "Give "
            + target.given().resolve(SecretUsers.secretFile(name))
            + " to the user "
            + name
            + " ("
            + role.name().toLowerCase(Locale.ROOT)
            + "): RSS_USER_SECRET_FILE of the command line, or"
            + " spark.rss.security.user.secret.file.");
    return 0;
  }
}
