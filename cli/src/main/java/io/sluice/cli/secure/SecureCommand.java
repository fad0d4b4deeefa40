package io.sluice.cli.secure;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice secure}: parent of the commands for keys, certificates and users. */
@Command(
    name = "secure",
    description =
        "Create and change the keys, certificates and users of a cluster, in a directory on the"
            + " operator's machine. See docs/security.md.",
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "4:a file is missing"})
public final class SecureCommand implements Runnable {
  @Spec private CommandSpec spec;

  private SecureCommand() {}

  /** The command with its subcommands. */
  public static CommandLine commandLine(SecureSources sources) {
    return new CommandLine(new SecureCommand())
        .addSubcommand(new SecureInitCommand(sources))
        .addSubcommand(new IdentityCommands.OfCoordinator(sources))
        .addSubcommand(new IdentityCommands.OfServer(sources))
        .addSubcommand(new SecureUserCommand(sources))
        .addSubcommand(new SecureShowCommand(sources))
        .addSubcommand(new SecureRotateCommand(sources));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing; expected one of " + spec.subcommands().keySet());
  }
}
