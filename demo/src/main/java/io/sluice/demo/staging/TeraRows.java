package io.sluice.demo.staging;

import io.sluice.localcluster.HadoopProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Rows of 100 bytes written by Hadoop's teragen, generated once and kept. They depend only on the
 * number of rows.
 *
 * @param directory directory of the files
 * @param checksum checksum of all rows, in the format of teravalidate
 */
public record TeraRows(Path directory, String checksum) {
  public static final long ROW_BYTES = 100;

  /** Jobs ignore files whose names begin with an underscore. */
  private static final String CHECKSUM_FILE = "_checksum";

  /**
   * Generates the rows unless they exist.
   *
   * @param files number of files
   */
  public static TeraRows ensure(
      long rows, int files, YarnStaging yarn, Duration timeout, DemoProgress progress)
      throws DemoException, IOException, InterruptedException {
    Staging staging = yarn.staging();
    Path complete = directory(staging.workDirectory(), rows, files);
    String title = "Rows to sort, " + AmountText.bytes(rows * ROW_BYTES) + ": ";
    if (Files.isDirectory(complete)) {
      progress.step(title + "using " + complete);
      return new TeraRows(complete, Files.readString(complete.resolve(CHECKSUM_FILE)));
    }
    progress.step(title + "generating " + complete + " (kept for later runs)");
    Path unfinished = staging.directory().resolve("teragen");
    HadoopProgram teragen =
        HadoopProgram.example(yarn.yarn(), "teragen")
            .set("mapreduce.job.maps", Integer.toString(files))
            .arguments(rows, unfinished);
    ProgramRun run =
        yarn.run(
            "teragen",
            teragen,
            timeout,
            jobProgress -> progress.advance(0, 1, "teragen, " + jobProgress));
    if (run.counter("Map output records") != rows) {
      throw DemoException.failed(
          "wrong number of rows from teragen: rows="
              + run.counter("Map output records")
              + " expected="
              + rows);
    }
    String checksum = Long.toHexString(run.counter("CHECKSUM"));
    Files.writeString(unfinished.resolve(CHECKSUM_FILE), checksum);
    Scratch.publish(unfinished, complete);
    return new TeraRows(complete, checksum);
  }

  public static Path directory(Path workDirectory, long rows, int files) {
    return workDirectory.resolve("teragen-" + rows + "-rows-" + files + "-files-v1");
  }
}
