package io.sluice.cli.control;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.IExitCodeGenerator;

/** A command that failed in a way that scripts may want to tell apart. The message is one line. */
public final class CommandFailure extends IOException implements IExitCodeGenerator {
  private static final long serialVersionUID = 1L;

  /** Exit codes; docs/admin.md lists them for people. */
  public enum Code {
    /** Nobody answered, or what was asked for is not possible now. */
    FAILED(1),
    /** What was named is not known. */
    NOT_FOUND(4),
    /** The caller did not prove who it is, or may not do this. */
    DENIED(5);

    private final int exit;

    Code(int exit) {
      this.exit = exit;
    }
  }

  private final Code code;

  public CommandFailure(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public CommandFailure(Code code, String message) {
    this(code, message, null);
  }

  /** Several that all failed; the code is theirs if they agree. */
  public static CommandFailure ofAll(List<? extends IOException> failures) {
    List<Code> codes = failures.stream().map(CommandFailure::codeOf).distinct().toList();
    CommandFailure failure =
        new CommandFailure(
            codes.size() == 1 ? codes.get(0) : Code.FAILED,
            failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")),
            failures.isEmpty() ? null : failures.get(0));
    failures.stream().skip(1).forEach(failure::addSuppressed);
    return failure;
  }

  private static Code codeOf(IOException failure) {
    return failure instanceof CommandFailure known ? known.code : Code.FAILED;
  }

  public Code code() {
    return code;
  }

  @Override
  public int getExitCode() {
    return code.exit;
  }
}
