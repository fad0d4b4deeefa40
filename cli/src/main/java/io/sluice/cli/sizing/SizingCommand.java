package io.sluice.cli.sizing;

import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.sizing.Machine.DiskKind;
import io.sluice.common.config.DataSize;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code sluice sizing}. */
@Command(
    name = "sizing",
    description =
        "How many servers jobs need, what decides it, and what to configure; docs/sizing.md says"
            + " why.")
public final class SizingCommand implements Callable<Integer> {
  /** A busy hour has an eighth of what a day has. */
  private static final int BUSY_HOURS_OF_A_DAY = 8;

  /** A second at the peak has twice what the busiest hour has on the average. */
  private static final double PEAK_FACTOR = 2;

  private static final double HOUR_SECONDS = 3600;
  private static final double BYTES_PER_GIGABIT = 1e9 / 8;
  private static final JsonMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private Amount amount;

  /** How much is shuffled, in one of two ways. */
  static final class Amount {
    @Option(
        names = "--per-hour",
        paramLabel = "SIZE",
        description = "Bytes that all jobs together shuffle in the busiest hour, compressed.")
    private DataSize perHour;

    @Option(
        names = "--per-day",
        paramLabel = "SIZE",
        description = "The same of a day; the busiest hour then counts as an eighth of it.")
    private DataSize perDay;

    long hourBytes() {
      return perHour == null ? perDay.bytes() / BUSY_HOURS_OF_A_DAY : perHour.bytes();
    }
  }

  @Option(
      names = "--peak",
      paramLabel = "SIZE",
      description =
          "Most bytes a second that are written, all jobs; default: twice the average of the"
              + " busiest hour.")
  private DataSize peak;

  @Option(
      names = "--read-peak",
      paramLabel = "SIZE",
      description = "Bytes a second that are read meanwhile; default: as many.")
  private DataSize readPeak;

  @Option(
      names = "--largest",
      defaultValue = "0",
      paramLabel = "SIZE",
      description = "The largest shuffle, if it is more than what lives at a time on the average.")
  private DataSize largest;

  @Option(
      names = "--lifetime",
      defaultValue = "30m",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description =
          "How long a shuffle lives, from its first push to its job's end; default"
              + " ${DEFAULT-VALUE}.")
  private long lifetimeMs;

  @Option(
      names = "--replicas",
      defaultValue = "1",
      paramLabel = "N",
      description = "Copies of each partition (rss.data.replica); default ${DEFAULT-VALUE}.")
  private int replicas;

  @Option(
      names = "--executors",
      defaultValue = "500",
      paramLabel = "N",
      description = "Processes of all jobs together; default ${DEFAULT-VALUE}.")
  private int executors;

  @Option(
      names = "--shuffles",
      defaultValue = "100",
      paramLabel = "N",
      description = "Shuffles that live at a time, of all applications; default ${DEFAULT-VALUE}.")
  private int shuffles;

  @Option(
      names = "--partitions",
      defaultValue = "2000",
      paramLabel = "N",
      description = "Reduce partitions of a shuffle; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--maps",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Map tasks of a shuffle; default ${DEFAULT-VALUE}.")
  private int maps;

  @Option(
      names = "--cores",
      required = true,
      paramLabel = "N",
      description = "Cores of one server.")
  private int cores;

  @Option(
      names = "--memory",
      required = true,
      paramLabel = "SIZE",
      description = "Memory of one server.")
  private DataSize memory;

  @Option(
      names = "--network",
      required = true,
      paramLabel = "GBIT",
      description = "Gbit/s of the network of one server.")
  private double network;

  @Option(
      names = "--disks",
      required = true,
      paramLabel = "N",
      description = "Disks of one server.")
  private int disks;

  @Option(
      names = "--disk-size",
      required = true,
      paramLabel = "SIZE",
      description = "Size of one disk; g and t are powers of 1024, a TB on a label is 931g.")
  private DataSize diskSize;

  @Option(
      names = "--disk-speed",
      required = true,
      paramLabel = "SIZE",
      description = "Bytes a second that one disk writes, in large pieces.")
  private DataSize diskSpeed;

  @Option(
      names = "--disk-kind",
      defaultValue = "ssd",
      paramLabel = "KIND",
      converter = DiskKindConverter.class,
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private DiskKind diskKind;

  @Option(
      names = "--cpu-per-gib",
      defaultValue = "4",
      paramLabel = "SECONDS",
      description =
          "CPU seconds of a server for each GiB that is pushed and read again; default"
              + " ${DEFAULT-VALUE}, which has a reserve.")
  private double cpuSecondsPerGib;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORM",
      converter = FormConverter.class,
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private Form form;

  /** For whom it is printed. */
  enum Form {
    TABLE,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Reads lower case. */
  static final class FormConverter implements ITypeConverter<Form> {
    @Override
    public Form convert(String text) {
      return OptionTypes.oneOf(Form.values(), text);
    }
  }

  /** Reads lower case. */
  static final class DiskKindConverter implements ITypeConverter<DiskKind> {
    @Override
    public DiskKind convert(String text) {
      return OptionTypes.oneOf(DiskKind.values(), text);
    }
  }

  @Override
  public Integer call() {
    SizingPlan plan;
    try {
      plan = new Sizing(workload(), machine(), cpuSecondsPerGib).plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    switch (form) {
      case TABLE -> out.print(SizingTable.of(plan));
      case JSON -> out.println(INDENTED.writeValueAsString(plan));
    }
    out.flush();
    return 0;
  }

  private SizingWorkload workload() {
    long hourBytes = amount.hourBytes();
    long written = peak == null ? (long) (hourBytes / HOUR_SECONDS * PEAK_FACTOR) : peak.bytes();
    demand(hourBytes >= 1 << 20, "--per-hour, --per-day: expected at least 1m an hour");
    demand(written >= 1, "--peak: expected at least 1");
    demand(readPeak == null || readPeak.bytes() >= 0, "--read-peak: expected at least 0");
    demand(lifetimeMs >= 1000, "--lifetime: expected at least 1s");
    demand(replicas >= 1 && replicas <= 16, "--replicas: expected 1 to 16");
    demand(executors >= 1 && executors <= 1_000_000, "--executors: expected 1 to 1000000");
    demand(
        shuffles >= 1 && partitions >= 1 && maps >= 1,
        "--shuffles, --partitions, --maps: expected at least 1");
    return new SizingWorkload(
        hourBytes,
        written,
        readPeak == null ? written : readPeak.bytes(),
        lifetimeMs,
        largest.bytes(),
        replicas,
        executors,
        shuffles,
        partitions,
        maps);
  }

  private Machine machine() {
    demand(cores >= 1, "--cores: expected at least 1");
    demand(network > 0, "--network: expected more than 0");
    demand(disks >= 1, "--disks: expected at least 1");
    demand(diskSize.bytes() >= 1 << 30, "--disk-size: expected at least 1g");
    demand(diskSpeed.bytes() >= 1 << 20, "--disk-speed: expected at least 1m");
    demand(cpuSecondsPerGib > 0, "--cpu-per-gib: expected more than 0");
    return new Machine(
        cores,
        memory.bytes(),
        network * BYTES_PER_GIGABIT,
        disks,
        diskKind,
        diskSize.bytes(),
        diskSpeed.bytes());
  }

  private void demand(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }
}
