package io.sluice.cli;

import io.sluice.cli.admin.AdminCommand;
import io.sluice.cli.bench.BenchCommand;
import io.sluice.cli.control.ExitCode;
import io.sluice.cli.control.OptionTypes;
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

/** The root command: options that hold for every command, and how failures are told. */
@Command(
    name = "sluice",
    description = "Remote shuffle service for Spark: servers, demo, benchmark and tools.",
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
      description = "Say more: debug lines, and where a failure came from. Twice: libraries too.")
  private boolean[] verbosity = {};

  private SluiceCommand() {}

  /**
   * The whole command tree.
   *
   * @param out where results go
   * @param err where complaints go
   * @param benchmarks commands that {@code bench} has besides its own
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
            .addSubcommand(new DemoCommand())
            .addSubcommand(bench)
            .addSubcommand(new AdminCommand())
            .addSubcommand(new HealthCommand())
            .addSubcommand(new InspectCommand())
            .addSubcommand(new SizingCommand())
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

  /** Servers log to standard output; other commands keep that for their results. */
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
    throw new ParameterException(spec.commandLine(), "name a command");
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

  /** The version that the jar carries. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SluiceCommand.class.getPackage().getImplementationVersion();
      return new String[] {"sluice " + (version == null ? "(not packaged)" : version)};
    }
  }
}
