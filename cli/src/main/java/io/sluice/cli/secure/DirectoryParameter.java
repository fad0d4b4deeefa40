package io.sluice.cli.secure;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** First parameter of the commands that read or change a directory, and their output. */
final class DirectoryParameter {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "DIRECTORY",
      description = "Directory that `sluice secure init` created.")
  private Path given;

  /** The directory as the caller named it. */
  Path given() {
    return given;
  }

  SecureDirectory open(SecureSources sources) throws IOException {
    return SecureDirectory.open(given, sources);
  }

  /** Updates the files that depend on changed ones, and reports all written files. */
  SecureReport report(SecureDirectory directory, Distribution distribution) throws IOException {
    distribution.refresh();
    SecureReport report = new SecureReport(out(), given);
    report.written(directory.written());
    return report;
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
