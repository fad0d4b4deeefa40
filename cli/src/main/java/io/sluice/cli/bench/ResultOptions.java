package io.sluice.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

/** Option of all benchmarks: a file with the results. */
public final class ResultOptions {
  /** Labels of options whose values name hosts, users or files. */
  private static final Set<String> PRIVATE =
      Set.of("DIR", "FILE", "PATH", "HOST:PORT", "COMMAND", "NAME");

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      converter = NewFile.class,
      description = "File for the results in JSON, which `bench report` reads; default: none.")
  private Path file;

  /** Refuses a file that cannot be written before the benchmark runs. */
  static final class NewFile implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
      Path file = Path.of(text);
      Path parent = file.toAbsolutePath().getParent();
      if (Files.isDirectory(file) || parent == null || !Files.isDirectory(parent)) {
        throw new TypeConversionException(
            "expected a file in an existing directory, found \"" + text + "\"");
      }
      return file;
    }
  }

  /** Prints the tables and the notes, and writes the file if there is one. */
  public void publish(List<BenchTable> tables, List<String> notes) throws IOException {
    StringBuilder text = new StringBuilder();
    for (BenchTable table : tables) {
      text.append(text.isEmpty() ? "" : "\n").append(table.title()).append("\n\n");
      text.append(table.toText());
    }
    notes.forEach(note -> text.append(note).append('\n'));
    BenchNames.print(spec, text.toString());
    write(tables, notes);
  }

  /** Writes the file, if there is one, for a command with its own output. */
  public void write(List<BenchTable> tables, List<String> notes) throws IOException {
    if (file != null) {
      ResultFormat.write(file, result(tables, notes));
    }
  }

  private BenchResult result(List<BenchTable> tables, List<String> notes) {
    return new BenchResult(
        spec.name(),
        options(),
        LocalDate.now(ZoneOffset.UTC).toString(),
        MachineFacts.versions(version()),
        MachineFacts.machine(),
        tables,
        notes);
  }

  private Map<String, String> options() {
    Map<String, String> options = new LinkedHashMap<>();
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      String value = String.join(",", option.originalStringValues());
      if (!PRIVATE.contains(option.paramLabel()) && !value.contains("/")) {
        options.put(option.longestName(), value);
      }
    }
    return options;
  }

  private String version() {
    String[] lines = spec.root().version();
    return lines.length == 0 ? "unknown" : lines[0].replaceFirst("^sluice ", "");
  }
}
