package io.sluice.cli;

import io.sluice.cli.admin.AdminCommand;
import io.sluice.cli.bench.BenchCommand;
import io.sluice.cli.control.ExitCode;
import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.secure.LocalSecrets;
import io.sluice.cli.secure.SecureCommand;
import io.sluice.cli.secure.SecureSources;
import io.sluice.cli.sizing.SizingCommand;
import io.sluice.common.config.ConfigException;
import io.sluice.demo.DemoCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExitCodeGenerator;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Root command: options of all commands, and reporting of errors. */
@Command(
    name = "sluice",
    description =
        "Remote shuffle service for Spark and MapReduce: servers, demo, benchmarks and tools.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = SluiceCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:failed", "2:wrong usage or configuration"})
public final class SluiceCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description =
          "Log at debug level and print stack traces of errors. Twice: log libraries at "
              + "debug level, too.")
  private boolean[] verbosity = {};

  private SluiceCommand() {}

  /**
   * Creates the command tree.
   *
   * @param out writer for results
   * @param err writer for errors
   * @param benchmarks additional subcommands of {@code bench}
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, Object... benchmarks) {
    SluiceCommand root = new SluiceCommand();
    CommandLine bench = new CommandLine(new BenchCommand());
    for (Object benchmark : benchmarks) {
      bench.addSubcommand(benchmark);
    }
    CommandLine line =
        new CommandLine(root)
            .addSubcommand(new CoordinatorCommand())
            .addSubcommand(new ServerCommand())
            .addSubcommand(new DemoCommand(new LocalSecrets(SecureSources.ofMachine())))
            .addSubcommand(bench)
            .addSubcommand(new AdminCommand())
            .addSubcommand(SecureCommand.commandLine(SecureSources.ofMachine()))
            .addSubcommand(new HealthCommand())
            .addSubcommand(new InspectCommand())
            .addSubcommand(new SizingCommand())
            .addSubcommand(new ArchiveCommand())
            .addSubcommand(new ConfigurationCommand())
            .addSubcommand(new MetricsCommand())
            .addSubcommand(new CompletionCommand());
    line.setOut(out).setErr(err);
    OptionTypes.register(line);
    line.setExecutionStrategy(
        parsed -> {
          try {
            Logging.configure(root.verbosity.length, logTarget(parsed));
          } catch (ConfigException e) {
            return root.failed(e, line);
          }
          return new CommandLine.RunLast().execute(parsed);
        });
    line.setParameterExceptionHandler(SluiceCommand::wrongUsage);
    line.setExecutionExceptionHandler((failure, command, parsed) -> root.failed(failure, command));
    return line;
  }

  /**
   * Services log to standard output; other commands log to standard error and print results to
   * standard output.
   */
  private static Logging.Target logTarget(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    return last.commandSpec().userObject() instanceof ServiceCommand
        ? Logging.Target.OUT
        : Logging.Target.ERR;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int wrongUsage(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(name(command) + ": " + wrong.getMessage());
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(wrong, err)) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return ExitCode.WRONG_USAGE.status();
  }

  private int failed(Exception failure, CommandLine command) {
    command.getErr().println(name(command) + ": " + oneLine(failure));
    if (verbosity.length > 0) {
      failure.printStackTrace(command.getErr());
    }
    if (failure instanceof IExitCodeGenerator known) {
      return known.getExitCode();
    }
    ExitCode code = failure instanceof ConfigException ? ExitCode.WRONG_USAGE : ExitCode.FAILED;
    return code.status();
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  private static String oneLine(Throwable failure) {
    return failure.getMessage() == null || failure.getMessage().isBlank()
        ? failure.getClass().getSimpleName()
        : failure.getMessage();
  }

  /** Version from the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SluiceCommand.class.getPackage().getImplementationVersion();
      return new String[] {"sluice " + (version == null ? "(not packaged)" : version)};
    }
  }
}
