package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.ResultFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice bench report}. */
@Command(
    name = "report",
    description = "Write a page with tables and charts of results, from the files of --json.")
public final class ReportCommand implements Callable<Integer> {
  private static final String HTML = "report.html";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIRECTORY", description = "Directory with the files of --json.")
  private Path directory;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "HTML page to write; default: " + HTML + " in the directory.")
  private Path html;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description =
          "Markdown page whose tables to replace, between the lines <!-- result NAME --> and "
              + "<!-- end -->. Repeatable; default: none.")
  private List<Path> pages = List.of();

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new ParameterException(
          spec.commandLine(), "expected a directory, found \"" + directory + "\"");
    }
    List<BenchResult> results = read(directory);
    if (results.isEmpty()) {
      throw new IOException(directory + " has no file *.json");
    }
    Path target = html == null ? directory.resolve(HTML) : html;
    Files.writeString(target, HtmlReport.render(results));
    BenchNames.print(spec, "wrote " + target + ": " + results.size() + " results\n");
    for (Path page : pages) {
      Files.writeString(page, PageTables.replace(Files.readString(page), results));
      BenchNames.print(spec, "wrote the tables of " + page + "\n");
    }
    return 0;
  }

  /** Reads all files of results, in order of their dates and names. */
  static List<BenchResult> read(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    List<BenchResult> results = new ArrayList<>();
    for (Path file : files) {
      results.add(ResultFormat.read(file));
    }
    results.sort(Comparator.comparing(BenchResult::date));
    return results;
  }
}
