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
        "Compute the number of servers for a workload, the limiting resource, and the settings. See"
            + " docs/sizing.md.")
public final class SizingCommand implements Callable<Integer> {
  /** The busiest hour has 1/8 of the bytes of a day. */
  private static final int BUSY_HOURS_OF_A_DAY = 8;

  /** Peak rate divided by the average rate of the busiest hour. */
  private static final double PEAK_FACTOR = 2;

  private static final double HOUR_SECONDS = 3600;
  private static final double BYTES_PER_GIGABIT = 1e9 / 8;
  private static final JsonMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private Amount amount;

  /** Shuffled bytes, per hour or per day. */
  static final class Amount {
    @Option(
        names = "--per-hour",
        paramLabel = "SIZE",
        description = "Compressed shuffle bytes of all jobs in the busiest hour.")
    private DataSize perHour;

    @Option(
        names = "--per-day",
        paramLabel = "SIZE",
        description =
            "Compressed shuffle bytes of all jobs in a day; 1/8 of it is used for the "
                + "busiest hour.")
    private DataSize perDay;

    long hourBytes() {
      return perHour == null ? perDay.bytes() / BUSY_HOURS_OF_A_DAY : perHour.bytes();
    }
  }

  @Option(
      names = "--peak",
      paramLabel = "SIZE",
      description =
          "Peak of bytes written per second by all jobs; default: twice the average of the"
              + " busiest hour.")
  private DataSize peak;

  @Option(
      names = "--read-peak",
      paramLabel = "SIZE",
      description =
          "Bytes read per second by all jobs during the peak; default: the value of --peak.")
  private DataSize readPeak;

  @Option(
      names = "--largest",
      defaultValue = "0",
      paramLabel = "SIZE",
      description =
          "Size of the largest shuffle; it counts if it is more than the average of stored bytes.")
  private DataSize largest;

  @Option(
      names = "--lifetime",
      defaultValue = "30m",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description =
          "Lifetime of a shuffle, from its first push to the end of its job; default "
              + "${DEFAULT-VALUE}.")
  private long lifetimeMs;

  @Option(
      names = "--replicas",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "Number of copies of each partition (rss.data.replica); default ${DEFAULT-VALUE}.")
  private int replicas;

  @Option(
      names = "--executors",
      defaultValue = "500",
      paramLabel = "N",
      description = "Number of executors of all jobs; default ${DEFAULT-VALUE}.")
  private int executors;

  @Option(
      names = "--shuffles",
      defaultValue = "100",
      paramLabel = "N",
      description = "Number of concurrent shuffles of all applications; default ${DEFAULT-VALUE}.")
  private int shuffles;

  @Option(
      names = "--partitions",
      defaultValue = "2000",
      paramLabel = "N",
      description = "Number of reduce partitions of a shuffle; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--maps",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Number of map tasks of a shuffle; default ${DEFAULT-VALUE}.")
  private int maps;

  @Option(
      names = "--cores",
      required = true,
      paramLabel = "N",
      description = "Number of cores of one server.")
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
      description = "Network bandwidth of one server in Gbit/s.")
  private double network;

  @Option(
      names = "--disks",
      required = true,
      paramLabel = "N",
      description = "Number of disks of one server.")
  private int disks;

  @Option(
      names = "--disk-size",
      required = true,
      paramLabel = "SIZE",
      description = "Size of one disk. g and t are powers of 1024; a disk sold as 1 TB has 931g.")
  private DataSize diskSize;

  @Option(
      names = "--disk-speed",
      required = true,
      paramLabel = "SIZE",
      description = "Sequential write bandwidth of one disk in bytes per second.")
  private DataSize diskSpeed;

  @Option(
      names = "--disk-kind",
      defaultValue = "ssd",
      paramLabel = "KIND",
      converter = DiskKindConverter.class,
      description = "Kind of the disks: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private DiskKind diskKind;

  @Option(
      names = "--cpu-per-gib",
      defaultValue = "4",
      paramLabel = "SECONDS",
      description =
          "CPU seconds of a server for pushing and reading one GiB; default "
              + "${DEFAULT-VALUE}, which includes a reserve.")
  private double cpuSecondsPerGib;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORM",
      converter = FormConverter.class,
      description = "Output format: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private Form form;

  /** Output formats. */
  enum Form {
    TABLE,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Parses a lower-case name. */
  static final class FormConverter implements ITypeConverter<Form> {
    @Override
    public Form convert(String text) {
      return OptionTypes.oneOf(Form.values(), text);
    }
  }

  /** Parses a lower-case name. */
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
    check(hourBytes >= 1 << 20, "--per-hour, --per-day: expected at least 1m an hour");
    check(written >= 1, "--peak: expected at least 1");
    check(readPeak == null || readPeak.bytes() >= 0, "--read-peak: expected at least 0");
    check(lifetimeMs >= 1000, "--lifetime: expected at least 1s");
    check(replicas >= 1 && replicas <= 16, "--replicas: expected 1 to 16");
    check(executors >= 1 && executors <= 1_000_000, "--executors: expected 1 to 1000000");
    check(
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
    check(cores >= 1, "--cores: expected at least 1");
    check(network > 0, "--network: expected more than 0");
    check(disks >= 1, "--disks: expected at least 1");
    check(diskSize.bytes() >= 1 << 30, "--disk-size: expected at least 1g");
    check(diskSpeed.bytes() >= 1 << 20, "--disk-speed: expected at least 1m");
    check(cpuSecondsPerGib > 0, "--cpu-per-gib: expected more than 0");
    return new Machine(
        cores,
        memory.bytes(),
        network * BYTES_PER_GIGABIT,
        disks,
        diskKind,
        diskSize.bytes(),
        diskSpeed.bytes());
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }
}
