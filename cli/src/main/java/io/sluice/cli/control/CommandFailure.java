package io.sluice.cli.control;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.IExitCodeGenerator;

/** Failure of a command with an exit code for scripts. The message is one line. */
public final class CommandFailure extends IOException implements IExitCodeGenerator {
  private static final long serialVersionUID = 1L;

  private final ExitCode code;

  public CommandFailure(ExitCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public CommandFailure(ExitCode code, String message) {
    this(code, message, null);
  }

  /**
   * Combines several failures. The exit code is theirs if all have the same, otherwise {@link
   * ExitCode#FAILED}.
   */
  public static CommandFailure ofAll(List<? extends IOException> failures) {
    List<ExitCode> codes = failures.stream().map(CommandFailure::codeOf).distinct().toList();
    CommandFailure failure =
        new CommandFailure(
            codes.size() == 1 ? codes.get(0) : ExitCode.FAILED,
            failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")),
            failures.isEmpty() ? null : failures.get(0));
    failures.stream().skip(1).forEach(failure::addSuppressed);
    return failure;
  }

  private static ExitCode codeOf(IOException failure) {
    return failure instanceof CommandFailure known ? known.code : ExitCode.FAILED;
  }

  public ExitCode code() {
    return code;
  }

  @Override
  public int getExitCode() {
    return code.status();
  }
}
