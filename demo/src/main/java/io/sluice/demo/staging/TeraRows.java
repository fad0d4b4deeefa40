package io.sluice.demo.staging;

import io.sluice.localcluster.HadoopProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Rows of 100 bytes that Hadoop's teragen has written, made once and kept. The number of rows says
 * what is in them.
 *
 * @param directory of the files
 * @param checksum of all rows, as teravalidate prints it
 */
public record TeraRows(Path directory, String checksum) {
  public static final long ROW_BYTES = 100;

  /** Jobs do not read files of such names. */
  private static final String CHECKSUM_FILE = "_checksum";

  /**
   * Makes the rows unless they are there.
   *
   * @param files that they are divided among, as evenly as can be
   */
  public static TeraRows ensure(
      long rows, int files, YarnStaging yarn, Duration timeout, DemoProgress progress)
      throws DemoException, IOException, InterruptedException {
    Staging staging = yarn.staging();
    Path complete = directory(staging.workDirectory(), rows, files);
    String what = "Rows to sort, " + AmountText.bytes(rows * ROW_BYTES) + ": ";
    if (Files.isDirectory(complete)) {
      progress.step(what + "using " + complete);
      return new TeraRows(complete, Files.readString(complete.resolve(CHECKSUM_FILE)));
    }
    progress.step(what + "making " + complete + " (kept for the next time)");
    Path unfinished = staging.directory().resolve("teragen");
    HadoopProgram teragen =
        HadoopProgram.example(yarn.yarn(), "teragen")
            .set("mapreduce.job.maps", Integer.toString(files))
            .arguments(rows, unfinished);
    ProgramRun run =
        yarn.run("teragen", teragen, timeout, along -> progress.advance(0, 1, "teragen, " + along));
    if (run.counter("Map output records") != rows) {
      throw DemoException.failed(
          "teragen wrote " + run.counter("Map output records") + " rows, expected " + rows);
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
