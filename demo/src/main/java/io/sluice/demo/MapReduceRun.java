package io.sluice.demo;

import io.sluice.demo.staging.AmountText;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.demo.staging.ClusterSize;
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
import java.util.Optional;

/**
 * One run of the demo with MapReduce: data, processes, programs, comparison.
 *
 * <p>Each of Hadoop's example programs runs with Hadoop's built-in shuffle, then through Sluice, on
 * the same YARN cluster, one at a time.
 */
final class MapReduceRun implements Comparison {
  /** Bytes of rows and of text at scale factor 1. */
  private static final long SORTED_BYTES = 1_000_000_000;

  private static final long TEXT_BYTES = 250_000_000;

  private static final int PROGRAMS = 3;
  private static final int TERA_FILES = 4;
  private static final int NODES = 2;

  /**
   * Memory of a node manager; two of them run an application master (384 MiB) and three tasks (256
   * MiB).
   */
  private static final int NODE_MEMORY_MB = 640;

  /**
   * Maximum number of program run times: three programs on two sides, generation of data, start.
   */
  private static final int MAX_RUNS = 8;

  private static final String SERVER_HEAP = "-Xmx256m";

  /**
   * Parameters of a run.
   *
   * @param scale scale factor; 1 is about 1 GB to sort and 250 MB of text
   * @param size number of coordinators and shuffle servers
   * @param bufferCapacity memory for shuffle data in each server
   * @param transport GRPC or GRPC_NETTY
   * @param reduces number of reduce tasks of terasort and wordcount
   * @param programTimeout timeout of one program
   * @param secrets creates the secrets of the cluster; empty: no authentication and TLS
   * @param keep whether to keep logs and settings of a successful run
   */
  record Plan(
      double scale,
      ClusterSize size,
      String bufferCapacity,
      String transport,
      int reduces,
      Duration programTimeout,
      Optional<ClusterSecrets> secrets,
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
   * @param staging borrowed; must be started before {@link #run}
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
                plan.programTimeout().multipliedBy(MAX_RUNS)));
  }

  /** Creates the program of one side. */
  private interface Launch {
    HadoopProgram on(Side side, Path output);
  }

  @Override
  public ProgramTable run() throws DemoException, IOException, InterruptedException {
    Path textFiles = WordFiles.ensure(plan.textBytes(), staging, progress);
    if (plan.secrets().isPresent()) {
      progress.step("Sluice: creating keys, certificates and users");
      staging.secure(plan.secrets().get());
    }
    progress.step("Sluice: starting " + plan.size());
    staging.startCluster(
        plan.size(),
        plan.transport(),
        plan.bufferCapacity(),
        List.of(SERVER_HEAP, "-XX:+UseSerialGC"));
    progress.step(
        "YARN: starting a resource manager and "
            + NODES
            + " node managers with their shuffle handlers");
    yarn.start();
    TeraRows rows = TeraRows.ensure(plan.rows(), TERA_FILES, yarn, plan.programTimeout(), progress);
    progress.step("Programs: each with Hadoop's built-in shuffle, then through Sluice");
    try (ClusterProbe probe = staging.probe()) {
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
          (side, output) -> reducing("wordcount").arguments(textFiles, output),
          "",
          probe,
          done);
      removeOutput("wordcount", done);
      return new ProgramTable(done);
    }
  }

  private HadoopProgram terasort(TeraRows rows, Path output) {
    return reducing("terasort")
        // The default partitioner needs a file that containers do not have with a local file
        // system.
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
   * Runs a program on both sides.
   *
   * @param expected expected output; empty: unknown
   * @param done list to which the result is added
   */
  private void compare(
      String name, Launch launch, String expected, ClusterProbe probe, List<ProgramComparison> done)
      throws DemoException, IOException, InterruptedException {
    ComparedResults<ProgramTurn> turns =
        ComparedResults.sequentially(
            Side.BUILT_IN, side -> turn(name, side, launch, probe, done.size()));
    ProgramComparison comparison = ProgramComparison.of(name, turns, unexpected(name, expected));
    done.add(comparison);
    progress.result(
        done.size(),
        PROGRAMS,
        "%s, built-in %s s, Sluice %s s, same: %s"
            .formatted(
                name,
                AmountText.seconds(comparison.builtIn().elapsedMs()),
                AmountText.seconds(comparison.sluice().elapsedMs()),
                comparison.verdict().label()));
  }

  private ProgramTurn turn(String name, Side side, Launch launch, ClusterProbe probe, int done)
      throws DemoException, IOException, InterruptedException {
    String title = name + ", " + side.inHadoop();
    progress.advance(done, PROGRAMS, title);
    Path output = output(side, name);
    HadoopProgram program = launch.on(side, output).set(yarn.settings(side));
    if (side == Side.SLUICE) {
      program
          .set("mapreduce.rss.client.type", plan.transport())
          // Otherwise tasks on the server's host read run files directly, and the server does not
          // count these reads.
          .set("mapreduce.rss.client.read.shortcircuit.enabled", "false");
    }
    ClusterCounters before = probe.counters();
    ProgramRun run =
        yarn.run(
            title,
            program,
            plan.programTimeout(),
            jobProgress -> progress.advance(done, PROGRAMS, title + ", " + jobProgress));
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
              side.label()
                  + ": expected '"
                  + expected.strip()
                  + "', found '"
                  + found.strip()
                  + "'");
        }
      }
    }
    return lines;
  }

  /** Deletes the output of a program, unless it differs between the sides. */
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
    return staging.directory().resolve("output-" + side.label()).resolve(name);
  }

  /** Keeps logs and settings after a failure; they are small. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    yarn.removeData();
    return staging.removeFiles(good && !plan.keep(), List.of("teragen", "words"));
  }
}
