package io.sluice.benchmark.load;

import io.sluice.benchmark.engine.JobBenchCommand;
import io.sluice.benchmark.engine.QueryBenchCommand;
import io.sluice.benchmark.engine.SessionBenchCommand;
import io.sluice.benchmark.engine.SoakCommand;
import io.sluice.benchmark.engine.TerasortBenchCommand;
import io.sluice.benchmark.floor.FloorCommand;
import io.sluice.benchmark.jmh.JmhCommand;
import io.sluice.benchmark.merge.MergeCommand;
import io.sluice.benchmark.published.MagnetCommand;
import io.sluice.benchmark.published.NettyReportCommand;
import io.sluice.benchmark.published.ReadLengthCommand;
import io.sluice.benchmark.report.ReportCommand;
import io.sluice.benchmark.rows.RowBenchCommand;
import io.sluice.benchmark.scale.ScaleCommand;
import io.sluice.cli.Main;
import io.sluice.cli.SluiceCommand;
import java.io.PrintWriter;
import picocli.CommandLine;

/**
 * Entry point of {@code ./sluice bench} in a checkout: the {@code sluice} command, with the
 * benchmarks of this module as additional subcommands of {@code bench}.
 */
public final class Benchmarks {

  private Benchmarks() {}

  public static void main(String[] args) {
    Main.run(Benchmarks::commandLine, args);
  }

  /** Creates the command tree, see {@link SluiceCommand#commandLine}. */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    return SluiceCommand.commandLine(
        out,
        err,
        new FloorCommand(),
        new MagnetCommand(),
        new NettyReportCommand(),
        new ReadLengthCommand(),
        new ScaleCommand(),
        new ReportCommand(),
        new StartCommand(),
        new ClassListCommand(),
        new HugeCommand(),
        new SecurityCommand(),
        new MetadataCommand(),
        new DeleteCommand(),
        new MergeCommand(),
        new JobBenchCommand(),
        new SoakCommand(),
        new QueryBenchCommand(),
        new SessionBenchCommand(),
        new RowBenchCommand(),
        new TerasortBenchCommand(),
        JmhCommand.commandLine());
  }
}
