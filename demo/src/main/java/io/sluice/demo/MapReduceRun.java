package io.sluice.demo;

import io.sluice.demo.staging.AmountText;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.HadoopParts;
import io.sluice.demo.staging.ProgramRun;
import io.sluice.demo.staging.Scratch;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.TeraRows;
import io.sluice.demo.staging.WordFiles;
import io.sluice.demo.staging.YarnStaging;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of the demo with MapReduce: data, processes, programs, comparison.
 *
 * <p>Each of Hadoop's example programs runs with Hadoop's own shuffle and then through Sluice, on
 * the same cluster of YARN; nothing else runs meanwhile.
 */
final class MapReduceRun implements Comparison {
  /** Of rows to sort, and of text, for a scale of 1. */
  private static final long SORTED_BYTES = 1_000_000_000;

  private static final long TEXT_BYTES = 250_000_000;

  private static final int PROGRAMS = 3;
  private static final int TERA_FILES = 4;
  private static final int NODES = 2;

  /** An application master of 384 MiB and three tasks of 256 at once, see the settings. */
  private static final int NODE_MEMORY_MB = 640;

  /** Both sides of all programs, the making of data, and time to start. */
  private static final int RUNS_AT_MOST = 8;

  private static final String SERVER_HEAP = "-Xmx256m";

  /**
   * What a run does.
   *
   * @param scale 1 is about a gigabyte to sort and a quarter of that to count words in
   * @param servers how many shuffle servers
   * @param bufferCapacity memory for shuffle data in each server
   * @param transport GRPC or GRPC_NETTY
   * @param reduces of terasort and wordcount
   * @param programTimeout how long one program may take
   * @param keep whether logs and settings stay after a good run, too
   */
  record Plan(
      double scale,
      int servers,
      String bufferCapacity,
      String transport,
      int reduces,
      Duration programTimeout,
      boolean keep) {

    long rows() {
      return Math.max(1000, Math.round(scale * SORTED_BYTES / TeraRows.ROW_BYTES));
    }

    long textBytes() {
      return Math.max(1000, Math.round(scale * TEXT_BYTES));
    }
  }

  private final Plan plan;
  private final Staging staging;
  private final YarnStaging yarn;
  private final DemoProgress progress;

  /**
   * @param staging borrows: started before {@link #run}
   */
  MapReduceRun(Plan plan, Staging staging, HadoopParts parts, DemoProgress progress) {
    this.plan = plan;
    this.staging = staging;
    this.progress = progress;
    this.yarn =
        new YarnStaging(
            staging,
            parts,
            new YarnStaging.Shape(
                NODES,
                NODE_MEMORY_MB,
                List.of("-Xmx400m", "-XX:TieredStopAtLevel=1"),
                YarnCluster.smallJobs(),
                plan.programTimeout().multipliedBy(RUNS_AT_MOST)));
  }

  /** How one side of a program is run. */
  private interface Launch {
    HadoopProgram on(Side side, Path output);
  }

  @Override
  public ProgramTable run() throws DemoException, IOException, InterruptedException {
    Path words = WordFiles.ensure(plan.textBytes(), staging, progress);
    progress.step("Sluice: starting 1 coordinator and " + plan.servers() + " shuffle servers");
    staging.startCluster(
        plan.servers(),
        plan.transport(),
        plan.bufferCapacity(),
        List.of(SERVER_HEAP, "-XX:+UseSerialGC"));
    progress.step(
        "YARN: starting a resource manager and "
            + NODES
            + " node managers with their shuffle handlers");
    yarn.start();
    TeraRows rows = TeraRows.ensure(plan.rows(), TERA_FILES, yarn, plan.programTimeout(), progress);
    progress.step("Programs: each with Hadoop's own shuffle, then through Sluice");
    try (ClusterProbe probe = new ClusterProbe(staging.cluster())) {
      List<ProgramComparison> done = new ArrayList<>();
      compare("terasort", (side, output) -> terasort(rows, output), "", probe, done);
      compare(
          "teravalidate",
          (side, output) -> example("teravalidate").arguments(output(side, "terasort"), output),
          "checksum\t" + rows.checksum() + "\n",
          probe,
          done);
      removeOutput("terasort", done);
      removeOutput("teravalidate", done);
      compare(
          "wordcount",
          (side, output) -> reducing("wordcount").arguments(words, output),
          "",
          probe,
          done);
      removeOutput("wordcount", done);
      return new ProgramTable(done);
    }
  }

  private HadoopProgram terasort(TeraRows rows, Path output) {
    return reducing("terasort")
        // The other one looks for its file where containers with a local file system have none.
        .set("mapreduce.terasort.simplepartitioner", "true")
        .arguments(rows.directory(), output);
  }

  private HadoopProgram reducing(String name) {
    return example(name).set("mapreduce.job.reduces", Integer.toString(plan.reduces()));
  }

  private HadoopProgram example(String name) {
    return HadoopProgram.example(yarn.yarn(), name);
  }

  /**
   * Runs a program both ways.
   *
   * @param expected the whole of its output, if it is known; else empty
   * @param done gets what came of it
   */
  private void compare(
      String name, Launch launch, String expected, ClusterProbe probe, List<ProgramComparison> done)
      throws DemoException, IOException, InterruptedException {
    ComparedResults<ProgramTurn> turns =
        ComparedResults.inTurn(Side.OWN, side -> turn(name, side, launch, probe, done.size()));
    ProgramComparison comparison = ProgramComparison.of(name, turns, unexpected(name, expected));
    done.add(comparison);
    progress.result(
        done.size(),
        PROGRAMS,
        "%s, own %s s, Sluice %s s, same: %s"
            .formatted(
                name,
                AmountText.seconds(comparison.own().elapsedMs()),
                AmountText.seconds(comparison.sluice().elapsedMs()),
                comparison.verdict().word()));
  }

  private ProgramTurn turn(String name, Side side, Launch launch, ClusterProbe probe, int done)
      throws DemoException, IOException, InterruptedException {
    String what = name + ", " + side.inHadoop();
    progress.advance(done, PROGRAMS, what);
    Path output = output(side, name);
    HadoopProgram program = launch.on(side, output).set(yarn.settings(side));
    if (side == Side.SLUICE) {
      program
          .set("mapreduce.rss.client.type", plan.transport())
          // Or tasks on a server's host would read run files without it, and it would not count
          // that.
          .set("mapreduce.rss.client.read.shortcircuit.enabled", "false");
    }
    ClusterCounters before = probe.counters();
    ProgramRun run =
        yarn.run(
            what,
            program,
            plan.programTimeout(),
            along -> progress.advance(done, PROGRAMS, what + ", " + along));
    ClusterCounters servers = probe.counters().since(before);
    return new ProgramTurn(run, JobOutput.of(output), servers);
  }

  private List<String> unexpected(String name, String expected) throws IOException {
    List<String> lines = new ArrayList<>();
    if (!expected.isEmpty()) {
      for (Side side : Side.values()) {
        String found = Files.readString(output(side, name).resolve("part-r-00000"));
        if (!found.equals(expected)) {
          lines.add(
              side.word() + ": expected '" + expected.strip() + "', found '" + found.strip() + "'");
        }
      }
    }
    return lines;
  }

  /** What is different stays, to be looked at. */
  private void removeOutput(String name, List<ProgramComparison> done) throws IOException {
    for (ProgramComparison program : done) {
      if (program.program().equals(name) && program.differences().isEmpty()) {
        for (Side side : Side.values()) {
          Scratch.remove(output(side, name));
        }
      }
    }
  }

  private Path output(Side side, String name) {
    return staging.directory().resolve("output-" + side.word()).resolve(name);
  }

  /** Logs and settings are small: they stay if something was not good. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    yarn.removeData();
    return staging.removeFiles(good && !plan.keep(), List.of("teragen", "words"));
  }
}
