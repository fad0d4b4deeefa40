package io.sluice.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice demo}. */
@Command(
    name = "demo",
    description = {
      "Runs the 22 queries of TPC-H on Spark, each with Spark's own shuffle and then through Sluice, and compares every row.",
      "Starts a coordinator, shuffle servers and Spark (executors in processes of their own) on loopback, and ends them all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every query gave the same rows on both sides and went through the servers",
      "1:not so, or something failed",
      "2:wrong usage"
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  /** Set by the launcher: whether standard error, where the bars go, is a terminal. */
  private static final String TERMINAL = "sluice.terminal";

  private static final int EXIT_GOOD = 0;
  private static final int EXIT_BAD = 1;
  private static final int EXIT_USAGE = 2;

  enum Transport {
    GRPC,
    GRPC_NETTY
  }

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "Scale factor of the data; 1 is about 1 GB before compression. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--queries",
      paramLabel = "LIST",
      description = "Only these queries, such as 1,3,5-7. Default: all 22.")
  private String queries;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of shuffle servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--buffer-capacity",
      paramLabel = "SIZE",
      defaultValue = "64MiB",
      description =
          "Memory of each server for shuffle data (rss.server.buffer.capacity); small, so that servers have to spill."
              + " Default: ${DEFAULT-VALUE}.")
  private String bufferCapacity;

  @Option(
      names = "--transport",
      paramLabel = "TYPE",
      defaultValue = "GRPC_NETTY",
      description = "How data travels: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Transport transport;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Partitions of a shuffle (spark.sql.shuffle.partitions). Default: what Spark does.")
  private int partitions;

  @Mixin private PlaceOptions places = new PlaceOptions();

  @Option(
      names = "--query-timeout",
      paramLabel = "MINUTES",
      defaultValue = "10",
      description = "Longest that one query may take. Default: ${DEFAULT-VALUE}.")
  private int queryTimeoutMinutes;

  @Option(names = "--keep", description = "Keep the logs, settings and rows of the run.")
  private boolean keep;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      return run(out);
    } catch (DemoException e) {
      err.println("sluice demo: " + e.getMessage());
      return e.kind() == DemoException.Kind.USAGE ? EXIT_USAGE : EXIT_BAD;
    } catch (IOException e) {
      err.println("sluice demo: " + e.getMessage());
      return EXIT_BAD;
    }
  }

  private int run(PrintWriter out) throws DemoException, IOException, InterruptedException {
    DemoRun.Plan plan = plan();
    Installation installation = Installation.of(System.getProperties());
    SparkHome spark = SparkHome.of(places.sparkDirectory(System.getenv()));
    installation.clientJar(spark);
    boolean good = false;
    try (DemoProgress progress = progress(out)) {
      DemoRun run =
          new DemoRun(plan, installation, spark, places.workDirectory(System.getenv()), progress);
      try {
        DemoTable table;
        try (run) {
          table = new DemoTable(run.run());
        }
        progress.step("");
        out.print(table.render());
        good = table.isGood();
      } finally {
        boolean keepLogs = plan.keep() || !good;
        run.removeFiles(keepLogs);
        if (keepLogs) {
          out.println("logs: " + run.directory());
        }
        out.flush();
      }
    }
    return good ? EXIT_GOOD : EXIT_BAD;
  }

  private static DemoProgress progress(PrintWriter out) {
    return Boolean.getBoolean(TERMINAL)
        ? new DemoProgress.Terminal(out)
        : new DemoProgress.Lines(out, System::nanoTime);
  }

  private DemoRun.Plan plan() throws DemoException {
    atLeastOne("--servers", servers);
    atLeastOne("--query-timeout", queryTimeoutMinutes);
    if (!(scale > 0 && scale <= 1000)) {
      throw DemoException.usage("--scale " + scale + ": expected a number above 0 and up to 1000");
    }
    if (partitions < 0) {
      throw DemoException.usage(
          "--partitions " + partitions + ": expected a positive number, or 0 for Spark's default");
    }
    List<Integer> numbers = queries == null ? QueryList.all() : QueryList.parse(queries);
    return new DemoRun.Plan(
        scale,
        numbers,
        servers,
        bufferCapacity,
        transport.name(),
        partitions,
        Duration.ofMinutes(queryTimeoutMinutes),
        keep);
  }

  private static void atLeastOne(String option, int value) throws DemoException {
    if (value < 1) {
      throw DemoException.usage(option + " " + value + ": expected a number of at least 1");
    }
  }
}
